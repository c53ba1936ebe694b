"""LangGraph's states are read without importing or calling what they name."""

import dataclasses
import datetime
import decimal
import enum
import json
import re
import subprocess
import sys
import uuid
from collections import deque
from pathlib import Path
from typing import Any

import numpy
import ormsgpack
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.serde import jsonplus
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.types import Command, Interrupt, Send
from pydantic import BaseModel

from suture_client.checkpointing.strict import DisallowedTypeError, StrictSerializer

pytestmark = pytest.mark.pure

#: Values that LangGraph's own list allows.
ALLOWED: list[Any] = [
    None,
    b"\x00",
    bytearray(b"\xff"),
    [1, {"a": (2.5, None)}, "Zoë"],
    {1, 2},
    frozenset("a"),
    deque([1]),
    uuid.UUID(int=1),
    datetime.datetime(2026, 11, 27, tzinfo=datetime.UTC),
    datetime.date(2026, 11, 27),
    datetime.timedelta(days=1),
    decimal.Decimal("1.5"),
    Path("a/b"),
    re.compile("a+", re.IGNORECASE),
    HumanMessage("Hello"),
    AIMessage("", tool_calls=[{"name": "look", "args": {"at": 1}, "id": "1"}]),
    [Send("node", {"a": 1}), Interrupt(value="?", id="1"), Command(goto="there")],
    _DeltaSnapshot([HumanMessage("Hello")]),
    numpy.arange(6).reshape(2, 3),
]


@dataclasses.dataclass
class Leg:
    to: str


class Mood(enum.Enum):
    GOOD = "good"


class Trip(BaseModel):
    legs: list[str]


def test_types_on_langgraphs_list_are_read_like_langgraph() -> None:
    strict, langgraphs = StrictSerializer(), jsonplus.JsonPlusSerializer()
    for value in ALLOWED:
        written = strict.dumps_typed(value)
        assert written == langgraphs.dumps_typed(value)
        read, expected = strict.loads_typed(written), langgraphs.loads_typed(written)
        assert (type(read), repr(read)) == (type(expected), repr(expected))


@pytest.mark.parametrize("value", [Leg("Bern"), Mood.GOOD, Trip(legs=["Bern"])])
def test_other_types_are_allowed_one_by_one(value: Any) -> None:
    held = {"trip": [value], "delta": _DeltaSnapshot(value)}
    foreign = jsonplus.JsonPlusSerializer().dumps_typed(held)
    strict = StrictSerializer()
    for refuse in (lambda: strict.dumps_typed(held), lambda: strict.loads_typed(foreign)):
        with pytest.raises(DisallowedTypeError, match=rf"allowed_types=\[{type(value).__name__}\]"):
            refuse()
    allowing = StrictSerializer([type(value)])
    read = allowing.loads_typed(allowing.dumps_typed(held))
    assert (read["trip"], read["delta"].value) == ([value], value)


def test_only_classes_can_be_allowed() -> None:
    with pytest.raises(TypeError, match="which is not a class"):
        StrictSerializer([("os", "system")])  # type: ignore[list-item] # what is refused


def nested(code: int, *held: Any) -> bytes:
    """An extension inside a list inside an extension that is allowed."""
    inner = ormsgpack.packb([ormsgpack.Ext(code, ormsgpack.packb(held))])
    return ormsgpack.packb({"a": ormsgpack.Ext(jsonplus.EXT_DELTA_SNAPSHOT, inner)})


#: States that would run code with a permissive reader.
HOSTILE = [
    ("msgpack", nested(jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, "os", "system", "touch PWNED")),
    ("msgpack", nested(jsonplus.EXT_CONSTRUCTOR_POS_ARGS, "os", "system", ["touch PWNED"])),
    ("msgpack", nested(jsonplus.EXT_CONSTRUCTOR_KW_ARGS, "subprocess", "run", {"args": ["touch", "PWNED"]})),
    ("msgpack", nested(jsonplus.EXT_METHOD_SINGLE_ARG, "pathlib", "Path", "PWNED", "touch")),
    ("msgpack", nested(jsonplus.EXT_METHOD_SINGLE_ARG, "datetime", "datetime", "2026", "strptime")),
    ("msgpack", nested(jsonplus.EXT_PYDANTIC_V1, "subprocess", "run", {"args": ["touch", "PWNED"]})),
    ("msgpack", nested(jsonplus.EXT_PYDANTIC_V2, "planted", "Model", {})),
    ("msgpack", nested(99, "os", "system", "touch PWNED")),
    ("json", b'{"lc": 2, "type": "constructor", "id": ["os", "system"], "args": ["touch PWNED"]}'),
    ("pickle", b"cos\nsystem\n(S'touch PWNED'\ntR."),
]


@pytest.mark.parametrize("environment", [{}, {"LANGGRAPH_STRICT_MSGPACK": "false"}, {"LANGGRAPH_STRICT_MSGPACK": "1"}])
def test_a_hostile_state_runs_nothing_whatever_the_environment_says(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "planted.py").write_text("open('PWNED', 'w')")
    reader = tmp_path / "read.py"
    reader.write_text(
        f"""
import json, sys
from suture_client.checkpointing.strict import DisallowedTypeError, StrictSerializer
strict = StrictSerializer().with_msgpack_allowlist([("os", "system"), ("subprocess", "run"), ("planted", "Model")])
before, said = set(sys.modules), []
for kind, content in {HOSTILE!r}:
    try:
        said.append(repr(strict.loads_typed((kind, content))))
    except DisallowedTypeError:
        said.append("refused")
print(json.dumps([said, sorted(set(sys.modules) - before)]))
"""
    )
    root = str(Path(__file__).parents[2])
    read = subprocess.run(
        [sys.executable, reader],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{tmp_path}:{root}", "PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    said, imported = json.loads(read.stdout)
    assert said == ["refused"] * len(HOSTILE)
    assert imported == []
    assert not (tmp_path / "PWNED").exists()
