"""The bundler: a bundle behaves like its modules, or is refused."""

import pytest

from tertulia.web.assets import minify_css
from tertulia.web.bundler import BundleError, bundle, minify


def read(modules):
    return lambda path: modules[path]


def test_modules_are_bundled_once_and_after_their_imports():
    result = bundle(
        read(
            {
                "main.js": 'import { a } from "./x/a.js";\nimport { b } from "./x/b.js";\na(b);\n',
                "x/a.js": 'import { b } from "./b.js";\nexport function a() { return b; }\n',
                "x/b.js": "export const b = 1;\n",
            }
        ),
        ["main.js"],
    )

    assert result.text == "const b=1;\nfunction a(){ return b;}\na(b);\nexport {a,b};\n"
    assert result.modules == ["x/b.js", "x/a.js", "main.js"]


def test_modules_of_other_bundles_are_imported_from_their_url():
    modules = {
        "dialogs/x.js": 'import { a } from "../core/a.js";\nimport { b } from "../views/b.js";\n'
        "export function x() { return a + b; }\n",
    }
    external = {"core/a.js": "/static/initial-1.js", "views/b.js": "/static/interactive-1.js"}

    result = bundle(read(modules), ["dialogs/x.js"], external=external)

    assert result.text.startswith(
        'import {a} from "/static/initial-1.js";\nimport {b} from "/static/interactive-1.js";\n'
    )


@pytest.mark.parametrize(
    "modules, complaint",
    [
        ({"m.js": 'import { m } from "./n.js";', "n.js": 'import { n } from "./m.js";'}, "cycle"),
        ({"m.js": 'import { x } from "./n.js";', "n.js": "const x = 1;"}, "does not export"),
        (
            {
                "m.js": 'import { y } from "./n.js";\nconst x = 1;',
                "n.js": "let x = 2;\nexport let y = 3;",
            },
            "x is defined",
        ),
        ({"m.js": "export default 1;"}, "unsupported"),
        ({"m.js": 'import * as n from "./n.js";'}, "unsupported"),
        ({"m.js": 'import { a as b } from "./n.js";'}, "unsupported"),
        ({"m.js": 'export { a } from "./n.js";'}, "unsupported"),
    ],
)
def test_unsupported_module_syntax_is_refused(modules, complaint):
    with pytest.raises(BundleError, match=complaint):
        bundle(read(modules), ["m.js"])


@pytest.mark.parametrize(
    "text, minified",
    [
        ("a; // b\n  c", "a;\nc"),
        ("/** doc\n * more */\nf();", "f();"),
        ("\"http://x\" + '/* no */'", "\"http://x\" + '/* no */'"),
        ("`http://${ f(`/* ${x} */`) }//`", "`http://${ f(`/* ${x} */`)}//`"),
        ("`a\n  b`", "`a\n  b`"),
        ("s.replace(/[/*]\\/\\//g, '')", "s.replace(/[/*]\\/\\//g,'')"),
        ("x = a / b / c; // d", "x=a / b / c;"),
        ("return /`/.test(x) // y", "return /`/.test(x)"),
        ("f(\n  `a`,\n  b,\n)\n  .c();\n", "f(`a`,b).c();"),
        (
            "x = [\n  a,\n  () =>\n    b ??\n    c\n      ? 1\n      : 2,\n];",
            "x=[a,()=>b ??c? 1:2];",
        ),
        ("x = [\n  ,\n]\na\n[b]", "x=[,]\na\n[b]"),
        ("if (a) {\n\n    b()\n  return - -c }", "if(a){\nb()\nreturn - -c }"),
    ],
)
def test_minifying_removes_comments_and_keeps_literals(text, minified):
    assert minify(text) == minified


def test_minifying_css_removes_comments_and_spaces():
    assert (
        minify_css("/* a */\n.b {\n  color: red;\n}\n\n.c > d { e: f }")
        == ".b{color: red}.c > d{e: f}"
    )
