"""The package: it holds all that the server needs, and says what it is."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from tertulia import __version__

ROOT = Path(__file__).parents[1]
DOCUMENTS = ".data/data/share/doc/tertulia/"


def test_the_package_and_the_server_are_of_one_version():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert told["version"] == __version__
    assert all(">=" in each for each in told["dependencies"]), "a dependency has no bounds"


def test_the_wheel_holds_every_file_of_the_source_and_what_its_pages_link_to(tmp_path):
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
