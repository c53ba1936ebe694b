"""Serializers that take nothing they do not know, and the two fields that every body uses."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from rest_framework import serializers

from governance.text import TextRule


# A field that is unknown or read-only is an error on that field, at every depth. `also_accepted` names inputs
# that something else reads, such as a list's `limit` and `cursor`. (Not a docstring: drf-spectacular would
# describe every body with it.)
class StrictSerializer(serializers.Serializer[Any]):
    also_accepted: ClassVar[frozenset[str]] = frozenset()

    def to_internal_value(self, data: Any) -> Any:
        """The validated values of `data`; raises ValidationError with the errors of all fields at once."""
        refused = self._refused(data) if isinstance(data, Mapping) else {}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if refused and isinstance(error.detail, dict):
                raise serializers.ValidationError({**error.detail, **refused}) from None
            raise
        if refused:
            raise serializers.ValidationError(refused)
        return value

    def _refused(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        fields = self.fields
        refused: dict[str, list[str]] = {}
        for name in data:
            if name in fields:
                if fields[name].read_only:
                    refused[name] = ["Read-only field."]
                elif isinstance(fields[name], serializers.HiddenField):
                    refused[name] = ["Unknown field."]
            elif name not in self.also_accepted:
                refused[name] = ["Unknown field."]
        return refused


class TextField(serializers.CharField):
    """Text of one kind (`governance.text`), kept exactly as it came."""

    def __init__(self, rule: TextRule, **kwargs: Any) -> None:
        self.rule = rule
        kwargs |= {"trim_whitespace": False, "max_length": rule.max_length, "allow_blank": rule.may_be_empty}
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        """`data` itself; raises ValidationError for no text (a number too) and for what the rule does not let in."""
        if fault := self.rule.fault_in(data):
            raise serializers.ValidationError(fault)
        return str(data)


class IdField(serializers.UUIDField):
    """A UUID in its text form. DRF's own field would take a number for one."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        """The UUID; raises ValidationError for anything but its text form."""
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return super().to_internal_value(data)


class Instant(serializers.DateTimeField):
    """A moment in ISO 8601 with its offset from UTC. A time without one is refused, not guessed."""

    default_error_messages = {
        "invalid": "Not an ISO 8601 date and time with an offset, such as 2026-01-31T12:00:00Z.",
        "naive": "A time zone offset is missing: write 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+02:00.",
    }

    def to_internal_value(self, value: Any) -> datetime:
        """The moment in UTC; raises ValidationError for any other text, a naive time, and any other type."""
        if not isinstance(value, str):
            self.fail("invalid")
        try:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is None:
                self.fail("naive")
            return moment.astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail("invalid")
