"""Libraries that are not installed, for processes that a test starts."""

from pathlib import Path

EXTRAS = {
    "psycopg": "postgres",
    "lxml": "saml",
    "minisaml": "saml",
    "ldap3": "ldap",
    "uvloop": "uvloop",
}


def hide(folder: Path, *modules: str) -> str:
    """Return a PYTHONPATH with which some modules cannot be imported."""
    text = f"import sys\nsys.modules.update(dict.fromkeys({modules!r}))\n"
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    return str(folder)
