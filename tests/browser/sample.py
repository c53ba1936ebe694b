"""A tenant as it may look after a month, for pictures: the samples as its memory, edits decided day by day."""

import io
import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from psycopg.types.json import Jsonb

from capsules.services import expiry
from governance import daily_counts
from governance.acting import gate
from governance.identity import identities
from governance.ledger import sealing, tree_heads, verification
from governance.models import User, first_id_of, new_id
from memory import importing
from tests import world as worlds
from tests.owning import as_owner
from tests.world import Api

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
TENANT = "acme"
PASSWORD = "a long and odd sentence"
AGENTS = {"helpdesk.jsonl": "support-agent", "coding-agent.jsonl": "coding-agent"}
#: What is left for a person to decide, and since how many days.
WAITING = {
    "team-policies-03": 0,
    "tom-tax-form-04": 0,
    "community-forum-08": 1,
    "dev-setup-02": 3,
    "team-lounge-03": 3,
    "webhook-design-12": 9,
    "export-truncation-05": 12,
}
SHOWN = "team-policies-03"
REJECTED = ("flaky-test-06",)
#: How many of the edits of today there were on the days before, from yesterday back.
DECIDED_BEFORE = (5, 7, 3, 0, 1, 6, 4, 8, 5, 2, 0, 0, 5, 6, 3, 7, 4, 1, 0, 3, 5, 6, 2, 4, 0, 1, 3, 4, 2)


class Sample:
    """The tenant `acme`, and what a visitor needs of it."""

    def __init__(self) -> None:
        names = {"bob": "reviewer", "ann": "reviewer", "ruth": "admin", "olga": "auditor"}
        made = identities.provision(
            TENANT, agents=[(name, []) for name in AGENTS.values()], people=list(names.items()), policy="strict"
        )
        self.tenant_id = gate.tenants()[TENANT]
        worlds.of_this_test.add(self.tenant_id)
        for name in names:
            person = User.objects.get(username=name)
            person.set_password(PASSWORD)
            with as_owner():
                person.save()
        self.agents = {name: Api(made.agents[name]["key"]) for name in AGENTS.values()}
        self.people = {name: Api(made.users[name]["key"]) for name in names}
        self.chunks: dict[str, str] = {}
        self.edits: dict[str, str] = {}
        self._remember()
        self._allow_rules()
        self._correct()
        self._hand_over()
        sealing.seal_all(self.tenant_id)
        tree_heads.publish(self.tenant_id)
        verification.verify(self.tenant_id)
        self._live_through_a_month()
        daily_counts.roll_up(self.tenant_id)

    @property
    def shown(self) -> str:
        """The edit whose page is pictured."""
        return self.edits[SHOWN]

    def _remember(self) -> None:
        """Import the samples as if they had happened up to now, and been recorded when they happened."""
        files = {name: _lines(name) for name in AGENTS}
        last = max(line["ts"] for lines in files.values() for line in lines)
        shift = timezone.now() - timedelta(hours=2) - last
        for name, lines in files.items():
            with gate.tenant(self.tenant_id):
                actor = importing.agent_of(self.tenant_id, AGENTS[name])
            for day, of_day in groupby(lines, key=lambda line: line["ts"].date()):
                told = []
                for line in of_day:
                    happened = (line["ts"] + shift).astimezone(UTC)
                    told.append({**line, "ts": happened.isoformat()})
                    event_id = importing.event_id(actor, happened, "source", line["source_id"])
                    self.chunks[line["source_id"]] = str(event_id)
                stream = io.BytesIO("".join(json.dumps(line) + "\n" for line in told).encode())
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr("memory.drafts.new_id", partial(_id_at, datetime.fromisoformat(told[0]["ts"])))
                    importing.load_events(stream, name=f"{name} of {day}", actor=actor, tally=importing.Tally())

    def _allow_rules(self) -> None:
        """Approve the rules that agents decided, which wait for a person under `strict`."""
        bob = self.people["bob"]
        for edit in bob.ok("get", "edits?status=pending&limit=200")["results"]:
            bob.decide(edit["edit_id"], reason="It is our rule.")

    def _correct(self) -> None:
        """Propose the samples' corrections, and decide all but a few."""
        for one in json.loads((SAMPLES / "corrections.json").read_text(encoding="utf-8")):
            agent = self.agents[AGENTS[one["file"]]]
            event = agent.ok("get", f"events/{self.chunks[one['source_id']]}")
            chunk = self.chunks[one["source_id"]] = event["chunk_ids"][0]
            wanted = {name: one[name] for name in ("op", "reason", "patch")}
            made = agent.ok("post", "edits", {"target_type": "chunk", "target_id": chunk, **wanted})["edit_id"]
            self.edits[one["source_id"]] = made
            if one["source_id"] in REJECTED:
                self.people["bob"].decide(made, "reject", reason="The schedule says so: keep it.")
            elif one["source_id"] not in WAITING:
                by = self.people["bob" if len(self.edits) % 3 else "ann"]
                by.decide(made, reason="checked against the source")

    def _hand_over(self) -> None:
        """Capsules and context bundles that hold the pictured memory, and others."""
        agent = self.agents["support-agent"]
        about = {"subject_type": "user", "subject_id": "jack-doe-123"}
        to = {"scope": "user", "audience_agent_ids": ["coding-agent"]}
        others = [self.chunks[name] for name in ("helen-renewal-02", "sam-api-limits-02", "jack-billing-10")]
        for number, chunk in enumerate([self.chunks[SHOWN], *others]):
            handed = {**about, **to, "items": {"chunks": [chunk]}, "ttl_days": 1 + 6 * number}
            agent.ok("post", "capsules", handed)
        agent.ok("post", "acb/build", {"session_id": "team-policies", "channel": "team"})
        expiry.expire_capsules()

    def _live_through_a_month(self) -> None:
        """Edits of today once more on the days before, as the tables' owner may add them: clocks are not to be set
        back. After the seals, which are of what was recorded here."""
        decided = [edit for name, edit in self.edits.items() if name not in WAITING]
        with gate.tenant(self.tenant_id, "owner"):
            for days, count in enumerate(DECIDED_BEFORE, start=1):
                for place in range(count):
                    _copy(decided[(place * 3 + days) % len(decided)], days, place)
            for place, (name, days) in enumerate(WAITING.items()):
                if days:
                    _copy(self.edits[name], days, place)
        for name, days in WAITING.items():
            if days:  # what waits is the older one
                for agent in self.agents.values():
                    agent.post(f"edits/{self.edits[name]}/withdraw")


