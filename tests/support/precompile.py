"""Precompiles the tests on a fresh clone, once, instead of in each worker.

Pytest rewrites and compiles every test module in each worker, which takes seconds. So each worker
compiles its share before collection.
"""

import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

TESTS = Path(__file__).parents[1]


def precompile_share(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    number, workers = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in sorted(TESTS.rglob("test_*.py"))[number::workers]:
        _compile(path, config)


def _compile(path: Path, config: pytest.Config) -> None:
    folder = rewrite.get_cache_dir(path)
    folder.mkdir(parents=True, exist_ok=True)
    compiled = folder / (path.name.removesuffix(".py") + rewrite.PYC_TAIL)
    if rewrite._read_pyc(path, compiled) is None:
        digest, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, digest, compiled)
