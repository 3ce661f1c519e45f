"""Links, paths and names in the Markdown pages exist.

Pages for contributors name files and code. A page that names something that was moved or renamed
fails here. Pages in docs/decisions are dated and keep the names of their time.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/tertulia"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
FOR_CONTRIBUTORS = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs/architecture.md",
    ROOT / "docs/performance.md",
    *ROOT.glob("docs/internals/*.md"),
]
TEXT_SUFFIXES = {".py", ".js", ".ts", ".sql", ".txt", ".html", ".toml", ".css"}

FENCES = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.-]+/[\w./-]*|[\w.-]+\.(?:py|js|md|txt|toml|sh|css|html)")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
IDENTIFIER = re.compile(r"[A-Za-z]*_\w+|[A-Z][a-z]+(?:[A-Z][a-z]+)+")
NOT_OURS = re.compile(r"NNNN_|KIND\.|build/|tertulia\.toml|Sec-Fetch|TERTULIA_\*|\.venv")


def _relative(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=_relative)
def test_relative_links_exist(page):
    text = FENCES.sub("", page.read_text(encoding="utf-8"))

    dead = []
    for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        linked = (page.parent / target).resolve() if target else page
        if not linked.exists():
            dead.append(target)
        elif anchor and linked.suffix == ".md" and anchor not in _anchors(linked):
            dead.append(f"{target}#{anchor}")

    assert not dead


@pytest.mark.parametrize("page", FOR_CONTRIBUTORS, ids=_relative)
def test_paths_and_names_exist(page):
    missing = [name for name in _named_in(page) if not _exists(name)]

    assert not missing, f"{_relative(page)} names what is not in the code"


@pytest.mark.parametrize(
    "name",
    [
        "storage/no_such.py",
        "no_such.py",
        "storage.no_such.find",
        "storage.queues.no_such_name",
        "Tx.later",  # both words are in the module of the class, which has no such method
    ],
)
def test_a_name_that_is_not_in_the_code_is_found(name):
    assert not _exists(name)


def test_the_architecture_page_lists_every_part_of_the_server():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    parts = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in SOURCE.iterdir()
        if (path.is_dir() or path.suffix == ".py") and not path.name.startswith("__")
    }

    missing = sorted(part for part in parts if f"`{part}`" not in page)

    assert not missing, "docs/architecture.md, the table of parts, lacks these"


def test_the_page_of_fair_queues_lists_every_queue():
    page = (ROOT / "docs/internals/fair-queue.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    queues = set(re.findall(r"FairQueue\(\s*\"(\w+)\"", source))

    assert len(queues) > 10
    assert not {name for name in queues if f"`{name}`" not in page}


def test_every_page_is_in_the_list_of_its_folder():
    for folder in (".", "internals", "decisions"):
        contents = (ROOT / "docs" / folder / "README.md").read_text(encoding="utf-8")
        pages = {path.name for path in (ROOT / "docs" / folder).glob("*.md")} - {"README.md"}

        assert not {name for name in pages if f"({name})" not in contents}


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in headings}


def _named_in(page: Path) -> list[str]:
    text = FENCES.sub("", page.read_text(encoding="utf-8"))
    found = {name.removesuffix("()") for name in IN_BACKTICKS.findall(text)}
    return sorted(
        name
        for name in found
        if (PATH.fullmatch(name) or DOTTED.fullmatch(name) or IDENTIFIER.fullmatch(name))
        and not NOT_OURS.search(name)
    )


def _exists(name: str) -> bool:
    if PATH.fullmatch(name):
        if "/" not in name:
            return name in _file_names()
        return (ROOT / name).exists() or (SOURCE / name).exists()
    first, _, rest = name.partition(".")
    if rest and (SOURCE / first).is_dir():
        return _is_in_module(SOURCE / first, rest.split("."))
    if rest and first in _members():
        return rest.split(".")[0] in _members()[first]
    words = set(name.split("."))
    return any(words <= known for known in _words_by_file().values())


def _is_in_module(package: Path, names: list[str]) -> bool:
    """Whether `names` lead from a package through modules to something that is defined there."""
    for count, name in enumerate(names):
        if (package / name).is_dir():
            package = package / name
            continue
        module = package / f"{name}.py"
        if module.exists():
            return not names[count + 1 :] or names[count + 1] in _defined_in(module)
        return name in _defined_in(package / "__init__.py")
    return True


@cache
def _defined_in(module: Path) -> set[str]:
    names = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@cache
def _members() -> dict[str, set[str]]:
    """The methods and fields of our classes, by the name of the class."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(each, ast.ClassDef):
                found.setdefault(each.name, set()).update(_members_of(each))
    return found


def _members_of(kind: ast.ClassDef) -> set[str]:
    names = set()
    for node in ast.walk(kind):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            names.add(node.attr)
    return names


@cache
def _text_files() -> list[Path]:
    folders = [SOURCE, *(ROOT / name for name in ("tests", "bench", "scripts"))]
    found = [path for folder in folders for path in folder.rglob("*")]
    return [
        path
        for path in found
        if path.suffix in TEXT_SUFFIXES and path.is_file() and path != Path(__file__)
    ]


@cache
def _file_names() -> set[str]:
    return {path.name for path in (*_text_files(), *ROOT.iterdir(), *ROOT.glob("docs/**/*.md"))}


@cache
def _words_by_file() -> dict[Path, set[str]]:
    return {path: set(re.findall(r"\w+", path.read_text("utf-8"))) for path in _text_files()}


def test_all_pages_have_one_figure_for_the_memory_of_a_server():
    claims = (
        r"(\d+) MB process|process of about (\d+) MB|worker needs about (\d+) MB"
        r"|empty server \| (\d+) MB of memory|idle server[^|]*\|[^|]*\| (\d+) MB"
    )
    pages = [page.read_text(encoding="utf-8") for page in PAGES if "decisions" not in page.parts]

    found = [figure for page in pages for each in re.findall(claims, page) for figure in each]

    assert {*found} - {""} == {"60"}
    assert len([figure for figure in found if figure]) >= 5
