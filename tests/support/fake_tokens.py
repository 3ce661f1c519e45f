"""Making up what looks like a key or a signature, and is none."""


def forged(key: str) -> str:
    """Another of the same form: keys of all kinds are made of letters and these digits."""
    return key[:-1] + ("3" if key.endswith("2") else "2")
