"""A campaign: many seeds, each in a process of its own, so that each begins in the same state."""

import argparse
import gc
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import structlog
from tests.simulation import faults, machine
from tests.simulation.faults import Scenario
from tests.simulation.machine import SCHEDULERS
from tests.simulation.world import Outcome, Template, World

KEPT = Path(__file__).with_name("seeds.txt")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--seed", type=int, help="run this seed, and print its story")
    parser.add_argument("--kept", action="store_true", help=f"run the seeds of {KEPT.name}")
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
        if options.seed is not None:
            outcome = run_apart(template, faults.of_seed(options.seed), base)
            print("\n".join(outcome.story))
            print(outcome.trace)
            print("\n".join(outcome.problems) or "No law is broken.")
            return bool(outcome.problems)
        seeds = range(options.first, options.first + options.seeds)
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
