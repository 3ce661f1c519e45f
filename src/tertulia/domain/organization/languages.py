"""Languages that users and organizations can choose, each by its own name."""

from pathlib import Path

_FILE = Path(__file__).with_suffix(".txt")
LANGUAGES: dict[str, str] = dict(
    line.split(" ", 1) for line in _FILE.read_text(encoding="utf-8").splitlines()
)
