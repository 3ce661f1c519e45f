"""Where exports come from, one module for each kind of server."""
