"""The home page: its numbers are right, each leads to the list that it counts, and it costs the same at any size."""

import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from capsules.services import expiry
from governance import daily_counts
from governance.ledger import db, sealing, verification
from governance.models import DayFigure, Edit, Verdict
from memory import importing
from memory.models import Chunk, Event
from tests.ledger.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

HOME = "/admin/"


def busy(world):
    """Three quarantines wait; two are decided by people, two amends by the policy."""
    chunks = [world.chunk(f"fox {number}") for number in range(6)]
    for chunk in chunks[:5]:
        world.edit(chunk, "quarantine", by=world.alice)
    waiting = [edit["edit_id"] for edit in world.bob.ok("get", "edits?status=pending")["results"]]
    world.bob.decide(waiting[0])
    world.ann.decide(waiting[1], "reject", reason="no")
    for text in ("a cat", "a dog"):
        world.edit(chunks[5], "amend", text=text)
    daily_counts.roll_up(world.tenant_id)


def charts(page):
    return {chart.title.split(",")[0]: chart for chart in page.context["charts"]}


def told(chart):
    return {one.text for one in chart.figures}


def test_an_empty_tenant_is_told_what_to_do(world, desk):
    daily_counts.roll_up(world.tenant_id)
    page = desk(world.bob_name).client.get(HOME)
    assert page.status_code == 200
    for sentence in (
        "No edit waits for you",
        "No edits were decided",
        "No edit is pending",
        "POST /api/v1/events",
        "You have not decided any edits yet",
        "Check that it runs.",
    ):
        assert sentence in page.content.decode()


def test_the_numbers_are_what_happened(world, elsewhere, desk):
    busy(world)
    elsewhere.edit(elsewhere.chunk(), "quarantine", by=elsewhere.alice)
    daily_counts.roll_up(elsewhere.tenant_id)
    page = desk(world.bob_name).client.get(HOME)
    found = charts(page)
    assert told(found["Edits proposed"]) == {"5 quarantine", "2 amend"}
    assert told(found["Verdicts"]) == {"1 quarantine approved", "1 quarantine rejected", "2 amend approved"}
    assert told(found["Pending edits"]) == {"3 pending"}
    assert told(found["Recorded"]) == {"6 events", "6 chunks"}
    assert page.context["waiting"].count == 3
    assert [verdict.decision for verdict in page.context["verdicts"]] == ["approved"]
    with world.inside():
        assert Verdict.objects.count() == 4
        assert (Event.objects.count(), Chunk.objects.count()) == (6, 6)


def test_every_number_leads_to_a_list_of_as_many(world, desk):
    busy(world)
    client = desk(world.bob_name).client
    page = client.get(HOME)
    links = {one.text: one.link for chart in page.context["charts"] for one in chart.figures}
    assert len(links) == 8
    for text, link in links.items():
        listed = client.get(link)
        assert listed.status_code == 200, link
        assert listed.context["cl"].result_count == int(text.split()[0]), (text, link)


