"""Whole servers in the simulator: fixed seeds, and every seed that ever failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def simulate(*args: str, fails: bool = False) -> str:
    """The output of the simulator, in a process of its own: it replaces clocks and threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *args],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout


@pytest.mark.on_one
def test_no_law_is_broken_under_kills_and_power_cuts():
    assert " 0 failed" in simulate("--first", "55", "--seeds", "5")


@pytest.mark.on_one
@pytest.mark.thorough
def test_every_seed_that_ever_failed_breaks_no_law():
    assert " 0 failed" in simulate("--kept")


@pytest.mark.on_one
def test_a_seed_has_the_same_story_in_another_process():
    assert simulate("--seed", "56") == simulate("--seed", "56")


@pytest.mark.on_one
def test_the_laws_find_planted_faults():
    faults = ["key-forgotten", "lost-commit", "answer-before-commit"]
    found = simulate("--planted", *faults, "--first", "55", "--seeds", "5")

    assert "3 of 3 planted faults were found" in found


@pytest.mark.on_one
def test_a_failing_seed_has_a_story_that_a_person_can_read():
    told = simulate("--seed", "55", "--planted", "key-forgotten", "--shrink", "2", fails=True)

    story = [line for line in told.splitlines() if line[:10].strip().replace(".", "").isdigit()]
    assert 2 <= len(story) <= 20
    assert any("is dead: kill" in line for line in story)
