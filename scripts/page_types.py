"""Prints the page's types of API answers, from the API description; `make page-types` runs it.

openapi-typescript generates them from a description with only what the page reads, the answers, by
method and path: `Answers["GET /messages"]`, and the events in them.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tertulia.app import description

BASE = "/api/v1"
HEAD = """/**
 * What the API answers: written by scripts/page_types.py from its description.
 * Of which the digest is {digest}.
 */
"""
VERSION = "openapi-typescript@7.13.0"
METHODS = "get", "post", "put", "patch", "delete"
# Half of the document is for people.
WORDS = "description", "title", "example", "examples", "discriminator"


def generator() -> str | None:
    """Where openapi-typescript is."""
    name = "openapi-typescript"
    return shutil.which(name) or shutil.which(name, path="node_modules/.bin")


def types(command: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "answers.json").write_text(json.dumps(answers()), encoding="utf-8")
        options = ["answers.json", "-o", "answers.d.ts", "--empty-objects-unknown"]
        subprocess.run([command, *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        written = (Path(folder) / "answers.d.ts").read_text(encoding="utf-8")
    schemas = written.partition("schemas: {")[2].partition("\n    };\n    responses: ")[0]
    schemas = re.sub(r"\n +/\*\* @.+ \*/", "", schemas)  # comments that repeat the type
    head = HEAD.format(digest=digest())
    return f"{head}export interface components {{\n    schemas: {{{schemas}\n    }};\n}}\n"


def digest() -> str:
    """What the types are generated from, and how."""
    described = json.dumps(answers(), sort_keys=True) + VERSION
    return hashlib.sha256(described.encode()).hexdigest()


def answers() -> dict[str, Any]:
    """A description of only the answers and their contents."""
    described = json.loads(description())
    schemas = described["components"]["schemas"]
    found = {
        f"{method.upper()} {path.removeprefix(BASE)}": content["application/json"]["schema"]
        for path, operations in described["paths"].items()
        for method in METHODS
        if (content := _content(operations.get(method, {})))
    }
    answers = {"type": "object", "required": list(found), "properties": found}
    return {
        "openapi": described["openapi"],
        "info": {"title": "Answers", "version": "1"},
        "paths": {},
        "components": {"schemas": {"Answers": _bare(answers), **_used(found, schemas)}},
    }


def _content(operation: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = operation.get("responses", {}).get("200", {}).get("content", {})
    return content if "application/json" in content else {}


def _used(found: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas that are referenced, there and in each other."""
    used: dict[str, Any] = {}
    waiting = _named(found)
    while waiting:
        name = waiting.pop()
        if name not in used:
            used[name] = _bare(schemas[name])
            waiting |= _named(schemas[name])
    return dict(sorted(used.items()))


def _named(schema: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(schema)))


def _bare(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_bare(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {field: _bare(each) for field, each in value.items()}
        if name == "properties"
        else _bare(value)
        for name, value in schema.items()
        if name not in WORDS
    }


if __name__ == "__main__":
    command = generator()
    if command is None:
        sys.exit(f"needs openapi-typescript (npm install -g {VERSION})")
    sys.stdout.write(types(command))
