"""Clients of other machines: SSO, mail, push, file stores, HTTP. Actions never call them, so no
transaction waits for a network."""
