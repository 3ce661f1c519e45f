"""The shape of the code: which layer may import which, and that nothing goes round in circles.

`ALLOWED` is the map. The laws below it read modules as text, so each is also shown a made-up
tree that breaks it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"

# What each layer may import besides itself. Modules at the top that are not listed here put the
# parts together (app, cli, demo) and may import everything.
ALLOWED = {
    "errors": "",
    "config": "",
    "markdown": "",
    "domain": "errors",
    "http": "errors config",
    "storage": "domain errors config",
    "events": "storage domain markdown errors config",
    "actions": "events storage domain markdown errors config",
    "jobs": "actions events storage domain markdown errors config",
    "api": "http actions events storage domain markdown errors config",
    "web": "api http actions events storage domain markdown errors config",
}

FLOORS = 6  # how many modules of actions may stand on each other

Tree = dict[str, str]  # the text of each module, by its dotted name; a package ends in .__init__


@dataclass(frozen=True, slots=True)
class Import:
    importer: str
    imported: str
    line: int
    is_hidden: bool  # inside a function

    def __str__(self) -> str:
        return f"{self.importer}, line {self.line}, imports {self.imported}"


def test_our_code_keeps_every_law():
    tree = read_tree(SOURCE)

    problems = [problem for law in LAWS for problem in law(tree)]

    assert not problems, "\n" + "\n".join(problems)


def import_direction(tree: Tree) -> Iterator[str]:
    for each in imports(tree):
        importer, imported = layer(each.importer), layer(each.imported)
        allowed = ALLOWED.get(importer)
        if allowed is None or imported == importer or imported in allowed.split():
            continue
        yield f"{each}: {importer} may import only {' '.join([importer, allowed])}."


def import_cycle(tree: Tree) -> Iterator[str]:
    try:
        TopologicalSorter(import_graph(tree)).prepare()
    except CycleError as error:
        yield f"These modules import each other: {' → '.join(reversed(error.args[1]))}."


def high_tower(tree: Tree) -> Iterator[str]:
    """Actions stand on actions: who reads one should not have to climb down through a dozen."""
    graph = import_graph({name: text for name, text in tree.items() if layer(name) == "actions"})
    chains: dict[str, list[str]] = {}
    if any(import_cycle(tree)):
        return
    for name in TopologicalSorter(graph).static_order():
        below = [chains[each] for each in graph.get(name, ()) if layer(each) == "actions"]
        chains[name] = [name, *max(below, key=len, default=[])]
    longest = max(chains.values(), key=len, default=[])
    if len(longest) > FLOORS:
        yield f"These stand on each other, {len(longest)} high: {' → '.join(longest)}."


def hidden_import(tree: Tree) -> Iterator[str]:
    for each in imports(tree):
        if each.is_hidden:
            yield f"{each} inside a function: something lives in the wrong place."


def missing_docstring(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        is_empty_package = name.endswith("__init__") and not text.strip()
        if not is_empty_package and not ast.get_docstring(ast.parse(text, name)):
            yield f"{name} does not begin by saying what it is."


def busy_package(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        if not name.endswith("__init__"):
            continue
        for node in ast.parse(text, name).body:
            if not isinstance(node, ast.Import | ast.ImportFrom) and not is_docstring_or_all(node):
                yield f"{name}, line {node.lineno}: a package only introduces its modules."


def name_with_two_meanings(tree: Tree) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for module, text in tree.items():
        for node in ast.walk(ast.parse(text, module)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    for name, modules in places.items():
        if len(modules) > 1:
            yield f"{name} is a class in {' and in '.join(modules)}: one word, one meaning."


LAWS = [
    import_direction,
    import_cycle,
    high_tower,
    hidden_import,
    missing_docstring,
    busy_package,
    name_with_two_meanings,
]


@pytest.mark.parametrize(
    "law, tree, complaint",
    [
        (
            import_direction,
            {"tertulia.storage.users": "from tertulia import actions"},
            "tertulia.storage.users, line 1, imports tertulia.actions: "
            "storage may import only storage domain errors config.",
        ),
        (import_direction, {"tertulia.http.auth": "import tertulia.api.users"}, "http may import"),
        (import_direction, {"tertulia.actions": "from .http import Call"}, "actions may import"),
        (
            import_cycle,
            {
                "tertulia.storage.tx": "from tertulia.storage import rows",
                "tertulia.storage.rows": "from tertulia.storage.tx import Tx",
            },
            "tertulia.storage.tx → tertulia.storage.rows → tertulia.storage.tx",
        ),
        (
            high_tower,
            {
                f"tertulia.actions.a{number}": f"from tertulia.actions import a{number + 1}"
                for number in range(FLOORS)
            },
            f"{FLOORS + 1} high: tertulia.actions.a0 → tertulia.actions.a1",
        ),
        (hidden_import, {"tertulia.app": "def f():\n import tertulia.api"}, "app, line 2, imports"),
        (missing_docstring, {"tertulia.app": "x = 1"}, "tertulia.app does not begin"),
        (
            name_with_two_meanings,
            {"tertulia.app": "class Job: ...\nclass _Work: ...", "tertulia.jobs": "class Job: ..."},
            "Job is a class in tertulia.app and in tertulia.jobs",
        ),
        (busy_package, {"tertulia.api.__init__": '"""Api."""\nx = 1'}, "line 2: a package only"),
    ],
)
def test_a_tree_that_breaks_a_law_is_told_so(law, tree, complaint):
    modules = {"tertulia.api.users": "", "tertulia.http.__init__": "", "tertulia.actions": ""}

    problems = list(law(modules | tree))

    assert any(complaint in problem for problem in problems), problems


def test_a_tree_that_keeps_the_laws_is_left_alone():
    tree = {
        "tertulia.__init__": "",
        "tertulia.app": '"""All."""\nfrom tertulia import api, config',
        "tertulia.config": '"""Settings."""\nimport os',
        "tertulia.api.__init__": '"""Routes."""\nfrom tertulia.api import users\n__all__ = []',
        "tertulia.api.users": '"""People."""\nfrom tertulia.api import names',
        "tertulia.api.names": '"""Names."""\nimport tertulia.http.auth\ndef f():\n    import os',
        "tertulia.http.auth": '"""Who is it."""',
    }

    assert [problem for law in LAWS for problem in law(tree)] == []


def read_tree(source: Path) -> Tree:
    return {
        ".".join(path.relative_to(source).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(source.rglob("*.py"))
    }


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def import_graph(tree: Tree) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for each in imports(tree):
        graph.setdefault(each.importer, set()).add(each.imported)
    return graph


def imports(tree: Tree) -> Iterator[Import]:
    for name, text in tree.items():
        for node, is_hidden in walk(ast.parse(text, name)):
            for target in targets(node, name):
                if target.split(".")[0] == "tertulia":
                    importer = name.removesuffix(".__init__")
                    yield Import(importer, module_of(target, tree), node.lineno, is_hidden)


def walk(node: ast.AST, is_hidden: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, is_hidden
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from walk(child, is_hidden or is_function)


def targets(node: ast.stmt, importer: str) -> list[str]:
    """The full names a statement imports: of a module, or of something in one."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    package = importer.split(".")[: -node.level] if node.level else []
    start = [*package, node.module] if node.module else package
    return [".".join([*start, alias.name]) for alias in node.names]


def module_of(target: str, tree: Tree) -> str:
    """`tertulia.errors.NotFound` lives in `tertulia.errors`; a module is its own."""
    if target in tree or f"{target}.__init__" in tree or target.count(".") < 2:
        return target
    return target.rpartition(".")[0]


def is_docstring_or_all(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
