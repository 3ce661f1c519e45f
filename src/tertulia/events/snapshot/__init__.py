"""The register snapshot: the state that a client starts from."""
