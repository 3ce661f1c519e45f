"""`.ci/run` fails if a test fails, and repeats nothing."""

import os
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / ".ci/run"
PROGRAM = """#!/bin/sh
echo "$(basename "$0") $1" >> "$CALLS"
echo "SKIPPED [1] tests/test_acme.py:1: a reason"
[ "$1" != "$FAILS" ]
"""


ALL = ["check", "test", "simulate"]


@pytest.mark.parametrize(
    "fails, calls", [("", ALL), ("check", ["check"]), ("test", ALL), ("simulate", ALL)]
)
def test_ci_fails_with_what_it_runs_and_repeats_nothing(tmp_path, fails, calls):
    for name in ("make", "apt-get", "npm"):
        (tmp_path / name).write_text(PROGRAM)
        (tmp_path / name).chmod(0o755)
    made = tmp_path / "calls"
    path = f"{tmp_path}:{os.environ['PATH']}"

    done = subprocess.run(
        [RUN],
        env=os.environ | {"PATH": path, "FAILS": fails, "CALLS": str(made)},
        capture_output=True,
        text=True,
    )

    # A new seed of the simulator is reported and does not decide: that would depend on luck.
    assert (done.returncode == 0) == (fails in ("", "simulate")), done.stdout
    assert ("A new seed failed" in done.stdout) == (fails == "simulate")
    lines = made.read_text().splitlines()
    assert [each for each in lines if each.startswith("make")] == [f"make {each}" for each in calls]