def test_every_link_of_the_page_answers(world, desk):
    busy(world)
    sealing.seal_all(world.tenant_id)
    verification.verify(world.tenant_id)
    client = desk(world.bob_name).client
    body = client.get(HOME).content.decode()
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/admin/[^"]*)"', body)} - {"/admin/logout/"}
    assert len(links) > 15
    assert {client.get(link).status_code for link in links} == {200}


def test_the_ages_of_what_is_pending_add_up(world, desk, owner):
    for days in (0, 2, 8, 22):
        edit = world.edit(world.chunk(f"fox {days}"), "quarantine", by=world.alice)["edit_id"]
        with world.inside("owner"):
            owner(
                "UPDATE governance_editstate SET created_at = created_at - make_interval(days => %s)"
                " WHERE edit_id = %s RETURNING edit_id",
                [days, edit],
            )
    client = desk(world.bob_name).client
    ages = charts(client.get(HOME))["Pending edits"]
    assert told(ages) == {"4 pending", "3 for a day or more", "2 for a week or more", "1 for three weeks or more"}
    assert '"data": [1, 1, 1, 1]' in ages.data
    for one in ages.figures:
        assert client.get(one.link).context["cl"].result_count == int(one.text[0]), one


def test_the_ledgers_state_is_told_and_findings_are_an_alarm(world, desk):
    world.chunk()
    sealing.seal_all(world.tenant_id)
    verification.verify(world.tenant_id)
    client = desk(world.bob_name).client
    facts = {fact.label: fact for fact in dict(client.get(HOME).context["panels"])["Ledger"]}
    assert "rows sealed" in facts["Last seal"].note
    assert facts["Last verification"].note == "intact"
    assert not facts["Last verification"].is_alarm
    assert client.get(facts["Last seal"].link).context["cl"].result_count == 1
    assert client.get(facts["Last verification"].link).context["cl"].result_count == 1
    with world.inside():
        db.note_verification(tenant=world.tenant_id, findings=3)
    facts = {fact.label: fact for fact in dict(client.get(HOME).context["panels"])["Ledger"]}
    assert (facts["Last verification"].note, facts["Last verification"].is_alarm) == ("3 findings", True)


def test_a_verification_that_somebody_wrote_into_the_database_is_not_shown(world, desk, owner):
    def note_by_hand():
        with world.inside("owner"):
            owner(
                "UPDATE governance_merkletree SET verified_at = clock_timestamp(), findings = 0 WHERE tenant_id = %s"
                " RETURNING id",
                [world.tenant_id],
            )

    def told():
        facts = {fact.label: fact for fact in dict(client.get(HOME).context["panels"])["Ledger"]}
        return facts["Last verification"]

    world.chunk()
    sealing.seal_all(world.tenant_id)
    client = desk(world.bob_name).client
    note_by_hand()
    assert told().note.startswith("The worker verifies the ledger every night.")
    tamper("memory_event", "UPDATE memory_event SET actor_id = 'somebody else' WHERE tenant_id = %s", world.tenant_id)
    found = verification.verify(world.tenant_id).finding_count
    note_by_hand()
    assert (told().note, told().is_alarm) == (f"{found} findings", True)


def test_capsules_are_told_by_how_long_they_live_and_lead_to_their_lists(world, elsewhere, desk, handed, expiring):
    for _ in range(4):
        handed([world.chunk()])
    soon, over = (handed([world.chunk()]) for _ in range(2))
    expiring(soon, timedelta(hours=5))
    expiring(over, timedelta(minutes=-5))
    client = desk(world.bob_name).client

    def facts():
        return {fact.label: fact for fact in dict(client.get(HOME).context["panels"])["Capsules"]}

    def values():
        return [fact.value for fact in facts().values()]

    assert values() == ["5", "1", "0"], "what is over may not be read, although nobody has marked it yet"
    expiry.expire_capsules()
    assert values() == ["5", "1", "1"]
    for fact in facts().values():
        assert client.get(fact.link).context["cl"].result_count == int(fact.value), fact


def test_what_the_worker_has_not_counted_yet_is_told_too(world, desk):
    client = desk(world.bob_name).client
    daily_counts.roll_up(world.tenant_id)
    for number in range(3):
        world.edit(world.chunk(f"fox {number}"), "quarantine", by=world.alice)
    found = charts(client.get(HOME))
    assert told(found["Edits proposed"]) == {"3 quarantine"}
    assert told(found["Pending edits"]) == {"3 pending"}
    assert told(found["Recorded"]) == {"3 events", "3 chunks"}
    daily_counts.roll_up(world.tenant_id)
    assert told(charts(client.get(HOME))["Edits proposed"]) == {"3 quarantine"}, "counted twice"


def test_where_nobody_counts_nothing_is_said_of_nothing(world, desk):
    """The worker has counted never, or long ago: the page does not say that there was nothing."""
    client = desk(world.bob_name).client
    empty = "No edits were proposed. Agents propose edits"
    assert empty not in client.get(HOME).content.decode()
    assert "These counts are not up to date" in client.get(HOME).content.decode()
    daily_counts.roll_up(world.tenant_id)
    assert empty in client.get(HOME).content.decode()
    with world.inside():
        long_ago = int((datetime.now(UTC) - timedelta(hours=3)).timestamp() * 1e6)
        DayFigure.objects.filter(name="counted").update(value=long_ago)
    assert "These counts are not up to date" in client.get(HOME).content.decode()


def test_imported_events_are_counted_on_the_day_on_which_they_were_recorded(world, desk):
    """They happened on days that were counted before they came."""
    daily_counts.roll_up(world.tenant_id)
    days_ago = [datetime.now(UTC) - timedelta(days=days) for days in (3, 45, 400)]
    lines = [json.dumps({**world.draft(f"fox of {at:%Y}"), "ts": f"{at:%Y-%m-%dT%H:%M:%SZ}"}) for at in days_ago]
    stream = io.BytesIO("\n".join(lines).encode())
    importing.load_events(stream, name="old.jsonl", actor=world.alice_principal, tally=importing.Tally())
    daily_counts.roll_up(world.tenant_id)
    client = desk(world.bob_name).client
    chart = charts(client.get(HOME))["Recorded"]
    assert told(chart) == {"3 events", "3 chunks"}
    for one in chart.figures:
        assert client.get(one.link).context["cl"].result_count == 3, one


def queries_of(client):
    client.get(HOME)  # which writes that the session is in use, once a minute
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(HOME).status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_it_asks_as_much_of_a_large_tenant_as_of_a_small_one(world, desk):
    client = desk(world.bob_name).client
    busy(world)
    few = queries_of(client)
    for _ in range(3):
        busy(world)
    many = queries_of(client)
    assert len(many) == len(few) <= 32
    counted = [sql for sql in many if 'governance_edit"' in sql or "memory_" in sql or "governance_verdict" in sql]
    # no record is counted on the page but what waits, up to a limit
    assert all("LIMIT" in sql or "governance_editstate" in sql for sql in counted if "COUNT(" in sql), counted


def test_a_page_reads_no_large_table_from_end_to_end(world, desk):
    """With sequential scans forbidden every statement still finds an index: none needs to read a whole table."""
    busy(world)
    large = ("governance_edit", "governance_verdict", "governance_entry", "memory_chunk", "memory_event",
             "governance_accessrecord", "memory_effectivechunk")  # fmt: skip
    statements = [sql for sql in queries_of(desk(world.bob_name).client) if any(f'"{name}"' in sql for name in large)]
    assert statements
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for sql in statements:
            cursor.execute(f"EXPLAIN {sql}")
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert not re.search(rf"Seq Scan on ({'|'.join(large)})\b", plan), plan


def test_days_are_counted_once_and_today_anew(world):
    moment = datetime(2026, 3, 10, 12, tzinfo=UTC)
    assert daily_counts.roll_up(world.tenant_id, at=moment) == daily_counts.DAYS
    assert daily_counts.roll_up(world.tenant_id, at=moment) == 2
    assert daily_counts.roll_up(world.tenant_id, at=moment + timedelta(days=3)) == 4
    with world.inside():
        assert DayFigure.objects.filter(name="counted", day=moment.date()).count() == 1
        assert Edit.objects.count() == 0


def test_what_is_recorded_later_today_is_counted_at_the_next_time(world):
    world.chunk()
    daily_counts.roll_up(world.tenant_id)
    world.chunk()
    daily_counts.roll_up(world.tenant_id)
    with world.inside():
        assert sum(daily_counts.series(world.tenant_id)["chunks"].values()) == 2
