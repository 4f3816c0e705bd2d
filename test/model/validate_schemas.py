#!/usr/bin/env python3
"""Checks files against the JSON Schemas of docs/schemas.

    validate_schemas.py [--kinds=KIND,...] SOURCE_DIR FOLDER_OR_FILE...

The schemas must be right by themselves, every StreamMAP file found must pass its schema, and every file spoilt in one
way (an unknown key, a missing one, a wrong type) must fail it, so that a schema that allows everything is noticed.
Exits 77, which ctest shows as skipped, where python3-jsonschema is missing.
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (apt-get install python3-jsonschema)")
    sys.exit(77)

KINDS = ("tasks", "cluster", "placement", "report")
if len(sys.argv) > 1 and sys.argv[1].startswith("--kinds="):
    KINDS = tuple(sys.argv.pop(1).removeprefix("--kinds=").split(","))


def schema_kind(document):
    """"tasks" for {"schema": "streammap.tasks/1"}; None for any other JSON."""
    name = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(name, str):
        return None
    return next((kind for kind in KINDS if name == f"streammap.{kind}/1"), None)


def documents(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            try:
                document = json.loads(file.read_text(encoding="utf-8"))
            except (ValueError, OSError):
                continue  # a broken file that some test reads on purpose
            if schema_kind(document):
                yield file, document


def spoilt(document):
    """Copies with one mistake each."""
    unknown = copy.deepcopy(document)
    unknown["no_such_key"] = 1
    yield "an unknown key", unknown
    if document["schema"] == "streammap.cluster/1":
        required = "nodes"
    else:
        required = next(key for key in ("rows", "tasks", "assignments", "levers", "alternatives", "links") if key in document)
    missing = copy.deepcopy(document)
    del missing[required]
    yield f"no '{required}'", missing
    wrong = copy.deepcopy(document)
    wrong[required] = "text"
    yield f"text as '{required}'", wrong


def main():
    source, paths = pathlib.Path(sys.argv[1]), sys.argv[2:]
    validators = {}
    for kind in KINDS:
        schema = json.loads((source / "docs/schemas" / f"{kind}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[kind] = jsonschema.Draft202012Validator(schema)
    failures, seen = 0, {kind: 0 for kind in KINDS}
    for file, document in documents(paths):
        kind = schema_kind(document)
        invalid = "invalid" in file.parts  # inputs that tests expect to be refused
        if invalid:
            continue
        seen[kind] += 1
        for error in validators[kind].iter_errors(document):
            failures += 1
            place = "/" + "/".join(map(str, error.absolute_path))
            print(f"{file}:{place}: {error.message[:200]}")
        for mistake, bad in spoilt(document):
            if validators[kind].is_valid(bad):
                failures += 1
                print(f"{file}: the {kind} schema accepts {mistake}")
    print(", ".join(f"{count} {kind}" for kind, count in seen.items()), "files checked")
    for kind, count in seen.items():
        if count == 0:
            failures += 1
            print(f"no {kind} file found: nothing was proved about its schema")
    return 1 if failures else 0


sys.exit(main())
