"""The shape of the code: which layer may use which, and that nothing goes round in circles.

`ALLOWED` is the map. The laws below it read modules as text, so each is also shown a made-up
tree that breaks it. To name something, as `storage.channels.find` does, is to use its module.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
    "integrations": "errors",
    "domain": "errors",
    "http": "errors config",
    "database": "domain errors config",
    "storage": "database domain errors config",
    "events": "storage database domain markdown errors config",
    "actions": "events storage database domain markdown errors config",
    "external": "domain errors config",
    "jobs": "external actions events storage database domain markdown errors config",
    "api": "external http integrations actions events storage database domain markdown errors"
    " config",
    "web": "api external http integrations actions events storage database domain markdown errors"
    " config",
}

# Modules at the top that every layer may import; these import no layer but `errors`.
SHARED_MODULES = ("lazy", "log", "fair_queue", "file_owner")

# Layers whose functions are called by their full name, `storage.channels.find(…)`; only classes
# and constants are imported from them. Their packages load modules when these are first named.
CALLED_BY_NAME = {"domain", "storage", "events", "actions", "api"}

# Where a subject's package is a module itself. Elsewhere modules need each other's classes while
# they are loaded, and a package full of code would make them wait for it.
SUBJECTS_WITH_CODE = {"storage", "database", "actions", "api"}

FLOORS = 6  # how many modules of actions may stand on each other

Tree = dict[str, str]  # the text of each module, by its dotted name; a package ends in .__init__


@dataclass(frozen=True, slots=True)
class Use:
    """One module that imports another, or something in it, or calls it by its name."""

    user: str
    target: str  # the full name of what is used
    module: str  # where that is
    line: int
    is_import: bool = True
    is_hidden: bool = False  # an import inside a function
    is_contents: bool = False  # a package that introduces what is in it
    alias: str | None = None

    def __str__(self) -> str:
        verb = "imports" if self.is_import else "uses"
        return f"{self.user}, line {self.line}, {verb} {self.module}"


def test_our_code_keeps_every_law():
    tree = read_tree(SOURCE)

    problems = [problem for law in LAWS for problem in law(tree)]

    assert not problems, "\n" + "\n".join(problems)


def direction(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        user, used = layer(each.user), layer(each.module)
        allowed = ALLOWED.get(user)
        if allowed is None or used == user or used in {*allowed.split(), *SHARED_MODULES}:
            continue
        yield f"{each}: {user} may use only {' '.join([user, allowed])}."


def cycle(tree: Tree) -> Iterator[str]:
    try:
        TopologicalSorter(graph_of(tree)).prepare()
    except CycleError as error:
        yield f"These modules use each other: {' → '.join(reversed(error.args[1]))}."


def high_tower(tree: Tree) -> Iterator[str]:
    """Actions stand on actions: who reads one should not have to climb down through a dozen."""
    graph = {
        name: {each for each in used if layer(each) == "actions"}
        for name, used in graph_of(tree).items()
        if layer(name) == "actions"
    }
    if any(cycle(tree)):
        return
    chains: dict[str, list[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        below = [chains[each] for each in graph.get(name, ())]
        chains[name] = [name, *max(below, key=len, default=[])]
    longest = max(chains.values(), key=len, default=[])
    if len(longest) > FLOORS:
        yield f"These stand on each other, {len(longest)} high: {' → '.join(longest)}."


def hidden_import(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        if each.is_hidden:
            yield f"{each} inside a function: something lives in the wrong place."


def nickname(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        if each.alias is not None:
            yield f"{each} under another name, {each.alias}: one thing has one name."


def call_without_its_layer(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        name = each.target.rpartition(".")[2]
        if (
            each.is_import
            and not each.is_contents
            and layer(each.target) in CALLED_BY_NAME
            and each.target.count(".") > 1
            and name[0].islower()
        ):
            full = each.target.removeprefix("tertulia.")
            yield f"{each}: import the layer, and call it {full}."


def missing_contents(tree: Tree) -> Iterator[str]:
    for package in sorted(name for name in tree if name.endswith(".__init__")):
        path = package.removesuffix(".__init__")
        if layer(path) not in CALLED_BY_NAME:
            continue
        introduced = {each.target for each in uses({package: tree[package]}) if each.is_contents}
        for module in sorted({name.removesuffix(".__init__") for name in tree}):
            if module.rpartition(".")[0] == path and module not in introduced | NOT_CALLED:
                name = module.rpartition(".")[2]
                yield f"{path} does not introduce {name}: run `make format`."


NOT_CALLED = {"tertulia.api.routes"}  # the map of the endpoints, which knows them all


def missing_docstring(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        is_empty_package = name.endswith("__init__") and not text.strip()
        if not is_empty_package and not ast.get_docstring(parse(text, name)):
            yield f"{name} does not begin by saying what it is."


def busy_package(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        is_subject = name.count(".") > 2 and layer(name) in SUBJECTS_WITH_CODE
        is_subject |= name == "tertulia.database.__init__"  # `Database` itself
        if not name.endswith("__init__") or is_subject:
            continue
        for node in parse(text, name).body:
            if not isinstance(node, ast.Import | ast.ImportFrom) and not introduces(node):
                yield f"{name}, line {node.lineno}: a package only introduces its modules."


def name_with_two_meanings(tree: Tree) -> Iterator[str]:
    places: dict[str, list[str]] = {}
    for module, text in tree.items():
        for node in nodes_in(text, module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(module)
    for name, modules in places.items():
        if len(modules) > 1:
            yield f"{name} is a class in {' and in '.join(modules)}: one word, one meaning."


LAWS = [
    direction,
    cycle,
    high_tower,
    hidden_import,
    nickname,
    call_without_its_layer,
    missing_docstring,
    missing_contents,
    busy_package,
    name_with_two_meanings,
]


@pytest.mark.parametrize(
    "law, tree, complaint",
    [
        (
            direction,
            {"tertulia.storage.users": "from tertulia import actions"},
            "tertulia.storage.users, line 1, imports tertulia.actions: "
            "storage may use only storage database domain errors config.",
        ),
        (direction, {"tertulia.http.auth": "import tertulia.api.users"}, "http may use"),
        (direction, {"tertulia.actions": "from .http import Call"}, "actions may use"),
        (
            cycle,
            {
                "tertulia.storage.tx": "from tertulia.storage.rows import Row",
                "tertulia.storage.rows": "from tertulia.storage.tx import Tx",
            },
            "tertulia.storage.tx → tertulia.storage.rows → tertulia.storage.tx",
        ),
        (
            cycle,
            {
                "tertulia.actions.a": "from tertulia import actions\ndef f(): actions.b.g()",
                "tertulia.actions.b": "from tertulia import actions\ndef g(): actions.a.f()",
            },
            "tertulia.actions.a → tertulia.actions.b → tertulia.actions.a",
        ),
        (
            high_tower,
            {
                f"tertulia.actions.a{n}": f"from tertulia import actions\nactions.a{n + 1}.f()"
                for n in range(FLOORS)
            },
            f"{FLOORS + 1} high: tertulia.actions.a0 → tertulia.actions.a1",
        ),
        (hidden_import, {"tertulia.app": "def f():\n import tertulia.api"}, "app, line 2, imports"),
        (nickname, {"tertulia.app": "from tertulia import api as it"}, "one thing has one name"),
        (
            call_without_its_layer,
            {"tertulia.app": "from tertulia.api import users"},
            "import the layer, and call it api.users.",
        ),
        (
            call_without_its_layer,
            {"tertulia.app": "from tertulia.api.users import add, User"},
            "import the layer, and call it api.users.add.",
        ),
        (missing_docstring, {"tertulia.app": "x = 1"}, "tertulia.app does not begin"),
        (
            missing_contents,
            {"tertulia.api.__init__": ""},
            "does not introduce users: run",
        ),
        (busy_package, {"tertulia.api.__init__": '"""Api."""\nx = 1'}, "line 2: a package only"),
        (
            name_with_two_meanings,
            {"tertulia.app": "class Job: ...\nclass _Work: ...", "tertulia.jobs": "class Job: ..."},
            "Job is a class in tertulia.app and in tertulia.jobs",
        ),
    ],
)
def test_a_tree_that_breaks_a_law_is_told_so(law, tree, complaint):
    modules = {"tertulia.api.users": "", "tertulia.http.__init__": "", "tertulia.actions": ""}

    problems = list(law(modules | tree))

    assert any(complaint in problem for problem in problems), problems


def test_a_tree_that_keeps_the_laws_is_left_alone():
    contents = """
