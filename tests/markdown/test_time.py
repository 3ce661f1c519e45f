"""Time: linear in the length of the text, for any repetition and nesting.

The measure is an ordinary message of the same length, on the same machine and in the same moment:
the worst texts cost four times as much, and what is not linear costs a hundred times as much.
"""

import random
from bisect import bisect
from functools import cache

import pytest
from pygments.lexers import get_lexer_by_name
from tests.markdown.sample_names import html
from tests.support.complexity import TRIES, cost

from tertulia import markdown, memo
from tertulia.markdown.code import MAX_HIGHLIGHTED

LENGTH = 10_000
MOST = 12  # times what an ordinary message of that length costs

UNITS = [
    *["*", "**", "***", "****", "* ", "*a ", "**a ", "***a ", "a*", "*a^", "*a\n", "_"],
    *["`", "``", "`a", "``a", "`a``", "\\`", "~", "~~", "~~a", "~~a~~", "~~~\n", "```\n", "```a\n"],
    *["[", "[[", "](", "[a](", "[a](b)", "[a](b '", '[a](b "c', '[a]("', "[a](<", "[a](<b> '"],
    *["[a]('\"", "[a](b'(c)", "![a](", "(", ")", "()", "<", "<b>", "<time:", "&", "&a;", "&#"],
    *[">", "> ", ">\n", "> a\n", ">a\n>b\n\n", "\n>>", "- > ", "> - ", "> ```\n", "\n>\n>>>"],
    *["|", "|a", "|a\n|-\n", "a|b\n-|-\n", "|a|b\n|-|-\n", "|`", "|\\", "|-\n", "|a\n"],
    *["@", "@**", "@**a", "@**Ann Lee** ", "@_**", "@*", "@*a* ", "#**", "#**kitchen>", "#**a**"],
    *["#", "# ", "#\n", "# a\n", "a\n# b\n", "##\n", ":", ":a", ":a:", ":tada:", "::", ":)"],
    *["$$", "$$a", "$$a$$ ", "$$x_1$$ ", "$$\\frac{", "$", "```math\n"],
    *["- ", "- a\n", "- a\n\n", "  - a\n", "- a\n  - b\n", "- a\n\n  b\n\n", "* a\n+ b\n"],
    *["1. ", "1. a\n", "1. a\n- b\n", "- a\n1. b\n", "- # a\nb\n", "\n  -", "\n\n    a", "    a\n"],
    *["---\n", "- - -\n", "--- ", "a\n---\n", "a\n> b\n", "a\n- b\n", "___\n"],
    *[
        "```quote\n",
        "~~~quote\n",
        "```spoiler a\n",
        "```quote\na\n```\n",
        "```python\n",
        "```\na\n```\n",
    ],
    *["https://", "https://a.com ", "https://a.com/(", "(https://a.com/(", "a.com,", "a.b", "é.b"],
    *["é", "日", "日.", "a@", "a@b.", "a@b.com ", "éa@", "http://a.com/x.png ", "youtu.be/a "],
    *["😀", "👍🏽", "👨\u200d", "🇩", "1\ufe0f\u20e3", "\U000f0001", "TASK-1 ", "TASK-", "doc/a,"],
    *["a", "a ", "a\n", "a\n\n", "\n", " ", "\t", "\r", "\x00", "\\", '"', "'", "/", "{", "A. "],
]


def random_units(count: int) -> list[str]:
    chooser = random.Random(7)
    return ["".join(chooser.choices(UNITS, k=chooser.choice([2, 3, 5]))) for _ in range(count)]


def repeated(unit: str, length: int = LENGTH) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def test_repetition_takes_linear_time() -> None:
    units = UNITS + random_units(20)

    assert [unit for unit in units if takes_long(repeated(unit))] == []


@pytest.mark.soak
def test_any_repetition_takes_linear_time() -> None:
    units = random_units(2000)

    assert [unit for unit in units if takes_long(repeated(unit))] == []


