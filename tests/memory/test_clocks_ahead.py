"""A client's clock that is a little ahead records memory now; one that is far ahead is refused."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from tests.capture.capturing import STOP, body

pytestmark = pytest.mark.django_db

EVENT = {
    "session_id": "s",
    "channel": "private",
    "actor_type": "agent",
    "actor_id": "a",
    "kind": "message",
    "content": {"text": "hello"},
}
WAYS = [
    ("events", EVENT, "", lambda answer: answer),
    ("events/batch", EVENT, "events", lambda answer: answer["events"][0]),
    ("captures", body("hello", STOP), "", lambda answer: answer),
    ("captures/batch", body("hello", STOP), "captures", lambda answer: answer["captures"][0]),
]


def ahead(seconds):
    return (timezone.now() + timedelta(seconds=seconds)).isoformat()


@pytest.mark.parametrize(("path", "fields", "many", "one"), WAYS)
@pytest.mark.parametrize("seconds", [2, 50])
def test_a_clock_up_to_a_minute_ahead_says_now(world, path, fields, many, one, seconds):
    made = {**fields, "ts": ahead(seconds)}

    answer = one(world.alice.ok("post", path, {many: [made]} if many else made))

    assert datetime.fromisoformat(answer["ts"]) <= timezone.now()
    assert [one["code"] for one in answer["notices"]] == ["clock_ahead"]


@pytest.mark.parametrize(("path", "fields", "many", "one"), WAYS)
def test_a_clock_that_is_right_gets_no_notice(world, path, fields, many, one):
    made = {**fields, "ts": ahead(-1)}

    answer = one(world.alice.ok("post", path, {many: [made]} if many else made))

    assert answer["notices"] == []


@pytest.mark.parametrize(("path", "fields", "many", "one"), WAYS)
def test_a_clock_further_ahead_is_refused(world, path, fields, many, one):
    made = {**fields, "ts": ahead(90)}

    answer = world.alice.post(path, {many: [made]} if many else made)

    assert answer.status_code == 400
    assert "in the future, by more than a minute" in answer.content.decode()
