"""The rows that the database answers, and the schemas of the answers that are made from them, have the same fields."""

from datetime import datetime
from decimal import Decimal
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin
from uuid import UUID

import pytest
from rest_framework import serializers

from capsules import queries as capsules
from capsules import rendering
from capsules.api import shapes as capsule_shapes
from governance.database.typed_calls import ColumnDict
from memory.api import chunks, context, curation, records, search, shapes, surgery
from memory.context import standard_sections
from memory.queries import decisions
from memory.queries import records as listed

pytestmark = pytest.mark.pure

#: What makes the answer, its schema, and the columns that it never answers as null although the row's type allows it.
ANSWERS: list[tuple[ColumnDict, type[serializers.Serializer[Any]], set[str]]] = [
    (chunks.chunk_json, shapes.ChunkByIdOutput, set()),
    (chunks._listed_json, shapes.TaggedChunkOutput, set()),
    (chunks._near_json, shapes.TimelineChunkOutput, set()),
    (search._found_json, search.FoundChunkOutput, set()),
    (search._highlighted_json, search.FoundChunkOutput, {"snippet"}),
    (surgery._state_json, surgery.StateOutput, set()),
    (decisions._without_details, surgery.DecisionOutput, set()),
    (listed._decision_json, records.ListedDecisionOutput, set()),
    (listed._task_json, records.ListedTaskOutput, set()),
    (listed._artifact_json, records.ListedArtifactOutput, set()),
    (curation._own_columns, curation.OwnMemoryOutput, set()),
    (standard_sections._chunk_json, context.InjectedChunkOutput, {"text"}),
    (standard_sections._decision_json, context.InjectedDecisionOutput, {"decision", "recorder"}),
    (standard_sections._task_json, context.InjectedTaskOutput, {"title", "recorder"}),
    (rendering._capsule_json, capsule_shapes.ListedCapsuleOutput, set()),
    (rendering._context_json, capsule_shapes.ListedCapsuleOutput, set()),
    (capsules._custody_json, capsule_shapes.CustodyOutput, set()),
]
FIELDS: dict[Any, Any] = {
    UUID: serializers.UUIDField,
    str: (serializers.CharField, serializers.ChoiceField),
    bool: serializers.BooleanField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    Decimal: serializers.FloatField,
    datetime: serializers.DateTimeField,
    list: serializers.ListField,
}


def differences(answer: ColumnDict, schema: type[serializers.Serializer[Any]], never_null: set[str]) -> list[str]:
    found = []
    fields = schema().fields
    for name, hint in answer.columns.items():
        if name not in fields:
            found.append(f"{name} is answered and not in {schema.__name__}")
            continue
        may_be_null = get_origin(hint) in (Union, UnionType)
        if may_be_null:
            (hint,) = (one for one in get_args(hint) if one is not NoneType)
        if not isinstance(fields[name], FIELDS[get_origin(hint) or hint]):
            found.append(f"{name} is {hint} and a {type(fields[name]).__name__} in {schema.__name__}")
        if fields[name].allow_null != (may_be_null and name not in never_null):
            found.append(f"{name} may{'' if may_be_null else ' not'} be null, and {schema.__name__} says otherwise")
    return found


def test_rows_and_the_schemas_of_their_answers_have_the_same_fields() -> None:
    found = [one for answer, schema, never_null in ANSWERS for one in differences(answer, schema, never_null)]
    assert not found, "\n".join(found)
