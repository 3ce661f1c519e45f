"""The HTTP/1.1 server: protocol, connection limits, TLS, sockets, workers, logging, metrics."""
