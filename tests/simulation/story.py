"""The story of a failed run: what went wrong, in as few lines as a person wants to read."""

import re

from tests.simulation.world import Outcome

MAX_LINES = 20
_NAME = re.compile(r"\w*\d\w*")  # marks of things, and numbers


def law_of(outcome: Outcome) -> str:
    """The broken law, without what it was broken by; empty if none is broken."""
    return _NAME.sub("", outcome.problems[0])[:40] if outcome.problems else ""


def essence(outcome: Outcome) -> list[str]:
    """The lives of the server and its faults, and the last calls, without repetitions, about
    what the law names."""
    names = set(_NAME.findall(outcome.problems[0])) if outcome.problems else set()
    faults = [number for number, line in enumerate(outcome.story) if not _is_call(line)]
    about: list[int] = []
    for number, line in enumerate(outcome.story):
        text = _without_time(line)
        is_repeated = about and _without_time(outcome.story[about[-1]]) == text
        if _is_call(line) and not is_repeated and names & set(_NAME.findall(text[1:])):
            about.append(number)
    kept = faults[-MAX_LINES // 2 :]
    kept += about[len(kept) - MAX_LINES :]
    return [outcome.story[number] for number in sorted(kept)]


def _is_call(line: str) -> bool:
    return line.split()[1].isdigit()


def _without_time(line: str) -> str:
    return " ".join(line.split()[1:])
