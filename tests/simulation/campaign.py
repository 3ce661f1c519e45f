"""A campaign: many seeds, each in a process of its own, so that each begins in the same state."""

import argparse
import gc
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from tests.simulation import faults, machine, planted, story
from tests.simulation.faults import Scenario
from tests.simulation.machine import SCHEDULERS
from tests.simulation.world import Outcome, Template, World

MAX_SHRINKING_RUNS = 60
PROGRESS_SEEDS = 100
KEPT = Path(__file__).with_name("seeds.txt")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to run")
    parser.add_argument("--first", type=int, default=1, help="the first of them")
    parser.add_argument("--new", action="store_true", help="begin with a seed nobody has run")
    parser.add_argument("--seconds", type=float, help="begin no seed after this time")
    parser.add_argument("--jobs", type=int, default=1, help="how many seeds to run at once")
    parser.add_argument("--seed", type=int, help="run this seed, and print its story")
    parser.add_argument(
        "--shrink",
        type=int,
        nargs="?",
        const=MAX_SHRINKING_RUNS,
        default=0,
        help="make a failing --seed smaller, in so many runs",
    )
    parser.add_argument(
        "--disk-errors", action="store_true", help="fail each write and each sync of a run in turn"
    )
    parser.add_argument("--disk-error", help='one of these runs, for example "EIO sync 7"')
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
        gc.disable()  # what died must not be finalized
        template = Template(base / "template")
        World(template, faults.WARM_UP, base / "warm-up").run()
        first = int(machine.real_time()) * 10 if options.new else options.first
        seeds = range(first, first + options.seeds)
        if options.planted is not None and options.seed is None:
            return _find_planted(template, options.planted or list(planted.FAULTS), seeds, base)
        if options.disk_errors:
            plain = run_apart(template, faults.with_disk_error(options.first), base)
            _print_problems(plain)
            scenarios = list(faults.every_disk_error(options.first, plain.disk))
            return _run_all(template, scenarios, base, options.jobs, options.seconds)
        if options.seed is not None:
            scenario = faults.of_seed(options.seed)
            if options.disk_error:
                error = faults.disk_error(options.disk_error)
                scenario = faults.with_disk_error(options.seed, error)
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
        chosen = [faults.of_seed(seed) for seed in (kept_seeds() if options.kept else seeds)]
        return _run_all(template, chosen, base, options.jobs, options.seconds)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _record(logger: Any, level: str, entry: Any) -> str:
    """Put the errors that a server logs into the story."""
    SCHEDULERS[-1].log(f"{level}: {entry}")
    return ""


def kept_seeds() -> list[int]:
    """Every seed that ever failed."""
    return [int(line.split()[0]) for line in KEPT.read_text().splitlines() if line[:1].isdigit()]


def _run_all(
    template: Template, scenarios: list[Scenario], base: Path, jobs: int, seconds: float | None
) -> int:
    print(f"seeds from {scenarios[0].seed} on; --seed repeats one", flush=True)
    began = machine.real_time()
    waiting, running, outcomes = deque(scenarios), deque[Run](), list[Outcome]()
    while waiting or running:
        if seconds is not None and machine.real_time() - began > seconds:
            waiting.clear()
        while waiting and len(running) < jobs:
            running.append(Run(template, waiting.popleft(), base))
        if running:
            outcomes.append(running.popleft().finish())
            _print_problems(outcomes[-1])
            outcomes[-1].story.clear()
        if len(outcomes) % PROGRESS_SEEDS == 0:
            print(_summary(outcomes), flush=True)
    print(_summary(outcomes))
    return any(each.problems for each in outcomes)


def _summary(outcomes: list[Outcome]) -> str:
    def total(name: str) -> Any:
        return sum(getattr(each, name) for each in outcomes)

    return (
        f"{len(outcomes)} seeds, {total('servers')} servers, {total('kills')} kills,"
        f" {total('power_cuts')} power cuts, {total('messages')} messages,"
        f" {total('scheduled')} of them scheduled, {total('answers')} answers,"
        f" {total('virtual_seconds') / 86_400:.0f} days of virtual time"
        f" in {total('cpu_seconds'):.0f} s of CPU;"
        f" {sum(bool(each.problems) for each in outcomes)} failed"
    )


def _print_problems(outcome: Outcome) -> None:
    if outcome.problems:
        scenario = outcome.scenario
        errors = [str(life.disk_error) for life in scenario.lives if life.disk_error is not None]
        of = ", ".join([f"seed {scenario.seed}", *errors])
        print(f"{of}: {len(outcome.problems)} problems", flush=True)
        for problem in outcome.problems[:3]:
            print(f"    {problem[:300]}", flush=True)


def _find_planted(template: Template, names: list[str], seeds: range, base: Path) -> int:
    """For each fault: the first seed that breaks a law with it, and none without it."""
    missed = 0
    fails_anyway: dict[int, bool] = {}
    for name in names:
        scenarios = [faults.of_seed(seed) for seed in seeds]
        tried = [each for each in scenarios if planted.can_show(name, each)]
        for number, scenario in enumerate(tried, 1):
            problems = run_apart(template, replace(scenario, planted=name), base).problems
            if not problems:
                continue
            seed = scenario.seed
            if seed not in fails_anyway:
                fails_anyway[seed] = bool(run_apart(template, scenario, base).problems)
            if not fails_anyway[seed]:
                found = f"found by seed {seed}, the {number}. that can show it"
                print(f"{name}: {found}: {problems[0][:150]}", flush=True)
                break
        else:
            missed += 1
            print(f"{name}: not found by {len(seeds)} seeds, {len(tried)} tried", flush=True)
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
    return Run(template, scenario, base).finish()


class Run:
    """A scenario that runs in a fork of this process."""

    def __init__(self, template: Template, scenario: Scenario, base: Path) -> None:
        self._scenario, self._base = scenario, base
        self._receiving, sending = multiprocessing.Pipe(duplex=False)
        sys.stdout.flush()
        self._child = os.fork()
        if self._child == 0:
            self._receiving.close()
            sending.send(_played(template, scenario, base / f"run-{os.getpid()}"))
            sending.close()
            os._exit(0)
        sending.close()

    def finish(self) -> Outcome:
        """Wait for its end."""
        try:
            found: Outcome = self._receiving.recv()
        except EOFError:
            found = Outcome(self._scenario, ["the simulator crashed"])
        os.waitpid(self._child, 0)
        shutil.rmtree(self._base / f"run-{self._child}", ignore_errors=True)
        return found


def _played(template: Template, scenario: Scenario, folder: Path) -> Outcome:
    began = machine.cpu_seconds()
    if scenario.planted:
        planted.FAULTS[scenario.planted]()
    outcome = World(template, scenario, folder).run()
    outcome.cpu_seconds = machine.cpu_seconds() - began
    return outcome
