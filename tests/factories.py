"""The records of the tests: bodies of requests that are valid as they are, and rows that have no service to make them.

A test names what it is about: `EventFactory(channel="team", content__text="Hello")`. Content that is given as a whole,
`content={...}`, replaces the default one.
"""

import secrets

import factory

from governance.models import User
from tests.owning import as_owner

WORDS = "The quick brown fox"


class EventFactory(factory.DictFactory):
    """A message that alice records."""

    session_id = "session-1"
    channel = "private"
    actor_type = "agent"
    actor_id = "alice"
    kind = "message"
    content = factory.Dict({"text": WORDS})


class DecisionFactory(EventFactory):
    """A decision that alice records."""

    kind = "decision"
    content = factory.Dict({"decision": "Ship it"})


class TaskFactory(EventFactory):
    """A task that alice opens."""

    kind = "task_update"
    content = factory.Dict({"title": "Ship it", "status": "open"})


class ArtifactFactory(EventFactory):
    """An artifact that alice keeps, of which the content is elsewhere."""

    kind = "artifact"
    content = factory.Dict({"name": "notes", "media_type": "text/plain"})


class ToolResultFactory(EventFactory):
    """What a tool answered."""

    actor_type = "tool"
    actor_id = "shell"
    kind = "tool_result"
    content = factory.Dict({"tool": "shell", "text": WORDS})


class SummaryFactory(factory.DictFactory):
    """A summary about Jack, the only chunk whose importance a caller gives."""

    text = WORDS
    importance = 0.5
    scope = "user"
    subject_type = "user"
    subject_id = "jack-doe-123"
    session_id = "session-1"
    channel = "private"


class EditFactory(factory.DictFactory):
    """A proposal to retract a chunk; name its `target_id`."""

    target_type = "chunk"
    op = "retract"
    reason = "a test"
    patch = factory.Dict({})


class CapsuleFactory(factory.DictFactory):
    """A capsule about Jack that alice may use; name its `items`."""

    subject_type = "user"
    subject_id = "jack-doe-123"
    scope = "user"
    audience_agent_ids = factory.List(["alice"])


class UserFactory(factory.django.DjangoModelFactory):
    """An account without a role in any tenant, written by the owner of the tables."""

    class Meta:
        model = User

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        with as_owner():
            return super()._create(model_class, *args, **kwargs)

    username = factory.LazyFunction(lambda: f"user-{secrets.token_hex(4)}")
    password = factory.django.Password("a long and odd sentence")


class SuperuserFactory(UserFactory):
    """An operator's account, which may do everything."""

    username = factory.LazyFunction(lambda: f"boss-{secrets.token_hex(4)}")
    is_staff = True
    is_superuser = True
