#!/usr/bin/env python3
"""schema_check.py FOLDER [all] <list: checks the schemas in FOLDER, and outputs against them. A line of the list:
SCHEMA[#TABLE] <tab> whole|lines <tab> FILE <tab> WHAT. TABLE is a name in $defs; lines: each line of FILE is a
document. Prints "ok - WHAT" or "not ok - WHAT: why".

A schema is strict: each object lists its members, says which are always there, allows no others, and describes each.
all: each member and table of a schema must be in some output, otherwise the schema describes something that no command
prints."""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

FREE = {"sql"}  # the query names the members


def say(failure, what):
    print("not ok - %s: %s" % (what, failure[:300]) if failure else "ok - " + what)


def refuse(text):
    raise ValueError("%s is no JSON" % text)


def once(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("a member twice in one object: %s" % names)
    return dict(pairs)


def members(schema):
    """The names of all members that a schema describes, with their schemas."""
    if isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            yield name, inner
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from members(inner)


def names_in(document):
    if isinstance(document, dict):
        yield from document
        document = list(document.values())
    if isinstance(document, list):
        for inner in document:
            yield from names_in(inner)


def loose(schema, path=""):
    """The first place where a schema is not strict."""
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if not isinstance(schema, dict):
        return ""
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False or "required" not in schema:
            return path + " allows other members, or requires none"
        for name, inner in schema["properties"].items():
            if "description" not in inner and "$ref" not in inner:
                return "%s: %s has no description" % (path, name)
    return next(filter(None, (loose(inner, "%s/%s" % (path, key)) for key, inner in schema.items())), "")


def failure_of(validator, is_lines, file):
    """Returns what is wrong with a file ("": nothing), and its documents."""
    documents = []
    try:
        text = pathlib.Path(file).read_text()
        for part in text.split("\n")[:-1] if is_lines else [text]:
            documents.append(json.loads(part, parse_constant=refuse, object_pairs_hook=once))
            error = best_match(validator.iter_errors(documents[-1]))
            if error:
                return "%s: %s" % (error.json_path, error.message), documents
    except (OSError, ValueError) as error:
        return str(error), documents
    return "", documents


def main():
    schemas, seen = {}, {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.schema.json")):
        name = path.name[:-len(".schema.json")]
        schemas[name], seen[name] = json.loads(path.read_text()), set()
        try:
            Draft202012Validator.check_schema(schemas[name])
            failure = "" if name in FREE else loose(schemas[name])
        except SchemaError as error:
            failure = error.message
        say(failure, "%s: a strict schema" % path.name)
    tables = {"%s#%s" % (name, table["$ref"][8:]) for name in ("stat", "diff") for table in schemas[name]["anyOf"]}
    for line in sys.stdin:
        of, how, file, what = line.rstrip("\n").split("\t")
        name, _, table = of.partition("#")
        schema = schemas[name] if not table else {"$ref": "#/$defs/" + table, "$defs": schemas[name]["$defs"]}
        failure, documents = failure_of(Draft202012Validator(schema), how == "lines", file)
        say(failure, what)
        seen[name].update(names_in(documents))
        if documents and documents[0]:
            tables.discard(of)
    if "all" not in sys.argv:
        return
    for name, schema in schemas.items():
        missing = sorted({member for member, _ in members(schema)} - seen[name])
        say(" ".join(missing), name + ": each member is in some output")
    say(" ".join(sorted(tables)), "each table has rows in some output")


main()
