"""The page's types are those of the API's description."""

import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import page_types, text_types

KEPT = Path(__file__).parents[2] / "src/tertulia/web/static/api_schema.d.ts"


def test_the_types_of_the_page_are_up_to_date():
    kept = KEPT.read_text(encoding="utf-8")

    problem = "the API answers otherwise than the page's types say: make page-types"
    assert page_types.digest() in kept, problem


@pytest.mark.soak
def test_the_types_equal_the_generator_output():
    generator = page_types.generator()
    if generator is None:
        pytest.skip(f"needs openapi-typescript (npm install -g {page_types.VERSION})")

    assert page_types.types(generator) == KEPT.read_text(encoding="utf-8")


TEXTS = """
import { t, textWith } from "./core/i18n.js";
/** @param {string} any @param {"view.inbox" | "closed.reply"} key */
export function check(any, key) {
  t("view.inbox");
  t("closed.reply", { name: any });
  t("search.found", { count: 3 });
  t(key, { name: any });
  t(`role.${any}`);
  textWith("closed.reply", { name: [any] });
  // @ts-expect-error: no text has this key
  t("view.inbx");
  // @ts-expect-error: a key that is any string
  t(any);
  // @ts-expect-error: no text has a key that begins so
  t(`rule.${any}`);
  // @ts-expect-error: `name` is missing
  t("closed.reply");
  // @ts-expect-error: the field is called `name`
  t("closed.reply", { nam: any });
  // @ts-expect-error: `count` is missing
  t("search.found");
  // @ts-expect-error: one of the two needs `name`
  t(key);
}
"""
# `make check` checks the declarations themselves, which takes ten times as long.
OPTIONS = ("--noEmit", "--strict", "--allowJs", "--checkJs", "--skipLibCheck")
MODERN = ("--target", "es2024", "--module", "esnext")


def test_an_unknown_key_of_a_text_and_a_missing_value_are_type_errors(tmp_path):
    tsc = shutil.which("tsc")
    if tsc is None:
        pytest.skip("needs tsc (npm install -g typescript)")
    core = KEPT.parent / "core"
    (tmp_path / "core").mkdir()
    for name in ("i18n.js", "texts.d.ts", "text_types.d.ts"):
        shutil.copy(core / name, tmp_path / "core" / name)
    (tmp_path / "text_keys.d.ts").write_text(text_types.types(), encoding="utf-8")
    (tmp_path / "texts.js").write_text(TEXTS, encoding="utf-8")

    command = [tsc, *OPTIONS, *MODERN, "texts.js", "text_keys.d.ts"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert found.stdout == ""
    assert found.returncode == 0
