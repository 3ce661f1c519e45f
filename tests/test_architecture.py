"""Import rules: one direction, no cycles, no hidden imports, siblings instead of the own facade.

The order of the layers stands in `pyproject.toml` and is judged by import-linter. The other rules
are ours. Each reads modules as text, so each is also run on a small tree that breaks it. A call by
full name, such as `storage.channels.table.find`, counts as a use of that module.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tertulia.database import schema

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src"

# Modules with a large library that not every server needs. The function that needs one imports it;
# only commands, which load what they use, and other optional modules import one at the top.
OPTIONAL_MODULES = (
    "tertulia.checks.installation",
    "tertulia.database.dialects.postgres",
    "tertulia.external.sso.github",
    "tertulia.external.sso.jwt",
    "tertulia.external.sso.ldap",
    "tertulia.external.sso.openid",
    "tertulia.external.sso.passkeys",
    "tertulia.external.sso.provider_http",
    "tertulia.external.sso.saml",
    "tertulia.external.stores.s3",
    "tertulia.sample_data.demo.loader",
    "tertulia.jobs.acme",
    "tertulia.mcp",
    "tertulia.server.metrics",
    "tertulia.testing",
)

# Layers whose functions are called by their full name, `storage.channels.find(…)`. Other layers
# import only classes and constants from them; their packages import the modules that are called.
CALLED_BY_NAME = {"domain", "storage", "events", "actions", "api", "features"}

# `Database` itself, and the list of all features.
PACKAGES_WITH_CODE = {"tertulia.database.__init__", "tertulia.features.__init__"}

MAX_METHODS = 25  # of a class
MAX_CHAIN = 7  # modules of actions that use each other in a row

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

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


def test_the_code_keeps_every_rule():
    tree = read_tree(SOURCE)

    problems = [problem for rule in RULES for problem in rule(tree)]

    assert not problems, "\n" + "\n".join(problems)


def test_imports_point_one_way():
    result = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 0, result.stdout


def cycle(tree: Tree) -> Iterator[str]:
    """Also a module that imports the package of its own layer, which imports it."""
    try:
        TopologicalSorter(graph_of(tree)).prepare()
    except CycleError as error:
        yield f"These modules use each other: {' → '.join(reversed(error.args[1]))}."


def command_without_features(tree: Tree) -> Iterator[str]:
    """A command that writes does what features add, as the server does. Others start faster."""
    for name, text in tree.items():
        if layer(name) != "cli" or name == "tertulia.cli.open_data":
            continue
        called = {
            each.func.attr
            for each in nodes_in(text, name)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
        }
        if called & {"write", "dry_run"} and not any(
            each.user == name and layer(each.module) == "features" for each in uses(tree)
        ):
            yield f"{name} writes and does not import tertulia.features."


def private_part_of_a_feature(tree: Tree) -> Iterator[str]:
    """Features call each other only by public functions."""
    for each in uses(tree):
        if layer(each.module) == "features" and each.module != each.user:
            name = each.target.removeprefix(each.module).strip(".")
            if name.startswith("_"):
                yield f"{each}, and there {name}, which is private."


def awaiting_transaction(tree: Tree) -> Iterator[str]:
    """A function of a transaction awaits nothing and calls no endpoint."""
    features = {name: text for name, text in tree.items() if layer(name) == "features"}
    endpoints = {
        f"{prefix}{node.name}"
        for name, text in features.items()
        for node in parse(text, name).body
        if isinstance(node, ast.AsyncFunctionDef)
        for prefix in (f"{name}.", f"{name.removeprefix('tertulia.')}.")
    }
    for name, text in features.items():
        for node in nodes_in(text, name):
            if not isinstance(node, FUNCTION):
                continue
            if "Tx" not in {ast.unparse(each.annotation or each) for each in node.args.args}:
                continue
            if isinstance(node, ast.AsyncFunctionDef):
                yield f"{name}, line {node.lineno}: {node.name} has a transaction and awaits."
            for call in (each for each in ast.walk(node) if isinstance(each, ast.Call)):
                called = ast.unparse(call.func)
                if {called, f"{name}.{called}"} & endpoints:
                    yield f"{name}, line {call.lineno}: {node.name} calls the endpoint {called}."


def long_chain(tree: Tree) -> Iterator[str]:
    """A reader of an action should not have to follow it through a dozen others."""
    graph = {
        name: {each for each in used if layer(each) == "actions"}
        for name, used in graph_of(tree).items()
        if name.startswith("tertulia.actions.")
    }
    if any(cycle(tree)):
        return
    chains: dict[str, list[str]] = {}
    for name in TopologicalSorter(graph).static_order():
        below = [chains[each] for each in graph.get(name, ())]
        chains[name] = [name, *max(below, key=len, default=[])]
    longest = max(chains.values(), key=len, default=[])
    if len(longest) > MAX_CHAIN:
        yield f"A chain of {len(longest)} actions: {' → '.join(longest)}."


def hidden_import(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        if each.is_hidden and not is_optional(each.module):
            yield f"{each} inside a function: something lives in the wrong place."


def early_import(tree: Tree) -> Iterator[str]:
    for each in uses(tree):
        may = each.is_hidden or is_optional(each.user) or layer(each.user) == "cli"
        if is_optional(each.module) and not may and each.is_import and not each.is_contents:
            yield f"{each} at the top, with its large library: import it where it is needed."


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
            and layer(each.target) in CALLED_BY_NAME - {layer(each.user)}
            and each.target.count(".") > 1
            and name[0].islower()
        ):
            full = each.target.removeprefix("tertulia.")
            yield f"{each}: import the layer, and call it {full}."


def missing_contents(tree: Tree) -> Iterator[str]:
    """Python finds `storage.people.keys` only if `storage` or `storage.people` imports it."""
    found = uses(tree)
    imported = {each.target for each in found if each.is_contents}
    for module in sorted({each.module for each in found if not each.is_import} - imported):
        if layer(module) in CALLED_BY_NAME:
            yield f"{module} is called by its full name, but tertulia.{layer(module)} lacks it."


def dynamic_module(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        for node in parse(text, name).body:
            assigned = node.targets if isinstance(node, ast.Assign) else []
            names = [ast.unparse(each) for each in assigned] + [getattr(node, "name", "")]
            if "__getattr__" in names:
                yield f"{name} has a __getattr__: readers and tools cannot follow it."


def missing_docstring(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        is_empty_package = name.endswith("__init__") and not text.strip()
        if not is_empty_package and not ast.get_docstring(parse(text, name)):
            yield f"{name} has no docstring."


def busy_package(tree: Tree) -> Iterator[str]:
    for name, text in tree.items():
        if not name.endswith("__init__") or name in PACKAGES_WITH_CODE:
            continue
        for node in parse(text, name).body:
            if not isinstance(node, ast.Import | ast.ImportFrom) and not introduces(node):
                yield f"{name}, line {node.lineno}: a package only introduces its modules."


def name_with_two_meanings(tree: Tree) -> Iterator[str]:
    definitions: dict[str, list[str]] = {}
    for module, text in tree.items():
        for node in nodes_in(text, module):
            # `Wire` inside an event's class is what clients receive of that event.
            if isinstance(node, ast.ClassDef) and not node.name.startswith(("_", "Wire")):
                definitions.setdefault(node.name, []).append(module)
    for name, modules in definitions.items():
        if len(modules) > 1:
            yield f"{name} is a class in {' and in '.join(modules)}: one word, one meaning."


def large_class(tree: Tree) -> Iterator[str]:
    """A class with more methods is about several things: each can be an object of its own."""
    for module, text in tree.items():
        for node in nodes_in(text, module):
            if isinstance(node, ast.ClassDef):
                count = sum(isinstance(each, FUNCTION) for each in node.body)
                if count > MAX_METHODS:
                    yield f"{node.name} in {module} has {count} methods."


def own_thread_pool(tree: Tree) -> Iterator[str]:
    """A thread pool is a queue in which the work of one user delays that of all others."""
    for module, text in tree.items():
        for node in nodes_in(text, module):
            name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            if name == "ThreadPoolExecutor" and module != "tertulia.fair_queue":
                yield f"{module} has a queue of its own: shared slow work belongs in a FairQueue."


def uncounted_cache(tree: Tree) -> Iterator[str]:
    """`/metrics` reports every cache; `memo.py` counts the functions whose results are kept."""
    for module, text in tree.items():
        for node in nodes_in(text, module):
            imports = node.names if isinstance(node, ast.ImportFrom) else []
            if module != "tertulia.memo" and any(each.name == "lru_cache" for each in imports):
                yield f"{module} has a cache that is not counted: use memo.memoized."


RULES = [
    cycle,
    command_without_features,
    private_part_of_a_feature,
    awaiting_transaction,
    long_chain,
    hidden_import,
    early_import,
    nickname,
    call_without_its_layer,
    missing_docstring,
    missing_contents,
    dynamic_module,
    busy_package,
    name_with_two_meanings,
    large_class,
    own_thread_pool,
    uncounted_cache,
]


@pytest.mark.parametrize(
    "rule, tree, complaint",
    [
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
            cycle,
            {
                "tertulia.storage.__init__": "import tertulia.storage.rows",
                "tertulia.storage.rows": "from tertulia import storage",
            },
            "tertulia.storage → tertulia.storage.rows → tertulia.storage",
        ),
        (
            long_chain,
            {
                f"tertulia.actions.a{n}": f"from tertulia import actions\nactions.a{n + 1}.f()"
                for n in range(MAX_CHAIN)
            },
            f"A chain of {MAX_CHAIN + 1} actions: tertulia.actions.a0 → tertulia.actions.a1",
        ),
        (
            large_class,
            {
                "tertulia.database.tx": "class Tx:"
                + "".join(f"\n  def get_{n}(self): ..." for n in range(MAX_METHODS + 1))
            },
            f"Tx in tertulia.database.tx has {MAX_METHODS + 1} methods.",
        ),
        (
            command_without_features,
            {"tertulia.cli.users": "def add(opened): opened.write(make)"},
            "tertulia.cli.users writes and does not import tertulia.features",
        ),
        (
            private_part_of_a_feature,
            {
                "tertulia.features.a": "from tertulia import features\nfeatures.b._check()",
                "tertulia.features.b": "def _check(): ...",
            },
            "tertulia.features.a, line 2, uses tertulia.features.b, and there _check",
        ),
        (
            awaiting_transaction,
            {"tertulia.features.a": "async def add(tx: Tx) -> None: ..."},
            "tertulia.features.a, line 1: add has a transaction and awaits",
        ),
        (
            awaiting_transaction,
            {
                "tertulia.features.a": "def add(tx: Tx) -> None:\n features.b.create()\n fetch()\n"
                "async def fetch(call): ...",
                "tertulia.features.b": "async def create(call): ...",
            },
            "tertulia.features.a, line 3: add calls the endpoint fetch",
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
        (missing_docstring, {"tertulia.app": "x = 1"}, "tertulia.app has no docstring"),
        (
            missing_contents,
            {
                "tertulia.api.__init__": "",
                "tertulia.app": "from tertulia import api\ndef f(): api.users.add()",
            },
            "tertulia.api.users is called by its full name, but tertulia.api lacks it",
        ),
        (dynamic_module, {"tertulia.app": "def __getattr__(name): ..."}, "has a __getattr__"),
        (dynamic_module, {"tertulia.app": "__getattr__ = load"}, "has a __getattr__"),
        (
            early_import,
            {
                "tertulia.web.saml": "from tertulia.external.sso import saml",
                "tertulia.external.sso.saml": "",
            },
            "tertulia.web.saml, line 1, imports tertulia.external.sso.saml at the top",
        ),
        (busy_package, {"tertulia.api.__init__": '"""Api."""\nx = 1'}, "line 2: a package only"),
        (
            name_with_two_meanings,
            {"tertulia.app": "class Job: ...\nclass _Work: ...", "tertulia.jobs": "class Job: ..."},
            "Job is a class in tertulia.app and in tertulia.jobs",
        ),
        (
            own_thread_pool,
            {"tertulia.app": "import concurrent.futures as threads\nthreads.ThreadPoolExecutor(1)"},
            "tertulia.app has a queue of its own",
        ),
        (
            uncounted_cache,
            {"tertulia.app": "from functools import cache, lru_cache"},
            "tertulia.app has a cache that is not counted",
        ),
    ],
)
def test_a_tree_that_breaks_a_rule_is_refused(rule, tree, complaint):
    modules = {"tertulia.api.users": "", "tertulia.http.__init__": "", "tertulia.actions": ""}

    problems = list(rule(modules | tree))

    assert any(complaint in problem for problem in problems), problems


def test_a_tree_that_keeps_the_rules_is_accepted():
    tree = {
        "tertulia.__init__": "",
        "tertulia.app": '"""All."""\nfrom tertulia import api, config\napi.users.add()',
        "tertulia.config": '"""Settings."""\nimport os',
        "tertulia.log": '"""The log."""',
        "tertulia.api.__init__": '"""The API."""\nimport tertulia.api.names, tertulia.api.users',
        "tertulia.api.users": '"""Users."""\nfrom tertulia.api import names\nf = names.FIRST',
        "tertulia.api.names": '"""Names."""\nimport tertulia.http.auth\ndef f():\n    import os',
        "tertulia.http.auth": '"""Who is it."""',
    }

    assert [problem for rule in RULES for problem in rule(tree)] == []


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
    """The package or module at the top; of the pytest plugin, which lies beside them, its name."""
    return "" if module == "tertulia" else module.removeprefix("tertulia.").split(".")[0]


def graph_of(tree: Tree) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for each in uses(tree):
        if each.module != each.user:
            graph.setdefault(each.user, set()).add(each.module)
    return graph


def uses(tree: Tree) -> list[Use]:
    """All uses in a tree, computed once."""
    key = tuple(tree.items())
    if key not in _known:
        _known[key] = list(find_uses(tree))
    return _known[key]


_known: dict[tuple[tuple[str, str], ...], list[Use]] = {}


def find_uses(tree: Tree) -> Iterator[Use]:
    for name, text in tree.items():
        user = name.removesuffix(".__init__")
        for node, is_hidden in imports(parse(text, name)):
            for target, alias in targets(node, name):
                is_contents = target.startswith(f"{user}.") and name.endswith(".__init__")
                if target.split(".")[0] == "tertulia" and not target.endswith(".__version__"):
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


def test_tests_use_only_the_surface_of_a_running_server():
    """What a test needs is a method of `tests/support/server.py`."""
    problems = [
        f"{path.relative_to(TESTS)}, line {line}: {chain}"
        for path in sorted(TESTS.rglob("*.py"))
        if path.parent.name != "support"
        for line, chain in insides_of_servers(ast.parse(path.read_text()))
    ]

    assert not problems, "\n" + "\n".join(problems)


@pytest.mark.parametrize(
    "text, found",
    [
        ("chat.server.application.delivery.mailboxes", ["chat.server.application"]),
        ("server._application.runner", ["server._application"]),
        ("own_chat.server.database._broadcast.publish", ["own_chat.server.database._broadcast"]),
        ("chat.server.pending()", []),
        ("request.application", []),
    ],
)
def test_a_test_that_reaches_into_a_server_is_found(text, found):
    assert [chain for _, chain in insides_of_servers(ast.parse(text))] == found


def insides_of_servers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The lines and expressions that read a private attribute, or the application, of a server."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            *before, last = ast.unparse(node).split(".")
            if "server" in before and (last.startswith("_") or last == "application"):
                yield node.lineno, ast.unparse(node)


def imports(node: ast.AST, is_hidden: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, is_hidden
        elif not isinstance(child, ast.expr) and not is_for_types(child):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(child, is_hidden or is_function)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


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
    """A docstring, `__all__` or `__version__`."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) in {"__all__", "__version__"}
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_optional(module: str) -> bool:
    """Also the parts of an optional module, such as `postgres_async` and `saml_logout`."""
    return module.startswith(OPTIONAL_MODULES)


def test_every_migration_has_a_number_of_its_own():
    numbers = [each.number for each in schema.migrations()]

    assert len(set(numbers)) == len(numbers)