def test_opening_and_closing_takes_linear_time() -> None:
    def there_and_back(unit: str) -> str:
        half = repeated(unit, LENGTH // 4)
        return f"{half}x{half[::-1]}"

    openers = [unit for unit in UNITS if not unit[0].isalnum()]
    assert [unit for unit in openers if takes_long(there_and_back(unit))] == []


def test_nested_lists_take_linear_time() -> None:
    deep = "".join(f"{'  ' * level}- a\n" for level in range(95))

    assert not takes_long(deep + deep[::-1])


@pytest.mark.parametrize(
    "language, unit",
    [
        ("c", "{"),
        ("c", "\n" * 11 + "a"),
        ("console", "a::"),
        ("csharp", "a\n" * 29 + ";"),
        ("java", "a\n" * 29 + ";"),
        ("typescript", "a." * 249 + "\n"),
        ("autoit", " " * 80 + "a"),
        ("devicetree", ";"),
        ("fan", "a" * 80 + " "),
        ("gherkin", "\n " * 11 + "a"),
        ("systemd", "\n    a"),
        ("xpp", "a\n" * 29 + ";"),
    ],
    ids=lambda value: repr(value[:5]),
)
def test_the_input_of_every_lexer_is_limited(language: str, unit: str) -> None:
    html(f"```{language}\nx\n```")
    accepted = most_highlighted(language, unit)
    whole = f"```{language}\n{accepted}\n```"
    parts = "".join(f"```{language}\n{repeated(unit, 300)}{part}\n```\n" for part in range(30))

    assert "<span class=" in html(whole)
    assert not takes_long(whole)
    assert not takes_long(parts)


@pytest.mark.parametrize("language", ["c", "csharp", "java", "autoit", "typescript"])
def test_text_that_is_no_code_is_rendered_plain_and_fast(language: str) -> None:
    html(f"```{language}\nx\n```")
    units = ["a", "a\n", "a ", "\n ", "\t", "A. ", "a.", "{", "a::"]
    blocks = {unit: f"```{language}\n{repeated(unit)}\n```" for unit in units}

    assert [unit for unit, block in blocks.items() if "<span class=" in html(block)] == []
    assert [unit for unit, block in blocks.items() if takes_long(block)] == []


def most_highlighted(language: str, unit: str) -> str:
    """As much of a repetition as is still highlighted."""
    lexer = get_lexer_by_name(language)
    lengths = range(LENGTH)
    too_much = bisect(
        lengths,
        False,
        key=lambda length: (
            markdown.code.estimated_cost(repeated(unit, length), lexer) > MAX_HIGHLIGHTED
        ),
    )
    return repeated(unit, too_much - 1)


def takes_long(source: str) -> bool:
    """Whether it is too long, and again and again when both are measured in the same moment."""
    return rendering(source) > MOST * usual() and all(
        rendering(source) > MOST * rendering(ORDINARY) for _ in range(TRIES)
    )


@cache
def usual() -> float:
    return min(rendering(ORDINARY) for _ in range(TRIES))


def rendering(source: str) -> float:
    """What it costs when nothing is at hand from before."""
    memo.FUNCTIONS["highlighted_code"].cache_clear()
    return cost(lambda: html(source))


SECTION = """Hi @**Ann Lee**, the *notes* for **v2.3** are [here](https://h.example/notes) :tada:

## What changed

1. Faster search, see TASK-12 and #**kitchen>lunch**
2. `config.toml` has a new key:

```python
def load(path: str) -> dict:
    with open(path) as file:  # careful
        return parse(file.read())
```

> quoted text from @**Ben**
> with two lines

| name | value | note |
|------|:-----:|-----:|
| a    | 1     | ~~old~~ |
| b    | 2     | *new* |

- first item with https://h.example/x?y=1
  - nested **bold** item
- second `code` item :heart:

Meeting at <time:2031-04-05T09:30+02:00>, formula $$x^2 + y^2$$. Bring tea, and ask for the keys.

"""
ORDINARY = (SECTION * 20)[:LENGTH]
