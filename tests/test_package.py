"""The package: it holds all that the server needs, and says what it is."""

import hashlib
import os
import pty
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.support import missing_modules
from tests.support.cli_runner import clean_environment
from tests.support.missing_modules import EXTRAS

from tertulia import __version__
from tertulia.cli import selftest
from tertulia.web.assets import build

ROOT = Path(__file__).parents[1]
MAX_INSTALLED_MIB = 110
MAX_DEPENDENCIES_MIB = 60
BUILD_FILES = {".pyc", ".c", ".h", ".pyx", ".pxd"}
DOCUMENTS = ".data/data/share/doc/tertulia/"


def test_the_package_has_the_version_of_the_server():
    found = _project()

    assert found["version"] == __version__
    assert all(">=" in each for each in found["dependencies"]), "a dependency has no bounds"


@pytest.mark.thorough
def test_the_wheel_contains_every_source_file_and_linked_page(tmp_path):
    subprocess.run(["cp", "-r", *map(str, _needed()), str(tmp_path)], check=True)
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)

    (wheel,) = (tmp_path / "dist").glob("tertulia-*.whl")
    with zipfile.ZipFile(wheel) as package:
        packed = set(package.namelist())
        about = package.read(f"tertulia-{__version__}.dist-info/METADATA").decode()

    missing = _sources() - packed
    assert not missing, f"pyproject.toml, package-data: {sorted(missing)}"
    assert "# Tertulia" in about
    pages = {each.partition(DOCUMENTS)[2] for each in packed if DOCUMENTS in each}
    dead = {link for page in pages if page.endswith(".md") for link in _links(page)} - pages
    assert "docs/getting-started.md" in pages
    assert not dead, f"pyproject.toml, data-files: {sorted(dead)}"


def _project() -> dict[str, Any]:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, Any] = about["project"]
    return found


def disk_usage(folder: Path) -> int:
    """Bytes of all files, in whole blocks, as `du` counts them."""
    return sum(each.lstat().st_blocks * 512 for each in folder.rglob("*"))


def _needed() -> list[Path]:
    documents = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "packaging")
    return [ROOT / name for name in ("pyproject.toml", "README.md", "src", *documents)]


def _links(page: str) -> set[str]:
    """The files that a page leads to, seen from the root."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", text)
    return {
        (ROOT / page).parent.joinpath(each).resolve().relative_to(ROOT).as_posix() for each in found
    }


def _sources() -> set[str]:
    files = (ROOT / "src" / "tertulia").rglob("*")
    return {
        path.relative_to(ROOT / "src").as_posix()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }


# --- make install ---

FAKE_PIP = r"""
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

command, *words = sys.argv[1:]
if command == "wheel":
    folder = Path(words[words.index("--wheel-dir") + 1])
    folder.mkdir(exist_ok=True)
    pins = Path(words[-1]).read_text()
    for name in re.findall(r"^(\w+)==1.0 .*\n +--hash=x", pins, re.MULTILINE):
        print(f"Collecting {name}==1.0 (from -r requirements.txt (line 1))")
        (folder / f"{name}-1.0-py3-none-any.whl").touch()
else:
    names = sorted(Path(word).name.partition("-")[0] for word in words if word.endswith(".whl"))
    Path(__file__).with_name("installed").write_text(" ".join(names))