def _lines(name: str) -> list[dict[str, Any]]:
    with (SAMPLES / name).open(encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    return sorted(({**line, "ts": datetime.fromisoformat(line["ts"])} for line in lines), key=lambda one: one["ts"])


def _id_at(moment: datetime) -> uuid.UUID:
    return uuid.UUID(int=first_id_of(moment).int | new_id().int % (1 << 80))


def _copy(edit_id: str, days: int, hour: int) -> None:
    back = timedelta(days=days, minutes=-37 * hour)
    for table, column in (
        ("governance_edit", "id"),
        ("governance_editstate", "edit_id"),
        ("governance_verdict", "edit_id"),
    ):
        for row in gate.rows(f"SELECT * FROM {table} WHERE {column} = %s", [edit_id], "owner"):
            changed = dict(_moved(row, back))
            names, places = ", ".join(changed), ", ".join(["%s"] * len(changed))
            insert = f"INSERT INTO {table} ({names}) VALUES ({places}) RETURNING tenant_id"
            gate.rows(insert, list(changed.values()), "owner")


def _moved(row: dict[str, Any], back: timedelta) -> Iterator[tuple[str, Any]]:
    """A row so long before: its times, and the ids that are in order of time."""
    for name, value in row.items():
        if isinstance(value, datetime):
            yield name, value - back
        elif name in ("id", "edit_id"):
            yield name, uuid.UUID(int=value.int - (int(back.total_seconds() * 1000) << 80))
        else:
            yield name, Jsonb(value) if isinstance(value, dict) else value
