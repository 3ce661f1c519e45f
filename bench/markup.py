"""The cost of rendering: a short message, a long one, and one without cached names."""

import time
from collections.abc import Callable, Iterator

from tertulia.markdown import Resolved, Settings, render

PLAIN = "Sounds good, see you at the station tomorrow around noon."
MIXED = """Hi @**Ann Lee**, the *notes* for **v2.3** are [here](https://h.example/notes) :tada:

## What changed

1. Faster search, see #**kitchen>lunch**
2. `config.toml` has a new key:

```python
def load(path: str) -> dict:
    return parse(open(path).read())  # careful
```

> quoted text with **bold** words
> on two lines

| name | value |
|------|:-----:|
| a    | ~~1~~ |

- first item with https://h.example/x?y=1
  - nested item :heart:

Meeting at <time:2031-04-05T09:30+02:00>, formula $$x^2 + y^2$$.

"""


def costs() -> Iterator[tuple[str, float, float]]:
    """What is rendered, CPU seconds for each, and the budget."""
    long = MIXED * (2000 // len(MIXED) + 1)
    yield "a short message", _each(lambda number: PLAIN, 2000), 0.000_060
    yield "a mixed message of two kilobytes", _each(lambda number: long, 50), 0.003
    new = _each(lambda n: long.replace("load", f"load_{n}").replace("x^2", f"x^{n}"), 50)
    yield "  the same, first rendering", new, 0.003


def _each(text: Callable[[int], str], count: int) -> float:
    found, settings = Resolved.of(), Settings(base_url="https://h.example")
    texts = [text(number) for number in range(count)]
    render(texts[0], found, settings)
    best = float("inf")
    for source in texts:
        began = time.thread_time()
        render(source, found, settings)
        best = min(best, time.thread_time() - began)
    return best