print("ERROR: there is no room")
sys.exit(command == "FAILING")
"""


@pytest.fixture
def pip(tmp_path: Path) -> dict[str, str]:
    """An environment with a pip that only says what it would do, and a package that is there."""
    (tmp_path / "pip.py").write_text(FAKE_PIP, encoding="utf-8")
    pins = [f"{name}==1.0 \\\n    --hash=x\n    # via\n" for name in ("alpha", "beta", "gamma")]
    (tmp_path / "requirements.txt").write_text("".join(pins), encoding="utf-8")
    there = tmp_path / "gamma-1.0.dist-info"
    there.mkdir()
    (there / "METADATA").write_text("Metadata-Version: 2.1\nName: gamma\nVersion: 1.0\n")
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


def installs(tmp_path: Path) -> list[str]:
    return [sys.executable, str(ROOT / "scripts/install.py"), str(tmp_path / "requirements.txt")]


def test_installing_fetches_what_is_missing_and_shows_progress_without_a_terminal(tmp_path, pip):
    done = subprocess.run(installs(tmp_path), env=pip, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "  2 of 2 packages: unpacking\n"
    assert (tmp_path / "installed").read_text() == "alpha beta"


def test_installing_redraws_one_line_at_a_terminal(tmp_path, pip):
    leader, follower = pty.openpty()
    subprocess.run(installs(tmp_path), env=pip, stdout=follower, check=True)
    shown = os.read(leader, 10_000).decode()

    lines = [each.strip() for each in shown.split("\r\x1b[K") if each]
    assert [each.partition(":")[0] for each in lines] == [
        "1 of 2 packages",
        "2 of 2 packages",
        "2 of 2 packages",
    ]
    assert {each.partition(": ")[2] for each in lines} == {"alpha", "beta", "unpacking"}


@pytest.mark.parametrize("command", ["wheel", "install"])
def test_a_failed_installation_shows_the_output_of_pip(tmp_path, pip, command):
    (tmp_path / "pip.py").write_text(FAKE_PIP.replace("FAILING", command), encoding="utf-8")

    done = subprocess.run(installs(tmp_path), env=pip, capture_output=True, text=True)

    assert done.returncode == 1
    assert "ERROR: there is no room" in done.stderr
    assert (tmp_path / "installed").exists() == (command == "install")


# --- extras ---

LDAP = """
[[ldap]]
name = "corp"
url = "ldap://127.0.0.1:1"
base = "dc=example,dc=com"
"""


def test_the_extra_for_everything_has_all_others():
    extras = _project()["optional-dependencies"]
    everything = extras.pop("all")
    assert sorted(everything) == sorted({each for some in extras.values() for each in some})
    assert set(extras) == set(EXTRAS.values())


def test_the_dependencies_without_extras_are_small():
    """Without bytecode, and as `make install` leaves them: without symbols for debuggers.

    The whole package is measured in a fresh environment, below.
    """
    names = {re.split(r"[^\w-]", each)[0] for each in _project()["dependencies"]}
    sizes: dict[str, int] = {}
    while names:
        name = names.pop()
        package = metadata.distribution(name)
        files = [Path(str(package.locate_file(each))) for each in package.files or []]
        sizes[name] = sum(
            path.stat().st_size
            for path in files
            if path.is_file() and path.suffix not in BUILD_FILES
        )
        needed = map(Requirement, package.requires or [])
        names |= {
            canonicalize_name(each.name)
            for each in needed
            if each.marker is None or each.marker.evaluate({"extra": ""})
        } - sizes.keys()

    assert sum(sizes.values()) <= MAX_DEPENDENCIES_MIB << 20, sizes
    assert not set(sizes) & set(EXTRAS)


@pytest.mark.parametrize(
    ("module", "words", "settings"),
    [
        ("psycopg", ["user", "list", "--database", "postgresql://127.0.0.1/x"], ""),
        ("ldap3", ["serve", "--port", "0"], LDAP),
    ],
)
def test_a_setting_that_needs_an_extra_names_it(tmp_path, module, words, settings):
    (tmp_path / "tertulia.toml").write_text(settings, encoding="utf-8")
    options = ["--config", str(tmp_path / "tertulia.toml"), "--data", str(tmp_path / "data")]
    run = f"from tertulia.cli import main; main({[*words, *options]!r})"
    environment = clean_environment(PYTHONPATH=missing_modules.hide(tmp_path, module))

    done = subprocess.run(
        [sys.executable, "-c", run], env=environment, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert f"pip install 'tertulia[{EXTRAS[module]}]'" in done.stderr
    assert "Traceback" not in done.stderr


# --- make release ---


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("a release is built from a git checkout")
    folder = tmp_path_factory.mktemp("release") / "dist"
    command = [sys.executable, str(ROOT / "scripts/release.py"), str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.mark.thorough
def test_a_release_has_packages_context_notes_and_checksums(release):
    names = {path.name for path in release.iterdir()}
    sums = dict(
        reversed(line.split("  ")) for line in (release / "SHA256SUMS").read_text().splitlines()
    )

    assert names == {
        f"tertulia-{__version__}.tar.gz",
        f"tertulia-{__version__}-py3-none-any.whl",
        f"tertulia-{__version__}-container.tar.gz",
        "RELEASE_NOTES.md",
        "SHA256SUMS",
    }
    for name in names - {"SHA256SUMS"}:
        assert sums[name] == hashlib.sha256((release / name).read_bytes()).hexdigest()
    assert (release / "RELEASE_NOTES.md").read_text().startswith(f"# Tertulia {__version__}\n\n")


@pytest.mark.thorough
def test_the_container_context_holds_what_the_containerfile_copies(release):
    with tarfile.open(release / f"tertulia-{__version__}-container.tar.gz") as context:
        files = {each.removeprefix("tertulia/") for each in context.getnames()}
    text = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")

    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert any(each == source or each.startswith(f"{source}/") for each in files), source


@pytest.mark.thorough
def test_the_wheel_has_the_files_of_the_page_made_smaller_by_brotli(release):
    if shutil.which("node") is None:
        pytest.skip("needs Node (apt-get install nodejs)")

    with zipfile.ZipFile(release / f"tertulia-{__version__}-py3-none-any.whl") as wheel:
        packed = {each.filename: each.file_size for each in wheel.infolist()}

    for asset in build("ar"):
        size = packed[f"tertulia/web/static/brotli/{asset.name}.br"]
        assert 0 < size < len(asset.compressed)


@pytest.mark.thorough
def test_the_wheel_passes_the_self_test(release, tmp_path):
    with zipfile.ZipFile(release / f"tertulia-{__version__}-py3-none-any.whl") as wheel:
        wheel.extractall(tmp_path)
    # Without the libraries of the extras, as the plain wheel is installed.
    done = subprocess.run(
        [sys.executable, "-c", "from tertulia.cli import main; main(['selftest'])"],
        env=clean_environment(PYTHONPATH=missing_modules.hide(tmp_path, *EXTRAS)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    steps = [line.split("  ")[0].strip() for line in done.stdout.splitlines()[:-1]]
    assert steps == ["start", "first owner", "first message", "restart", "backup", "restore"]


@pytest.mark.soak
def test_the_wheel_in_a_fresh_environment_is_small_and_passes_the_self_test(release, tmp_path):
    """As with `pip install tertulia`: bytecode counts, pip and setuptools do not."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path)], check=True)
    python, (wheel,) = tmp_path / "bin" / "python", release.glob("*.whl")
    before = disk_usage(tmp_path)
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", wheel], capture_output=True, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"pip cannot install packages here: {done.stderr.splitlines()[-1]}")
    used = disk_usage(tmp_path) - before
    tried = subprocess.run(
        [tmp_path / "bin" / "tertulia", "selftest"],
        env=clean_environment(),
        capture_output=True,
        text=True,
    )

    assert used <= MAX_INSTALLED_MIB << 20
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert "The self-test passed" in tried.stdout


def test_a_failed_self_test_says_why(monkeypatch):
    monkeypatch.setattr(selftest, "COMMAND", [sys.executable, "-c", "print('no'); exit(3)"])
    done = CliRunner().invoke(selftest.selftest)

    assert done.exit_code == 1
    assert "the server did not start" in done.output
