"""A campaign: many seeds, each in a process of its own, so that each begins in the same state."""

import argparse
import gc
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from tests.simulation import faults, machine, planted, story
from tests.simulation.faults import Scenario
from tests.simulation.machine import SCHEDULERS
from tests.simulation.world import Outcome, Template, World

MAX_SHRINKING_RUNS = 60
KEPT = Path(__file__).with_name("seeds.txt")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--seed", type=int, help="run this seed, and print its story")
    parser.add_argument(
        "--shrink",
        type=int,
        nargs="?",
        const=MAX_SHRINKING_RUNS,
        default=0,
        help="make a failing --seed smaller, in so many runs",
    )
    parser.add_argument("--kept", action="store_true", help=f"run the seeds of {KEPT.name}")
    parser.add_argument(
        "--planted", nargs="*", choices=list(planted.FAULTS), help="run seeds until these are found"
    )
    options = parser.parse_args(args)
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *args])
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        processors=[_record],
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    base = Path(tempfile.mkdtemp(prefix="simulation-", dir=_memory_folder()))
    try:
        template = Template(base / "template")
        seeds = range(options.first, options.first + options.seeds)
        if options.planted is not None and options.seed is None:
            return _find_planted(template, options.planted or list(planted.FAULTS), seeds, base)
        if options.seed is not None:
            scenario = faults.of_seed(options.seed)
            if options.planted:
                scenario = replace(scenario, planted=options.planted[0])
            outcome = run_apart(template, scenario, base)
            if options.shrink and outcome.problems:
                outcome = _shrink(template, outcome, base, options.shrink)
                print(outcome.scenario)
                print("\n".join(story.essence(outcome)))
            else:
                print("\n".join(outcome.story))
            print(outcome.trace)
            print("\n".join(outcome.problems) or "No law is broken.")
            return bool(outcome.problems)
        return _run_all(template, kept_seeds() if options.kept else list(seeds), base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _record(logger: Any, level: str, entry: Any) -> str:
    """Put the errors that a server logs into the story."""
    SCHEDULERS[-1].log(f"{level}: {entry}")
    return ""


def kept_seeds() -> list[int]:
    """Every seed that ever failed."""
    return [int(line.split()[0]) for line in KEPT.read_text().splitlines() if line[:1].isdigit()]


def _run_all(template: Template, seeds: list[int], base: Path) -> int:
    failed, deaths, messages, answers, virtual, cpu = 0, 0, 0, 0, 0.0, 0.0
    for seed in seeds:
        outcome = run_apart(template, faults.of_seed(seed), base)
        deaths += outcome.deaths
        messages += outcome.messages
        answers += outcome.answers
        virtual += outcome.virtual_seconds
        cpu += outcome.cpu_seconds
        if outcome.problems:
            failed += 1
            print(f"seed {seed}: {len(outcome.problems)} problems")
            for problem in outcome.problems[:3]:
                print(f"    {problem[:300]}")
    print(
        f"{len(seeds)} seeds, {deaths} kills and power cuts, {messages} messages,"
        f" {answers} answers, {virtual / 3600:.1f} hours of virtual time in {cpu:.1f} s of CPU;"
        f" {failed} failed"
    )
    return failed > 0


def _find_planted(template: Template, names: list[str], seeds: range, base: Path) -> int:
    """For each fault: the first seed that breaks a law with it, and none without it."""
    missed = 0
    for name in names:
        for seed in seeds:
            scenario = faults.of_seed(seed)
            if name in planted.SHARED and scenario.servers == 1:
                continue
            with_fault = run_apart(template, replace(scenario, planted=name), base)
            if with_fault.problems and not run_apart(template, scenario, base).problems:
                print(f"{name}: found by seed {seed}: {with_fault.problems[0][:150]}", flush=True)
                break
        else:
            missed += 1
            print(f"{name}: not found by {len(seeds)} seeds", flush=True)
    print(f"{len(names) - missed} of {len(names)} planted faults were found")
    return missed > 0


def _shrink(template: Template, failed: Outcome, base: Path, max_runs: int) -> Outcome:
    """Remove parts of a scenario while it breaks the same law."""
    law = story.law_of(failed)
    waiting = faults.smaller(failed.scenario)
    for _ in range(max_runs):
        scenario = next(waiting, None)
        if scenario is None:
            break
        outcome = run_apart(template, scenario, base)
        if story.law_of(outcome) == law:
            failed, waiting = outcome, faults.smaller(scenario)
    return failed


def _memory_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def run_apart(template: Template, scenario: Scenario, base: Path) -> Outcome:
    """Run a scenario in a fork of this process."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        receiving.close()
        gc.disable()  # what died must not be finalized
        began = machine.cpu_seconds()
        if scenario.planted:
            planted.FAULTS[scenario.planted]()
        world = World(template, scenario, base / f"run-{os.getpid()}")
        outcome = world.run()
        outcome.cpu_seconds = machine.cpu_seconds() - began
        sending.send(outcome)
        sending.close()
        os._exit(0)
    sending.close()
    try:
        found: Outcome = receiving.recv()
    except EOFError:
        found = Outcome(scenario, ["the simulator crashed"])
    os.waitpid(child, 0)
    shutil.rmtree(base / f"run-{child}", ignore_errors=True)
    return found
