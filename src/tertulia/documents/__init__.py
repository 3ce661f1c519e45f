"""Documents without a client: messages as HTML for the public pages and for HTML archives."""
