"""Line plots of the last day as SVG paths. The browser scales them; no script draws."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import accumulate

import msgspec

from tertulia.domain.server_report import SAMPLE_SECONDS, Sample
from tertulia.http.response_metrics import SECONDS

WIDTH, HEIGHT = 600, 96
DAY_SECONDS = 86_400
TICKS = 4  # on the time axis, before "now"

Points = list[tuple[float, float]]  # time and value


class PlotLine(msgspec.Struct, frozen=True):
    path: str
    area: str  # the same, closed along the time axis
    now: float
    maximum: float
    maximum_at: float
    is_dot: bool  # only one sample: a path without length


class Plot(msgspec.Struct, frozen=True):
    lines: list[PlotLine]
    top: float  # of the axis

    @property
    def middle(self) -> float:
        return self.top / 2


def of_messages(samples: Iterable[Sample], now: float) -> Plot:
    """Messages per minute over all servers."""
    return _plot(now, _sums(samples, lambda each: each.sent_messages * 60 / SAMPLE_SECONDS))


def of_connections(samples: Iterable[Sample], now: float) -> Plot:
    return _plot(now, _sums(samples, lambda each: each.connections))


def of_memory(samples: Iterable[Sample], now: float) -> Plot:
    """In megabytes, over all servers."""
    return _plot(now, _sums(samples, lambda each: each.memory_bytes / 1e6))


def of_responses(samples: Iterable[Sample], now: float) -> Plot:
    """The median and the 99th percentile in milliseconds, over all servers."""
    counts: defaultdict[float, list[int]] = defaultdict(lambda: [0] * (len(SECONDS) + 1))
    for each in samples:
        if len(each.response_times) == len(SECONDS) + 1:
            counts[each.at] = [
                a + b for a, b in zip(counts[each.at], each.response_times, strict=True)
            ]
    known = sorted(counts.items())
    lines = [[(at, percentile(each, share)) for at, each in known] for share in (0.5, 0.99)]
    return _plot(now, *lines)


def percentile(counts: Sequence[int], share: float) -> float:
    """The duration in milliseconds that a share of the responses did not exceed, by linear
    interpolation within its bucket; 0 without responses."""
    total = sum(counts)
    if not total:
        return 0.0
    wanted = share * total
    for index, reached in enumerate(accumulate(counts)):
        if reached >= wanted:
            low = SECONDS[index - 1] if index else 0.0
            high = SECONDS[min(index, len(SECONDS) - 1)]
            within = 1 - (reached - wanted) / counts[index]
            return (low + (high - low) * within) * 1000
    return SECONDS[-1] * 1000


def ticks(now: float) -> list[str]:
    """The labels of the time axis but for the last one, which is "now"."""
    step = DAY_SECONDS / TICKS
    moments = [now - DAY_SECONDS + step * index for index in range(TICKS)]
    return list(map(hour, moments))


def hour(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%H:%M}"


def _sums(samples: Iterable[Sample], value: Callable[[Sample], float]) -> Points:
    """The sum of all servers at each time."""
    sums: defaultdict[float, float] = defaultdict(float)
    for each in samples:
        sums[each.at] += value(each)
    return sorted(sums.items())


def _plot(now: float, *lines: Points) -> Plot:
    maximum = max((value for line in lines for _, value in line), default=0.0)
    top = round_up(maximum)
    return Plot([_line(now, line, top) for line in lines], top)


def _line(now: float, points: Points, top: float) -> PlotLine:
    if not points:
        return PlotLine("", "", 0.0, 0.0, now, is_dot=False)
    points_xy = [
        (
            max(0.0, WIDTH * (1 - (now - at) / DAY_SECONDS)),
            HEIGHT * (1 - value / top),
        )
        for at, value in points
    ]
    is_dot = len(points) == 1
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points_xy) + "h0" * is_dot
    area = f"{path}L{points_xy[-1][0]:.1f} {HEIGHT}L{points_xy[0][0]:.1f} {HEIGHT}Z"
    maximum_at, maximum = max(points, key=lambda point: point[1])
    return PlotLine(path, area, points[-1][1], maximum, maximum_at, is_dot)


def round_up(value: float) -> float:
    """The next number of 1, 2, 4, 6 or 8 times a power of ten, so that its half is round too."""
    if value <= 2:
        return 2.0
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value)
