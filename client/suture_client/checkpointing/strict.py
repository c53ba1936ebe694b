"""Values of LangGraph's states, read without importing or calling what a stored state names.

LangGraph's own serialiser imports the module that a state names, and calls what it finds there, unless an environment
variable forbids it. Here a name is looked up in a list of types that is complete before anything is read.
"""

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde import jsonplus
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.types import _DeltaSnapshot

_Name = tuple[str, str]


class DisallowedTypeError(ValueError):
    """A state holds a type that is neither on LangGraph's list nor among the `allowed_types`."""


class StrictSerializer(jsonplus.JsonPlusSerializer):
    """Writes what LangGraph's serialiser writes (msgpack), and makes objects of allowed types alone.

    What could not be read is refused when it is written.
    """

    def __init__(self, allowed_types: Iterable[type] = ()) -> None:
        """`allowed_types`: classes beside those of LangGraph's own list. Raises TypeError for what is no class."""
        super().__init__(allowed_msgpack_modules=None)
        self._types = _imported(SAFE_MSGPACK_TYPES)
        self._arrays = _imported([("numpy", "dtype"), ("numpy", "frombuffer")])
        for one in allowed_types:
            if not isinstance(one, type):
                raise TypeError(f"allowed_types has {one!r}, which is no class.")
            self._types[one.__module__, one.__name__] = one

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[Any]) -> "StrictSerializer":
        """Itself: only `allowed_types` allows a type, whatever the environment says."""
        return self

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The kind and the bytes of a value. Raises DisallowedTypeError, and TypeError for what has no form."""
        kind, content = super().dumps_typed(obj)
        if kind == "msgpack":
            _unpacked(content, self._checked)
        return kind, content

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value. Raises DisallowedTypeError, also for another kind than `dumps_typed` writes."""
        kind, content = data
        if kind == "msgpack":
            return _unpacked(content, self._made)
        if kind not in {"null", "bytes", "bytearray"}:
            raise DisallowedTypeError(f"The state is stored as {kind!r}, which SutureSaver neither writes nor reads.")
        return super().loads_typed(data)

    def _checked(self, code: int, content: bytes) -> None:
        """Make nothing, and raise DisallowedTypeError if a type in it is not allowed."""
        held = _unpacked(content, self._checked)
        if code not in {jsonplus.EXT_DELTA_SNAPSHOT, jsonplus.EXT_NUMPY_ARRAY}:
            self._type_of(held)

    def _made(self, code: int, content: bytes) -> Any:
        """The object of an extension of msgpack, as LangGraph's serialiser writes it."""
        held = _unpacked(content, self._made)
        if code == jsonplus.EXT_DELTA_SNAPSHOT:
            return _DeltaSnapshot(held)
        if code == jsonplus.EXT_NUMPY_ARRAY:
            return self._array(*held)
        made, given = self._type_of(held), held[2]
        if code == jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG:
            return made(given)
        if code == jsonplus.EXT_CONSTRUCTOR_POS_ARGS:
            if (held[0], held[1]) == ("langgraph.types", "Send") and len(given) > 2:
                return made(given[0], given[1], timeout=given[2])
            return made(*given)
        if code == jsonplus.EXT_CONSTRUCTOR_KW_ARGS:
            return made(**given)
        if code == jsonplus.EXT_METHOD_SINGLE_ARG:
            if (held[0], held[1], held[3]) not in SAFE_MSGPACK_METHODS:
                raise DisallowedTypeError(f"The state calls {held[0]}.{held[1]}.{held[3]}, which is not allowed.")
            return getattr(made, held[3])(given)
        if code in {jsonplus.EXT_PYDANTIC_V1, jsonplus.EXT_PYDANTIC_V2}:
            return _model(made, given)
        raise DisallowedTypeError(f"The state has an extension {code}, which LangGraph does not write.")

    def _array(self, dtype: str, shape: tuple[int, ...], order: str, content: bytes) -> Any:
        if not self._arrays:
            raise DisallowedTypeError("The state holds an array of numpy, which is not installed.")
        kind = self._arrays["numpy", "dtype"](dtype)
        return self._arrays["numpy", "frombuffer"](content, dtype=kind).reshape(shape, order=order)

    def _type_of(self, held: Any) -> Callable[..., Any]:
        module, name = str(held[0]), str(held[1])
        if (found := self._types.get((module, name))) is None:
            raise DisallowedTypeError(
                f"The state holds an object of {module}.{name}, which is not allowed. If you trust this class, pass it:"
                f" SutureSaver(allowed_types=[{name}])."
            )
        return found


def _unpacked(content: bytes, hook: Callable[[int, bytes], Any]) -> Any:
    failed: list[Exception] = []

    def tried(code: int, held: bytes) -> Any:
        try:
            return hook(code, held)
        except Exception as error:
            failed.append(error)
            raise

    try:
        return ormsgpack.unpackb(content, ext_hook=tried, option=ormsgpack.OPT_NON_STR_KEYS)
    except ValueError:
        # ormsgpack keeps nothing of what the hook raised
        raise failed[0] if failed else ValueError("The state is no msgpack of LangGraph's.") from None


def _imported(names: Iterable[tuple[str, ...]]) -> dict[_Name, Callable[..., Any]]:
    """What these names mean, as far as it is installed."""
    found: dict[_Name, Callable[..., Any]] = {}
    for module, name in names:
        try:
            found[module, name] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    return found


def _model(made: Any, values: dict[str, Any]) -> Any:
    """A model of pydantic, also one that its validation would refuse today: LangGraph reads it so."""
    try:
        return made(**values)
    except Exception:
        construct = getattr(made, "model_construct", None) or made.construct
        return construct(**values)
