"""JSON to objects and back."""

from __future__ import annotations

import dataclasses
import functools
import re
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, Type, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from .errors import AnswerError

M = TypeVar("M", bound="Model")
B = TypeVar("B")
Convert = Optional[Callable[[Any], Any]]


class Model:
    """An object of the interface. Fields that this version of the client does not know are left out."""

    @classmethod
    def from_dict(cls: Type[M], value: Any) -> M:
        """Returns the object that a parsed JSON value describes."""
        if not isinstance(value, dict):
            raise AnswerError(f"{cls.__name__}: an object was expected, not {value!r:.100}")
        given, found = cast("Dict[str, Any]", value), cast("Dict[str, Any]", {})
        for name, key, convert, needed in _fields(cls):
            if key in given:
                part = given[key]
                found[name] = part if convert is None or part is None else convert(part)
            elif needed:
                raise AnswerError(f"{cls.__name__}: the answer has no {key!r}; is the server older than this client?")
            else:
                found[name] = None
        made = cls.__new__(cls)
        made.__dict__.update(found)
        return made

    def to_dict(self) -> Dict[str, Any]:
        """Returns the object as values that json.dumps takes. Optional fields that are None are left out."""
        made: Dict[str, Any] = {}
        for name, key, _, needed in _fields(type(self)):
            value = getattr(self, name)
            if needed or value is not None:
                made[key] = _plain(value)
        return made


class Tree(Generic[B]):
    """A page with its blocks: tree has them in the order of reading, parents before their parts."""

    tree: List[B]

    def leaves(self, *labels: str) -> List[B]:
        """Returns the blocks that have content, in the order of reading: all, or those with one of the labels."""
        blocks: List[Any] = cast("List[Any]", self.tree)
        return [b for b in blocks if b.leaf and (not labels or b.label in labels)]


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in cast("List[Any]", value)]
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in cast("Dict[str, Any]", value).items()}
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


@functools.lru_cache(maxsize=None)
def _fields(cls: Type[Any]) -> List[Tuple[str, str, Convert, bool]]:
    """The fields of a class: attribute, JSON name, conversion, and whether it is required."""
    hints = get_type_hints(cls)
    return [(f.name, f.metadata.get("name", f.name), _converter(hints[f.name]), f.default is dataclasses.MISSING) for f in dataclasses.fields(cls)]


def _converter(kind: Any) -> Convert:
    """Returns the function that converts a JSON value to a type; None if the value stays as it is."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Union:
        return _converter(next(a for a in args if a is not type(None)))
    if kind is datetime:
        return instant
    if isinstance(kind, type) and issubclass(kind, Model):
        return kind.from_dict
    if origin in (list, dict):
        inner = _converter(args[-1])
        if inner is None:
            return None
        if origin is list:
            return lambda values: [inner(v) for v in values]
        return lambda values: {k: inner(v) for k, v in values.items()}
    return None


def instant(text: str) -> datetime:
    """Returns the time that a text (RFC 3339) names, in UTC. Parts of a microsecond are cut off."""
    m = re.match(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|z|[+-]\d\d:\d\d)$", text)
    if not m:
        raise AnswerError(f"{text!r:.100} is not a time")
    zone = "+00:00" if m[4] in "Zz" else m[4]
    return datetime.fromisoformat(f"{m[1]}T{m[2]}.{(m[3] or '')[:6]:0<6}{zone}").astimezone(timezone.utc)
