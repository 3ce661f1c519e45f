"""Results: as a table, as JSON, and compared with budgets.

Times depend on the machine. So budgets are in bare replies, measured in the same run: how often the
HTTP server could have answered with nothing in the CPU time of our answer.
"""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

NOISE = 1.25  # a budget that is missed by less may be missed because of other work


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    value: float  # in the shown unit
    unit: str
    cpu_ms: float | None = None
    bare_replies: float | None = None  # of CPU time
    wanted: float | None = None  # bare replies, at most
    note: str = ""

    @property
    def is_missed(self) -> bool:
        if self.bare_replies is None or self.wanted is None:
            return False
        return self.bare_replies > self.wanted * NOISE


@dataclass(slots=True)
class Results:
    server: str
    bare_cpu_seconds: float | None = None
    rows: list[Row] = field(default_factory=list)
    series: dict[str, list[tuple[str, float]]] = field(default_factory=dict)

    def title(self, words: str) -> None:
        print(f"\n{words}", flush=True)

    def row(
        self,
        what: str,
        value: float,
        unit: str,
        *,
        cpu_seconds: float | None = None,
        wanted: float | None = None,
        note: str = "",
    ) -> None:
        """Rows are printed as soon as they are known; CPU is known only for our own process."""
        cpu = cpu_seconds or None
        ratio = None
        if cpu is not None and self.bare_cpu_seconds:
            ratio = cpu / self.bare_cpu_seconds
        made = Row(what, value, unit, None if cpu is None else cpu * 1000, ratio, wanted, note)
        self.rows.append(made)
        shown = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
        cost = "" if made.cpu_ms is None else f"{made.cpu_ms:.3f} ms CPU"
        times = "" if ratio is None else f"{ratio:.1f} bare replies"
        budget = "" if wanted is None else f"{'OVER ' if made.is_missed else ''}wanted {wanted:g}"
        remarks = ", ".join(filter(None, (times, budget, note)))
        print(f"  {what:<46}{shown:>10} {unit:<5}{cost:>16}  {remarks}".rstrip(), flush=True)

    def missed(self) -> list[Row]:
        return [row for row in self.rows if row.is_missed]

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "server": self.server,
            "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
            "load": os.getloadavg()[0],
            "rows": [asdict(row) for row in self.rows],
            "series": self.series,
        }
        path.write_text(json.dumps(content, indent=1) + "\n")
