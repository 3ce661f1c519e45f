"""Modules joined into one file mean what they mean by themselves, or are refused."""

import re

import pytest

from tertulia.web.assets import STATIC, _reader, make_all, modules, squeezed_style
from tertulia.web.bundler import CannotJoin, join, squeezed


def read(modules):
    return lambda path: modules[path]


def test_what_is_needed_comes_first_and_once():
    joined = join(
        read(
            {
                "app/main.js": 'import { a } from "./a.js";\nimport { b } from "./b.js";\na(b);\n',
                "app/a.js": 'import { b } from "./b.js";\nexport function a() { return b; }\n',
                "app/b.js": "export const b = 1;\n",
            }
        ),
        ["app/main.js"],
    )

    assert joined.text == "const b=1;\nfunction a(){ return b;}\na(b);\nexport {a,b};\n"


def test_what_comes_later_imports_from_what_is_there():
    texts = {
        "later/x.js": 'import { a } from "../app/a.js";\nimport { b } from "../living/b.js";\n'
        "export function x() { return a + b; }\n",
    }
    elsewhere = {"app": "/static/app-1.js", "living": "/static/living-1.js"}

    joined = join(read(texts), ["later/x.js"], elsewhere=elsewhere)

    assert joined.text.startswith(
        'import {a} from "/static/app-1.js";\nimport {b} from "/static/living-1.js";\n'
    )


@pytest.mark.parametrize(
    "modules, complaint",
    [
        ({"m.js": 'import { m } from "./n.js";', "n.js": 'import { n } from "./m.js";'}, "circle"),
        ({"m.js": 'import { x } from "./n.js";', "n.js": "const x = 1;"}, "does not export"),
        (
            {
                "m.js": 'import { y } from "./n.js";\nconst x = 1;',
                "n.js": "let x = 2;\nexport let y = 3;",
            },
            "x is defined",
        ),
        ({"m.js": "export default 1;"}, "does not know"),
        ({"m.js": 'import * as n from "./n.js";'}, "does not know"),
        ({"m.js": 'import { a as b } from "./n.js";'}, "does not know"),
        ({"m.js": 'export { a } from "./n.js";'}, "does not know"),
    ],
)
def test_what_joining_would_change_is_refused(modules, complaint):
    with pytest.raises(CannotJoin, match=complaint):
        join(read(modules), ["m.js"])


@pytest.mark.parametrize(
    "text, left",
    [
        ("a; // b\n  c", "a;\nc"),
        ("/** doc\n * more */\nf();", "f();"),
        ("\"http://x\" + '/* no */'", "\"http://x\" + '/* no */'"),
        ("`http://${ f(`/* ${x} */`) }//`", "`http://${ f(`/* ${x} */`)}//`"),
        ("`a\n  b`", "`a\n  b`"),
        ("s.replace(/[/*]\\/\\//g, '')", "s.replace(/[/*]\\/\\//g,'')"),
        ("x = a / b / c; // d", "x=a / b / c;"),
        ("return /`/.test(x) // y", "return /`/.test(x)"),
        ("if (a) {\n\n    b()\n  return - -c }", "if(a){\nb()\nreturn - -c }"),
    ],
)
def test_comments_go_and_what_is_quoted_stays(text, left):
    assert squeezed(text) == left


def test_a_stylesheet_loses_its_comments_and_its_room():
    assert (
        squeezed_style("/* a */\n.b {\n  color: red;\n}\n\n.c > d { e: f }")
        == ".b{color: red}.c > d{e: f}"
    )


def test_the_page_stays_small():
    """What every visit needs is at most 75 kB (45 of them before the first messages), what a click
    asks for 45 kB, styles 15 kB, as they travel."""
    sizes = {each.name.rsplit("-", 1)[0]: len(each.compressed) for each in make_all()}

    for language in ("en", "es"):
        assert sizes[f"app-{language}"] < 45_000
        assert sizes[f"app-{language}"] + sizes[f"living-{language}"] < 75_000
    assert sizes["later-en"] < 45_000
    assert sizes["style"] < 15_000


HTML_SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|DOMParser|document\.write|createContextualFragment|srcdoc"
    r"|setHTMLUnsafe|parseHTMLUnsafe|\beval\b|new Function|createPolicy|setAttribute\(\"on"
)


def test_html_enters_through_one_module_alone():
    found = {
        path.name
        for path in STATIC.rglob("*.js")
        if HTML_SINKS.search(squeezed(path.read_text(encoding="utf-8")))
    }

    assert found == {"html.js"}


def texts(language, files=("app", "later", "settings")):
    text = "".join(
        (STATIC / "words" / language / f"{name}.js").read_text(encoding="utf-8") for name in files
    )
    return dict(re.findall(r'^  "([^"]+)": (.*),$', text, re.MULTILINE))


def test_every_language_has_every_text_with_the_same_holes():
    english, spanish = texts("en"), texts("es")

    assert english.keys() == spanish.keys()
    holes = re.compile(r"\{(\w+)\}")
    for name, text in english.items():
        assert set(holes.findall(text)) == set(holes.findall(spanish[name])), name


NAMED = re.compile(r'"([a-z]+\.[a-z][\w.-]*)"')
BEGUN = re.compile(r"`([a-z]+\.[\w.-]*)\$\{")  # the rest of the name is known only when it is said


def named_in(*folders):
    """Names of texts that the modules of some folders hold, and the beginnings of others."""
    paths = [path for folder in folders for path in (STATIC / folder).glob("*.js")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return set(NAMED.findall(code)), tuple(set(BEGUN.findall(code)))


def test_every_text_that_is_said_is_written_down_where_it_is_needed():
    """Texts that only `later/` says come with it, and do not make the first visit longer."""
    core, more = texts("en", ["app"]), texts("en", ["later", "settings"])
    said, begun = named_in("app", "living")
    said_later, begun_later = named_in("later")

    kinds = {name.partition(".")[0] for name in [*core, *more]}
    for name in said | said_later:
        if name.partition(".")[0] in kinds and not name.endswith(".js"):
            assert name in core or (name in more and name not in said), name
    for name in core:
        assert name in said or name.startswith(begun), f"only later/ says {name}, or nobody"
    for name in more:
        assert not name.startswith(begun), f"app/ may say {name}"
        assert name in said_later or name.startswith(begun_later), f"nobody says {name}"


def test_a_module_is_in_the_folder_of_whoever_needs_it_first():
    """What the first messages do not need is not on their way."""
    needed = join(_reader("en"), modules("app")).modules

    assert {f"app/{path.name}" for path in (STATIC / "app").glob("*.js")} == {*needed} - {
        "app/texts.js"
    }
    assert "later/over.js" in modules("later")
