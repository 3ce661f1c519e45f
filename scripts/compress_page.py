"""compress_page.py FOLDER: compress the page's files with brotli. `make release` runs it.

Node compresses. esbuild, if it is there, first makes scripts smaller: it renames what is local to
a file. Without Node the package has no such files, and servers use gzip, as in a checkout.
"""

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tertulia.locale import LANGUAGES
from tertulia.web.assets import build

COMPRESS = """
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { brotliCompressSync } = require("node:zlib");
const [from, to] = process.argv.slice(1);
for (const name of readdirSync(from))
  writeFileSync(`${to}/${name}.br`, brotliCompressSync(readFileSync(`${from}/${name}`)));
"""
MINIFY = ("--minify", "--format=esm", "--target=es2023", "--log-level=warning", "--allow-overwrite")


def main(folder: Path) -> int:
    node, esbuild = shutil.which("node"), shutil.which("esbuild")
    if node is None:
        print("No node here: the files of the page are compressed with gzip only.", file=sys.stderr)
        return 0
    with tempfile.TemporaryDirectory() as place:
        for language in LANGUAGES:
            for asset in build(language):
                (Path(place) / asset.name).write_bytes(gzip.decompress(asset.compressed))
        if esbuild is None:
            print("No esbuild here: the page's scripts keep their long names.", file=sys.stderr)
        else:
            scripts = [str(each) for each in sorted(Path(place).glob("*.js"))]
            subprocess.run([esbuild, *scripts, *MINIFY, f"--outdir={place}"], check=True)
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([node, "--eval", COMPRESS, place, str(folder)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
