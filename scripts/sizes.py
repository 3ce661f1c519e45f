"""Report the largest modules, functions and classes of src; `make check` prints it.

Sizes are a hint for the reader, not a limit: a long module with one responsibility is fine.
"""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
SHOWN = 5


def main() -> None:
    modules: list[tuple[int, str]] = []
    functions: list[tuple[int, str]] = []
    classes: list[tuple[int, str]] = []
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        name = str(file.relative_to(SOURCE))
        modules.append((text.count("\n"), name))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                functions.append((lines, f"{name} {node.name}"))
            elif isinstance(node, ast.ClassDef):
                methods = [
                    each
                    for each in node.body
                    if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                classes.append((len(methods), f"{name} {node.name}"))
    _show("Longest modules, in lines", modules)
    _show("Longest functions, in lines", functions)
    _show("Classes with the most methods", classes)


def _show(title: str, rows: list[tuple[int, str]]) -> None:
    print(f"  {title}:")
    for size, name in sorted(rows, reverse=True)[:SHOWN]:
        print(f"    {size:5} {name}")


if __name__ == "__main__":
    main()
