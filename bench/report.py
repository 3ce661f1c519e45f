"""The table that `make bench` prints."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Table:
    """Rows are printed as soon as they are known."""

    width: int = field(default=46)

    def title(self, words: str) -> None:
        print(f"\n{words}", flush=True)

    def row(self, what: str, value: str, note: str = "") -> None:
        print(f"  {what:<{self.width}}{value:>14}   {note}".rstrip(), flush=True)


def per_second(value: float) -> str:
    return f"{value:,.0f} /s"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def megabytes(size: float) -> str:
    return f"{size / 1e6:.1f} MB"


def budget(value: float, limit: float, words: str) -> str:
    return f"budget {words}" if value <= limit else f"OVER the budget of {words}"
