"""Progress output: one updating line at a terminal, otherwise a line for every 10 percent."""

import sys
import time

import click

LINE_SECONDS = 0.1  # between two updates of the line
QUIET = "tertulia.quiet"


def _remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    context.meta[QUIET] = value


quiet = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_remember,
    help="Print only results, warnings and errors.",
)


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def inform(text: str) -> None:
    """Print a hint, unless the command is quiet."""
    if not is_quiet():
        click.echo(text, err=True)


class Progress:
    def __init__(self, total: int, noun: str) -> None:
        self._total = total
        self._noun = noun
        self._begun = self._shown = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._is_quiet = is_quiet()
        self._tenths = 0

    def show(self, done: int) -> None:
        if self._is_quiet:
            return
        share = done / max(1, self._total)
        words = f"{done:,} of {self._total:,} {self._noun}, {share:.0%}, {self._taken():.0f} s"
        if self._is_terminal:
            if time.monotonic() > self._shown + LINE_SECONDS:
                self._shown = time.monotonic()
                click.echo(f"\r{words}", nl=False, err=True)
        elif int(10 * share) > self._tenths:
            self._tenths = int(10 * share)
            click.echo(words, err=True)

    def end(self) -> None:
        line = "\r" if self._is_terminal else ""
        inform(f"{line}{self._total:,} {self._noun} in {self._taken():.0f} s.{' ' * 20}")

    def _taken(self) -> float:
        return time.monotonic() - self._begun
