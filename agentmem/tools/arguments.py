"""Arguments: what a model sent for a call, fitted to the tool's schema or refused with words it can act on.

Lenient where nothing can be misunderstood ("10" for 10, null for an optional argument, a list sent as JSON text, the
one item of a list sent without the list); strict where it could be. Unknown arguments are passed over, and told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentmem.domain.prompt import ToolSpec
from agentmem.domain.tool import Access, Tool, ToolContext, ToolResult

Run = Callable[[Mapping[str, Any], ToolContext], ToolResult]
AccessOf = Callable[[Mapping[str, Any], ToolContext], tuple[Access, ...]]
Preview = Callable[[Mapping[str, Any], ToolContext], str | None]

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
}

_BOOLEANS: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Fitted:
    """Arguments in the schema's types. `error` says what is wrong and what is wanted (then `values` is empty); `note`
    names what was passed over, empty when nothing was."""

    values: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    note: str = ""


class _Misfit(Exception):
    """A value that no reading of the schema allows."""


def fit(given: Mapping[str, Any], spec: ToolSpec) -> Fitted:
    """Fit the arguments of a call to `spec.schema`, a JSON schema of an object with `properties` and `required`; types,
    `items`, `enum`, `minimum` and `maximum` are checked."""
    try:
        values, unknown = _object(_gathered(given, spec.schema), spec.schema, "")
    except _Misfit as misfit:
        return Fitted(error=f"{spec.name}: {misfit}. Wanted: {_wanted(spec.schema)}")
    if not unknown:
        return Fitted(values)
    names = ", ".join(f"`{name}`" for name in unknown)
    return Fitted(values, note=f"[{spec.name} knows no argument {names}; passed over]")


def checked_tool(
    spec: ToolSpec, run: Run, access: AccessOf, preview: Preview | None = None, reads_only: bool = False
) -> Tool:
    """A tool whose `run`, `access` and `preview` only ever see fitted arguments. With arguments that do not fit, `run`
    answers with the error, and a call touches and shows nothing."""

    def checked_run(given: Mapping[str, Any], context: ToolContext) -> ToolResult:
        fitted = fit(given, spec)
        if fitted.error is not None:
            return ToolResult(fitted.error, error=True, malformed="arguments")
        result = run(fitted.values, context)
        return replace(result, text=f"{result.text}\n{fitted.note}") if fitted.note else result

    def checked_access(given: Mapping[str, Any], context: ToolContext) -> tuple[Access, ...]:
        fitted = fit(given, spec)
        return access(fitted.values, context) if fitted.error is None else ()

    def checked_preview(given: Mapping[str, Any], context: ToolContext) -> str | None:
        fitted = fit(given, spec)
        return preview(fitted.values, context) if preview is not None and fitted.error is None else None

    return Tool(spec, checked_run, checked_access, reads_only, checked_preview if preview is not None else None)


def _gathered(given: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """With a required list of objects missing, its one item sent flat (`old`, `new`) is put into the list."""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        item = properties[name].get("items", {})
        flat = {key: given[key] for key in given if key in item.get("properties", {}) and key not in properties}
        if given.get(name) is None and flat and all(key in flat for key in item.get("required", ())):
            rest = {key: value for key, value in given.items() if key not in flat}
            return {**rest, name: [flat]}
    return given


def _object(given: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> tuple[dict[str, Any], list[str]]:
    """The fitted object and the names (with their place) that the schema does not know."""
    properties = schema.get("properties", {})
    required = schema.get("required", ())
    unknown = [where + str(name) for name in given if name not in properties]
    values: dict[str, Any] = {}
    for name, wanted in properties.items():
        value = given.get(name)
        if value is None:
            if name in required:
                got = f" (got {', '.join(f'`{key}`' for key in unknown)})" if unknown else ""
                raise _Misfit(f"`{where}{name}` is missing{got}")
            continue
        values[name], more = _value(value, wanted, where + name)
        unknown += more
    return values, unknown


def _value(value: Any, schema: Mapping[str, Any], where: str) -> tuple[Any, list[str]]:
    kind = schema.get("type", "")
    unknown: list[str] = []
    value = _cast(value, kind)
    right = isinstance(value, _KINDS.get(kind, object)) and (kind in ("", "boolean") or not isinstance(value, bool))
    if not right:
        raise _Misfit(f"`{where}` must be {_article(kind)}, not {_article(_kind_of(value))}")
    if "enum" in schema and value not in schema["enum"]:
        raise _Misfit(f"`{where}` must be one of {', '.join(str(one) for one in schema['enum'])}")
    if "minimum" in schema and value < schema["minimum"]:
        raise _Misfit(f"`{where}` must be at least {schema['minimum']}, not {value}")
    if "maximum" in schema and value > schema["maximum"]:
        raise _Misfit(f"`{where}` must be at most {schema['maximum']}, not {value}")
    if kind == "object":
        return _object(value, schema, where + ".")
    if kind == "array":
        items = []
        for index, one in enumerate(value):
            item, more = _value(one, schema.get("items", {}), f"{where}[{index}]")
            items.append(item)
            unknown += more
        return items, unknown
    return value, unknown


def _cast(value: Any, kind: str) -> Any:
    """The value in the wanted kind where there is only one way to read it, else the value itself."""
    match kind:
        case "integer" | "number":
            return _number(value, kind)
        case "boolean":
            return _BOOLEANS.get(str(value).strip().lower(), value)
        case "string" if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        case "array" | "object":
            value = _parsed(value) if isinstance(value, str) else value
            return [value] if kind == "array" and isinstance(value, Mapping) else value
    return value


def _number(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        try:
            value = float(value) if any(sign in value for sign in ".eE") else int(value)
        except ValueError:
            return value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _parsed(text: str) -> Any:
    """JSON text as a list or object; anything else stays the text it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, list | dict) else text


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next((kind for kind, types in _KINDS.items() if isinstance(value, types)), "null")


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aio' else 'a'} {kind}" if kind != "null" else kind


def _wanted(schema: Mapping[str, Any]) -> str:
    """The arguments in a line: `path: string, edits: array of {old: string, new: string, all?: boolean}`."""
    required = schema.get("required", ())
    parts = []
    for name, one in schema.get("properties", {}).items():
        kind = one.get("type", "any")
        if kind == "array":
            items = one.get("items", {})
            kind += f" of {{{_wanted(items)}}}" if items.get("type") == "object" else f" of {items.get('type', 'any')}"
        parts.append(f"{name}{'' if name in required else '?'}: {kind}")
    return ", ".join(parts) or "no arguments"
