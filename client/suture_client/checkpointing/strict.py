"""A serialiser for LangGraph's states that imports and calls nothing that a stored state names.

LangGraph's own serialiser imports the module that a state names and calls the object it finds, unless an environment
variable forbids it. This one only looks names up in a fixed list of types.
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
    """A state contains a type that is neither in LangGraph's list nor in `allowed_types`."""


class StrictSerializer(jsonplus.JsonPlusSerializer):
    """Writes the same msgpack as LangGraph's serialiser, and creates only objects of allowed types.

    Values that could not be read again are refused when they are written.
    """

    def __init__(self, allowed_types: Iterable[type] = ()) -> None:
        """`allowed_types`: classes in addition to LangGraph's list. Raises TypeError if one is not a class."""
        super().__init__(allowed_msgpack_modules=None)
        self._types = _imported(SAFE_MSGPACK_TYPES)
        self._arrays = _imported([("numpy", "dtype"), ("numpy", "frombuffer")])
        for one in allowed_types:
            if not isinstance(one, type):
                raise TypeError(f"allowed_types contains {one!r}, which is not a class.")
            self._types[one.__module__, one.__name__] = one

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[Any]) -> "StrictSerializer":
        """Return itself: only `allowed_types` allows types, not the environment."""
        return self

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialise a value to a kind and bytes. Raises DisallowedTypeError, and TypeError if that is impossible."""
        kind, content = super().dumps_typed(obj)
        if kind == "msgpack":
            _unpacked(content, self._checked)
        return kind, content

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Deserialise a value. Raises DisallowedTypeError, also for kinds that `dumps_typed` does not write."""
        kind, content = data
        if kind == "msgpack":
            return _unpacked(content, self._rebuild)
        if kind not in {"null", "bytes", "bytearray"}:
            raise DisallowedTypeError(f"The state is stored as {kind!r}, which SutureSaver does not support.")
        return super().loads_typed(data)

    def _checked(self, code: int, content: bytes) -> None:
        """Create nothing, and raise DisallowedTypeError if a type in the content is not allowed."""
        held = _unpacked(content, self._checked)
        if code not in {jsonplus.EXT_DELTA_SNAPSHOT, jsonplus.EXT_NUMPY_ARRAY}:
            self._type_of(held)

    def _rebuild(self, code: int, content: bytes) -> Any:
        """Create the object of a msgpack extension of LangGraph's serialiser."""
        held = _unpacked(content, self._rebuild)
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
            raise DisallowedTypeError("The state contains a numpy array, and numpy is not installed.")
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
        # ormsgpack drops the hook's exception
        raise failed[0] if failed else ValueError("The state is not msgpack of LangGraph.") from None


def _imported(names: Iterable[tuple[str, ...]]) -> dict[_Name, Callable[..., Any]]:
    """Import these names, as far as they are installed."""
    found: dict[_Name, Callable[..., Any]] = {}
    for module, name in names:
        try:
            found[module, name] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    return found


def _model(made: Any, values: dict[str, Any]) -> Any:
    """Create a pydantic model even if its validation fails, as LangGraph does."""
    try:
        return made(**values)
    except Exception:
        construct = getattr(made, "model_construct", None) or made.construct
        return construct(**values)
