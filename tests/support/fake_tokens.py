"""Fake keys and signatures."""


def forged(key: str) -> str:
    """Another value of the same form: keys of all kinds have letters and these digits."""
    return key[:-1] + ("3" if key.endswith("2") else "2")