if TYPE_CHECKING:
    from tertulia.api import names, users
else:
    __getattr__ = on_demand(__name__)
"""
    tree = {
        "tertulia.__init__": "",
        "tertulia.app": '"""All."""\nfrom tertulia import api, config\napi.users.add()',
        "tertulia.config": '"""Settings."""\nimport os',
        "tertulia.lazy": '"""Modules."""',
        "tertulia.table": '"""It is one long table."""' + "\nx = 1" * 401,
        "tertulia.api.__init__": f'"""The API."""\nimport typing{contents}',
        "tertulia.api.users": '"""People."""\nfrom tertulia import api\nx = api.names.FIRST',
        "tertulia.api.names": '"""Names."""\nimport tertulia.http.auth\ndef f():\n    import os',
        "tertulia.http.auth": '"""Who is it."""',
    }

    assert [problem for law in LAWS for problem in law(tree)] == []


parse = cache(ast.parse)


@cache
def nodes_in(text: str, name: str) -> list[ast.AST]:
    return list(ast.walk(parse(text, name)))


def read_tree(source: Path) -> Tree:
    return {
        ".".join(path.relative_to(source).with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in sorted(source.rglob("*.py"))
    }


def layer(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def graph_of(tree: Tree) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for each in uses(tree):
        if not each.is_contents and each.module != each.user:
            graph.setdefault(each.user, set()).add(each.module)
    return graph


def uses(tree: Tree) -> list[Use]:
    """Every law asks for them; they are looked for once in each tree."""
    key = tuple(tree.items())
    if key not in _known:
        _known[key] = list(find_uses(tree))
    return _known[key]


_known: dict[tuple[tuple[str, str], ...], list[Use]] = {}


def find_uses(tree: Tree) -> Iterator[Use]:
    for name, text in tree.items():
        user = name.removesuffix(".__init__")
        for node, is_hidden in imports(parse(text, name)):
            is_contents = isinstance(node, ast.ImportFrom) and node.module == user
            for target, alias in targets(node, name):
                if target.split(".")[0] == "tertulia":
                    module = module_of(target, tree)
                    yield Use(
                        user, target, module, node.lineno, True, is_hidden, is_contents, alias
                    )
        yield from calls_by_name(nodes_in(text, name), user, tree)


def calls_by_name(nodes: list[ast.AST], user: str, tree: Tree) -> Iterator[Use]:
    """`storage.channels.find` where `storage` was imported."""
    layers = {
        alias.name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module == "tertulia"
        for alias in node.names
    }
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    parts = {id(node.value) for node in attributes}
    for node in attributes:
        words = dotted(node) if id(node) not in parts else []
        target = ".".join(["tertulia", *words])
        module = module_of(target, tree)
        if words and words[0] in layers and module.count(".") > 1:
            yield Use(user, target, module, node.lineno, is_import=False)


def dotted(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Attribute):
        return [*dotted(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else [""]


def imports(node: ast.AST, is_hidden: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, is_hidden
        elif not isinstance(child, ast.expr):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(child, is_hidden or is_function)


def targets(node: ast.stmt, importer: str) -> list[tuple[str, str | None]]:
    """The full names a statement imports, of a module or of something in one, and their aliases."""
    if isinstance(node, ast.Import):
        return [(alias.name, alias.asname) for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    package = importer.split(".")[: -node.level] if node.level else []
    start = [*package, node.module] if node.module else package
    return [(".".join([*start, alias.name]), alias.asname) for alias in node.names]


def module_of(target: str, tree: Tree) -> str:
    """`tertulia.errors.NotFound` lives in `tertulia.errors`; a module is its own."""
    while target not in tree and f"{target}.__init__" not in tree and target.count(".") > 1:
        target = target.rpartition(".")[0]
    return target


def introduces(node: ast.stmt) -> bool:
    """A docstring, `__all__`, or the table of contents of a package that loads on demand."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in {"__all__", "__version__"}
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
