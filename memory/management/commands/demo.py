import contextlib
import http.client
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from governance.acting import gate
from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.identity import identities
from governance.models import Agent, Membership, Tenant, User
from governance.refusals import Refusal
from memory import importing

SAMPLES = Path(settings.BASE_DIR) / "samples"
#: The agent that records each file.
AGENTS = {"helpdesk.jsonl": "support-agent", "coding-agent.jsonl": "coding-agent"}
#: One correction of each kind: an amend, a retract, a quarantine and a block.
SHOWN = ("jack-billing-10", "tom-tax-form-04", "webhook-design-12", "community-forum-08")
KEY_LIFETIME = timedelta(hours=1)
TIMEOUT_SECONDS = 30


class Api:
    """The running server, called with one API key."""

    def __init__(self, host: str, port: int, key: str | None = None) -> None:
        # the server may listen on all addresses; connect to one of them
        self.host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        self.port, self.key = port, key
        self.address = f"http://[{self.host}]:{port}" if ":" in self.host else f"http://{self.host}:{port}"

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """The JSON of a successful response. Raises CommandError for any other response, and without one."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError):
            raise CommandError(f"No server answers at {self.host}:{self.port}. {_where_one_runs()}") from None
        finally:
            connection.close()
        if response.status >= http.client.BAD_REQUEST:
            raise CommandError(f"{method} {path} answered {response.status}: {answer.get('detail', answer)}")
        return dict(answer)

    def found(self, query: str, channel: str, **conditions: list[str]) -> list[dict[str, Any]]:
        """The chunks found by a search, best first."""
        body = {"query": query, "channel": channel, "limit": 50, **conditions}
        return list(self.call("POST", "/api/v1/chunks/search", body)["chunks"])


@dataclass(frozen=True)
class Memory:
    """The recorded sample event that a correction applies to."""

    event_id: UUID
    chunk_id: str
    channel: str


class Command(BaseCommand):
    help = (
        "Load the sample events into a tenant and correct some of them through the running server. Uses temporary keys "
        "of its agents and of one of its reviewers, and shows what readers find before and after each correction."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", default="demo", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["tenant"]
        server = Api(*_address())
        server.call("GET", "/api/schema")  # check that Suture answers
        corrections = {row["source_id"]: row for row in _json("corrections.json")}
        try:
            tenant_id = identities.tenant_id_of(slug)
            actors = {file: importing.agent_of(tenant_id, agent) for file, agent in AGENTS.items()}
            with gate.tenant(tenant_id):
                policy = Tenant.objects.get(id=tenant_id).policy
            self.stdout.write(f"Suture at {server.host}:{server.port}, tenant {slug}, policy {policy}\n\n")
            for file, actor in actors.items():
                self._load(file, actor)
            with _keys(tenant_id, slug) as (keys, reviewer_name):
                reviewer = Api(server.host, server.port, keys[reviewer_name])
                for number, name in enumerate(SHOWN, start=1):
                    correction = corrections[name]
                    actor = actors[correction["file"]]
                    agent = Api(server.host, server.port, keys[actor.name])
                    title = f"\n{number}. {correction['op']} {name}: {correction['reason']}"
                    self.stdout.write(self.style.MIGRATE_HEADING(title))
                    self._correct(correction, actor, agent, reviewer, reviewer_name)
                waiting = self._leave_to_the_reader(actors, server, keys, reviewer)
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        self.stdout.write(
            "\nThe recorded events never change; readers find the corrected memory. Every step is in the ledger.\n"
            f"{_edits(waiting)} for your decision. Log in as {reviewer_name} at {server.address}/admin/ and open the"
            " review queue."
        )

    def _load(self, file: str, actor: Principal) -> None:
        tally = importing.Tally()
        with (SAMPLES / file).open("rb") as stream:
            importing.load_events(stream, name=file, actor=actor, tally=tally)
        self.stdout.write(
            f"{file}: {tally.recorded} events recorded by {actor.name}, {tally.skipped} were already recorded"
        )

    def _correct(
        self, correction: dict[str, Any], actor: Principal, agent: Api, reviewer: Api, reviewer_name: str
    ) -> None:
        memory = _memory_of(correction, actor, agent)
        # The reviewer sees every edit, an agent only its own edits.
        listed = reviewer.call("GET", f"/api/v1/edits?target_id={memory.chunk_id}&op={correction['op']}")
        made = next((edit for edit in listed["results"] if edit["status"] != "rejected"), None)
        if made is not None and made["status"] == "approved":
            self.stdout.write(f"   already corrected at {made['applied_at']:.19}; nothing to propose")
            self._show("now", correction, memory, agent)
            return
        self._show("before", correction, memory, agent)
        if made is None:
            made = agent.call("POST", "/api/v1/edits", _edit_of(correction, memory))
            self.stdout.write(f"   {actor.name} proposes: {_status(made)}")
        if made["status"] == "pending":
            path = f"/api/v1/edits/{made['edit_id']}"
            seen = reviewer.call("GET", path)
            reviewed = {name: seen[name] for name in ("patch_sha256", "target_state")}
            made = reviewer.call("POST", f"{path}/approve", {"reason": "by manage.py demo", **reviewed})
            self.stdout.write(f"   {reviewer_name} approves: {_status(made)}")
        self._show("after", correction, memory, agent)

    def _leave_to_the_reader(
        self, actors: dict[str, Principal], server: Api, keys: dict[str, str], reviewer: Api
    ) -> int:
        """Let the agents propose edits for a person to decide, each once; returns the number of pending edits."""
        self.stdout.write(self.style.MIGRATE_HEADING("\nThe agents propose more edits for you to decide:"))
        waiting = 0
        for proposal in _json("proposals.json"):
            actor = actors[proposal["file"]]
            # the other agent: what an agent retracts of its own memory does not wait
            proposer = next(other for other in actors.values() if other is not actor)
            agent = Api(server.host, server.port, keys[proposer.name])
            memory = _memory_of(proposal, actor, agent)
            listed = reviewer.call("GET", f"/api/v1/edits?target_id={memory.chunk_id}&op={proposal['op']}")
            edit = next(iter(listed["results"]), None) or agent.call(
                "POST", "/api/v1/edits", _edit_of(proposal, memory)
            )
            waiting += edit["status"] == "pending"
            self.stdout.write(f"   {edit['status']:<9} {proposal['op']} {proposal['source_id']}: {proposal['reason']}")
        return waiting

    def _show(self, when: str, correction: dict[str, Any], memory: Memory, agent: Api) -> None:
        """Print what a reader in the memory's channel finds by a question, by the wrong words and by the right
        words."""
        hits = agent.found(correction["query"], memory.channel)
        ours = next((hit["text"] for hit in hits if hit["event_id"] == str(memory.event_id)), None)
        others = f", and {len(hits) - 1} others" if ours and len(hits) > 1 else ""
        answer = f'"{_excerpt(ours, correction)}"{others}' if ours else "this memory is not found"
        self.stdout.write(f"   {when:<7} {correction['query']!r} -> {answer}")
        counts = []
        for words in filter(None, (correction["gone"], correction["found"])):
            times = len(agent.found(words, memory.channel, phrases=[words]))
            counts.append(f'"{words}" is found {times} {"time" if times == 1 else "times"}')
        self.stdout.write(f"{'':<11}{', '.join(counts)}")


def _address() -> tuple[str, int]:
    """The address of the server: from HOST and PORT, else from the running stack, else the default."""
    running = urlsplit(settings.SUTURE_URL)
    host, port = os.environ.get("HOST"), os.environ.get("PORT")
    if port and not port.isdecimal():
        raise CommandError(f"PORT must be an integer, not {port!r}.")
    return host or running.hostname or "127.0.0.1", int(port or running.port or 8000)


def _where_one_runs() -> str:
    if running := settings.SUTURE_URL:
        return f"A server runs at {running}. To use it, unset HOST and PORT."
    return "Start it with `make up`."


def _edit_of(proposal: dict[str, Any], memory: "Memory") -> dict[str, Any]:
    """The request body of the proposal."""
    what = {name: proposal[name] for name in ("op", "reason", "patch")}
    return {"target_type": "chunk", "target_id": memory.chunk_id, **what}


def _edits(count: int) -> str:
    return "1 edit waits" if count == 1 else f"{count} edits wait"


def _json(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))


def _memory_of(correction: dict[str, Any], actor: Principal, agent: Api) -> Memory:
    with (SAMPLES / correction["file"]).open(encoding="utf-8") as lines:
        event = next(row for row in map(json.loads, lines) if row["source_id"] == correction["source_id"])
    event_id = importing.event_id(actor, parse_datetime(event["ts"]), "source", event["source_id"])
    recorded = agent.call("GET", f"/api/v1/events/{event_id}?channel={event['channel']}")
    return Memory(event_id, recorded["chunk_ids"][0], event["channel"])


def _status(outcome: dict[str, Any]) -> str:
    if outcome["status"] == "approved":
        return "approved and applied"
    missing = outcome["approvals_required"] - outcome["approvals"]
    return f"{outcome['status']}, needs {missing} more approval{'s' * (missing != 1)}"


def _excerpt(text: str, correction: dict[str, Any], width: int = 90) -> str:
    """The part of a text around a correction."""
    text = " ".join(text.split())
    places = [text.find(words) for words in (correction["gone"], correction["found"]) if words]
    start = text.rfind(" ", 0, max(1, max(places, default=0) - width // 2)) + 1
    end = text.find(" ", start + width)
    return f"{'... ' * (start > 0)}{text[start:] if end < 0 else text[start:end] + ' ...'}"


@contextlib.contextmanager
def _keys(tenant_id: UUID, slug: str) -> Iterator[tuple[dict[str, str], str]]:
    """Keys by name for the agents and for one reviewer, with the reviewer's name; revokes the keys at the end."""
    actor = system(tenant_id, "demo")
    expires_at = timezone.now() + KEY_LIFETIME
    with gate.tenant(tenant_id):
        role = {"role__in": ["reviewer", "admin"], "is_active": True, "user__is_active": True}
        membership = Membership.objects.filter(tenant_id=tenant_id, **role).order_by("-role", "created_at").first()
        if membership is None:
            raise CommandError(f"{slug} has no reviewer. Add one with `manage.py provision {slug} --reviewer NAME`.")
        reviewer = User.objects.get(id=membership.user_id)
        keys = {reviewer.username: identities.issue_key(actor=actor, user=reviewer, expires_at=expires_at)}
        for agent in Agent.objects.filter(tenant_id=tenant_id, slug__in=AGENTS.values()):
            keys[agent.slug] = identities.issue_key(actor=actor, agent=agent, expires_at=expires_at)
    try:
        yield keys, reviewer.username
    finally:
        with gate.tenant(tenant_id):
            for key in keys.values():
                identities.revoke_key(key.split("_")[1], actor=actor)
