"""The ids in LangGraph's values, by which Suture finds memory that changes."""

import hashlib
import uuid
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Send

from suture_client.checkpointing.named_ids import ids_in
from suture_client.checkpointing.strict import StrictSerializer

pytestmark = pytest.mark.pure

#: As the server generates them, and as a caller may choose the id of an event.
OURS, CHOSEN = "01a20051-4153-7453-8e9c-9632ba0c06ef", "8f14e45f-ceea-467f-a0e6-5d0d4c8b1a2b"
PLAIN = OURS.replace("-", "")


def found(value: Any) -> set[str]:
    return ids_in(*StrictSerializer().dumps_typed(value))


@pytest.mark.parametrize("id", [OURS, CHOSEN])
@pytest.mark.parametrize(
    "hold",
    [
        lambda id: id,
        lambda id: id.upper(),
        lambda id: f"see [{id}], please",
        lambda id: f"seen_{id}_",
        lambda id: {"a": [1, (id, 2.5)]},
        lambda id: {id: None},
        lambda id: f"a {id}".encode(),
        lambda id: {"raw": b"\xff" + id.encode() + b"\x00"},
        lambda id: uuid.UUID(id),
        lambda id: {uuid.UUID(id): 1},
        lambda id: [HumanMessage(f"The train leaves at nine [{id}]."), AIMessage("Yes")],
        lambda id: AIMessage("", additional_kwargs={"sources": [id]}),
        lambda id: Send("node", {"memory": id}),
    ],
)
def test_an_id_is_found_wherever_it_stands(id: str, hold: Any) -> None:
    assert found(hold(id)) == {id}


@pytest.mark.parametrize(
    "hold",
    [
        lambda id: id,
        lambda id: f"memory:{id}.",
        lambda id: {id: "x"},
        lambda id: id.encode(),
        # in msgpack, the bytes beside the text look like digits: its length, and the next number
        *(lambda id, length=length: id.ljust(length) for length in (48, 57, 65, 70, 97, 102)),
        *(lambda id, number=number: [id, number] for number in (48, 57, 65, 70, 97, 102)),
    ],
)
def test_an_id_of_the_server_is_found_without_hyphens(hold: Any) -> None:
    assert found(hold(PLAIN)) == found(hold(PLAIN.upper())) == {OURS}


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{hashlib.sha256(bytes([number])).hexdigest()}  file{number}" for number in range(250)),
        f"0{PLAIN}",
        f"{PLAIN}f",
        PLAIN * 2,
        CHOSEN.replace("-", ""),
        PLAIN[:-1],
        f"{PLAIN[:12]}4{PLAIN[13:]}",
        f"{PLAIN[:16]}c{PLAIN[17:]}",
        OURS.replace("-", "_"),
    ],
)
def test_a_hash_or_another_number_is_no_id(text: str) -> None:
    assert found(text) == found({"a": [text.encode()]}) == set()


def test_nothing_is_found_in_what_is_not_a_text() -> None:
    values: list[Any] = [None, 7, 2.5, [], {}, {1: 2}, "x" * 40, b""]
    for value in values:
        assert found(value) == set()
    assert ids_in("msgpack+aes", OURS.encode()) == set()
