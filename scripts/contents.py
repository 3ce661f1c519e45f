"""Writes into every package that loads on demand which modules it has; `make format` runs it."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
CONTENTS = re.compile(r"(if TYPE_CHECKING:\n    from ([\w.]+) import )(?:\([^)]*\)|[^\n]*)\n")
NOT_CALLED = {"routes"}  # the list of endpoints, which imports them all


def main() -> None:
    for init in SOURCE.rglob("__init__.py"):
        text = init.read_text(encoding="utf-8")
        found = CONTENTS.search(text)
        if found is None or found[2] != ".".join(init.parent.relative_to(SOURCE).parts):
            continue
        modules = {each.stem for each in init.parent.glob("*.py")} - {"__init__"} - NOT_CALLED
        packages = {each.parent.name for each in init.parent.glob("*/__init__.py")}
        listed = ", ".join(sorted(modules | packages))
        init.write_text(text.replace(found[0], f"{found[1]}({listed})\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
