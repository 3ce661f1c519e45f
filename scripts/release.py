"""release.py [FOLDER]: everything that a release consists of, in dist/. It publishes nothing.

sdist, wheel, container context, release notes from CHANGELOG.md, and SHA256SUMS over all of them.
Two runs on one commit give the same files: times are those of the commit.
"""

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONTEXT = ("packaging/Containerfile", "requirements.txt", "pyproject.toml", "README.md")
CONTEXT_FOLDERS = ("src", "scripts")
BUILD = "import sys; from setuptools import build_meta as b; b.build_{}(sys.argv[1])"


def main(folder: Path) -> int:
    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty; delete it first.", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    version = _version()
    seconds = _commit_seconds()
    os.environ["SOURCE_DATE_EPOCH"] = str(seconds)
    with tempfile.TemporaryDirectory() as checkout:
        _copy_tracked(Path(checkout))
        _build("sdist", folder, checkout)
        _compress_page(Path(checkout))
        _build("wheel", folder, checkout)
    _write_context(folder / f"tertulia-{version}-container.tar.gz", seconds)
    (folder / "RELEASE_NOTES.md").write_text(notes(version), encoding="utf-8")
    _write_checksums(folder)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path}")
    if _git("status", "--porcelain", "--untracked-files=no"):
        print("Changes that are not committed are in these files.", file=sys.stderr)
    return 0


def _build(kind: str, folder: Path, checkout: str) -> None:
    command = [sys.executable, "-c", BUILD.format(kind), str(folder.absolute())]
    subprocess.run(command, cwd=checkout, check=True, stdout=subprocess.DEVNULL)


def _compress_page(checkout: Path) -> None:
    script, target = "scripts/compress_page.py", checkout / "src/tertulia/web/static/brotli"
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, script, str(target)]
    subprocess.run(command, cwd=checkout, env=environment, check=True)


def notes(version: str) -> str:
    """The section of a version in CHANGELOG.md, or the unreleased one."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name in (version, "Unreleased"):
        found = re.search(
            rf"^## \[{re.escape(name)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.DOTALL | re.MULTILINE
        )
        if found is not None:
            return f"# Tertulia {version}\n\n{found[1].strip()}\n"
    raise SystemExit(f"CHANGELOG.md has no section for {version}.")


def _copy_tracked(folder: Path) -> None:
    """Copy the tracked files, without leftovers of other builds."""
    for name in _git("ls-files").splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def _write_context(path: Path, seconds: int) -> None:
    """The files that `podman build` needs, and no others."""
    listed = _git("ls-files", *CONTEXT, *CONTEXT_FOLDERS).splitlines()
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, seconds) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name in sorted(listed):
            content = (ROOT / name).read_bytes()
            about = tarfile.TarInfo(f"tertulia/{name}")
            about.size, about.mtime, about.mode = len(content), seconds, 0o644
            archive.addfile(about, io.BytesIO(content))


def _write_checksums(folder: Path) -> None:
    sums = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def _version() -> str:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found: list[str] = re.findall(r'^version = "([^"]+)"$', text, re.MULTILINE)
    return found[0]


def _commit_seconds() -> int:
    return int(_git("log", "-1", "--format=%ct") or 0)


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist")))
