"""Forgetting and correcting a value on the admin site: first every place to look at, then the act; and allowing it
again."""

import re
from typing import Any

import pytest
from django.test import Client

from governance.identity import identities
from governance.models import AccessRecord
from memory.usage import deliveries
from tests.admin.conftest import Desk
from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

FORGET, REPLACE = "/admin/memory/value/forget-value/", "/admin/memory/value/replace-value/"
LIST = "/admin/memory/value/"


@pytest.fixture
def bob(world: World) -> Client:
    return Desk(world.bob_name).client


def asked(**fields: str) -> dict[str, str]:
    return {"value": "orchid-7", "reason": "The customer asked", **fields}


def looked(client: Client, address: str, fields: dict[str, str]) -> Any:
    """The page that lists the places, and changes nothing."""
    page = client.post(address, fields)
    assert page.status_code == 400
    return page


def commit(client: Client, address: str, **fields: str) -> Any:
    """Look, then confirm what the page shows."""
    form = looked(client, address, asked(**fields)).context["form"]
    return client.post(address, asked(**fields, count=str(form.found.count), seen=form.state))


def errors(page: Any) -> dict[str, list[str]]:
    return dict(page.context["form"].errors)


def test_it_works(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    world.event("use orchid-7", kind="decision", content={"decision": "Use orchid-7 for staging"})
    world.event("The orchid died after 7 days.")

    page = looked(bob, FORGET, asked())
    words = page.content.decode()
    assert "2 places would lose these words" in words
    assert "Staging runs on orchid-7." in words
    assert [(kind, count) for kind, count, _ in page.context["form"].places] == [("decision", 1), ("message", 1)]
    assert [str(line) for _, line, _ in page.context["form"].near] == ["The orchid died after 7 days."]
    assert world.found("staging runs")[0] == "Staging runs on orchid-7."

    done = bob.post(FORGET, asked(count="2", seen=page.context["form"].state))
    assert done.status_code == 302
    assert "Forget: in effect now." in bob.get(done["Location"]).content.decode()
    assert world.found("staging runs")[0] == "Staging runs on […]."
    assert world.found("orchid-7") == ["The orchid died after 7 days."]


def test_a_value_is_replaced(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    assert commit(bob, REPLACE, to="lotus-2").status_code == 302
    assert world.found("staging") == ["Staging runs on lotus-2."]


def test_who_received_a_place_is_listed(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    world.found("staging")
    deliveries.record_deliveries()
    ((_, _, ((place, _, _),)),) = looked(bob, FORGET, asked()).context["form"].places
    assert place.received_by == ["alice"]


def test_invisible_characters_of_a_place_are_shown(world: World, bob: Client) -> None:
    world.event("Staging\u202e runs on orchid-7.")
    words = looked(bob, FORGET, asked()).content.decode()
    assert "\u202e" not in words
    assert "U+202E" in words


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("", "This field is required"),
        ("x", "A value needs"),
        ("the", "A value needs"),
        ("a\x07b", "U+0007"),
        ("word " * 101, "at most 100 words"),
        ("orchid-8", "says the value"),
    ],
    ids=["empty", "one-character", "stop-word", "control-character", "too-long", "said-nowhere"],
)
def test_a_bad_value_is_refused_with_what_is_wrong(world: World, bob: Client, value: str, fault: str) -> None:
    world.event("Staging runs on orchid-7.")
    ((found,),) = errors(looked(bob, FORGET, asked(value=value))).values()
    assert fault in found


def test_a_reach_that_matches_nothing_is_refused_with_what_to_do(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.", subject_type="user", subject_id="jack-1")
    page = looked(bob, FORGET, asked(subject_type="user", subject_id="jane-2"))
    assert "widen the reach" in errors(page)["value"][0]
    assert page.context["form"].is_unfolded
    assert commit(bob, FORGET, subject_type="user", subject_id="jack-1").status_code == 302
    assert world.found("staging") == ["Staging runs on […]."]


def test_a_subject_needs_its_type(world: World, bob: Client) -> None:
    assert "type of the subject" in errors(looked(bob, FORGET, asked(subject_id="jack-1")))["subject_id"][0]


def test_a_bad_time_is_refused_at_its_field(world: World, bob: Client) -> None:
    assert "since" in errors(looked(bob, FORGET, asked(since="yesterday")))


def test_new_words_that_say_the_value_are_refused(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    assert "never be gone" in errors(looked(bob, REPLACE, asked(to="Orchid-7")))["to"][0]


def test_without_a_reason_nothing_is_listed(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    page = looked(bob, FORGET, asked(reason=""))
    assert "reason" in errors(page)
    assert page.context["form"].found is None


def test_a_wrong_number_changes_nothing(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    form = looked(bob, FORGET, asked()).context["form"]
    assert "enter the number 1" in looked(bob, FORGET, asked(count="2", seen=form.state)).content.decode()
    assert world.found("orchid-7") == ["Staging runs on orchid-7."]


def test_places_that_changed_since_they_were_listed_are_listed_anew(world: World, bob: Client) -> None:
    chunk = world.chunk("Staging runs on orchid-7.")
    form = looked(bob, FORGET, asked()).context["form"]
    world.edit(chunk, "retract")
    world.event("Production runs on orchid-7.")
    page = looked(bob, FORGET, asked(count="1", seen=form.state))
    assert "has changed since the page listed the places" in page.content.decode()
    assert "Production runs on orchid-7." in page.content.decode()
    assert world.found("production") == ["Production runs on orchid-7."]


def test_another_value_than_the_one_that_was_looked_at_is_listed_first(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    world.event("Production runs on lotus-2.")
    form = looked(bob, FORGET, asked()).context["form"]
    looked(bob, FORGET, asked(value="lotus-2", count="1", seen=form.state))
    assert world.found("production") == ["Production runs on lotus-2."]


def test_a_common_value_needs_a_second_confirmation(world: World, bob: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory.values.proposing.COMMON", 2)
    for place in ("Staging", "Production"):
        world.event(f"{place} runs on orchid-7.")
    page = looked(bob, FORGET, asked())
    assert "The value is common: 2 memories say it." in page.content.decode()
    sent = asked(count="2", seen=page.context["form"].state)
    assert "Confirm this, or name a longer value." in errors(looked(bob, FORGET, sent))["confirm"][0]
    assert bob.post(FORGET, {**sent, "confirm": "on"}).status_code == 302
    assert world.found("orchid-7") == []


def test_a_form_sent_twice_acts_once(world: World, bob: Client) -> None:
    world.event("Staging runs on orchid-7.")
    form = looked(bob, FORGET, asked()).context["form"]
    sent = asked(count="1", seen=form.state, once="a" * 16)
    assert bob.post(FORGET, sent).status_code == 302
    assert bob.post(FORGET, sent).status_code == 400
    assert len(bob.get(LIST).context["cl"].result_list) == 1


@pytest.mark.parametrize("address", [FORGET, REPLACE])
def test_an_auditor_may_not(world: World, address: str) -> None:
    name = f"auditor-{world.slug.removeprefix('tenant-')}"
    assert Desk(name).client.post(address, asked()).status_code == 403


def test_an_outsider_finds_nothing(world: World, elsewhere: World, bob: Client) -> None:
    chunk = world.chunk("Staging runs on orchid-7.")
    commit(bob, FORGET)
    charlie = Desk(elsewhere.bob_name).client
    assert charlie.get(f"/admin/memory/effectivechunk/{chunk}/forget-value/").status_code == 404
    assert errors(looked(charlie, FORGET, asked()))["value"]
    assert list(charlie.get(LIST).context["cl"].result_list) == []


class TestFromAMemory:
    def test_its_page_links_to_the_forms(self, world: World, bob: Client) -> None:
        folder = f"/admin/memory/effectivechunk/{world.chunk('Staging runs on orchid-7.')}"
        page = bob.get(f"{folder}/change/").content.decode()
        assert "Correct everywhere" in page
        assert f"{folder}/forget-value/" in page

    def test_the_form_starts_with_its_words(self, world: World, bob: Client) -> None:
        chunk = world.chunk("Staging runs on orchid-7.")
        page = bob.get(f"/admin/memory/effectivechunk/{chunk}/forget-value/")
        assert page.context["form"]["value"].value() == "Staging runs on orchid-7."
        assert commit(bob, f"/admin/memory/effectivechunk/{chunk}/forget-value/").status_code == 302
        assert world.found("staging") == ["Staging runs on […]."]

    def test_the_memory_browser_links_to_the_forms(self, world: World, bob: Client) -> None:
        chunk = world.chunk("Staging runs on orchid-7.")
        page = bob.get(f"/admin/memory/effectivechunk/browse/?agent={world.alice_principal.id}").content.decode()
        assert f"/admin/memory/effectivechunk/{chunk}/replace-value/" in page


class TestWhatElseSaysIt:
    def test_the_page_of_an_amend_counts_it(self, world: World, bob: Client) -> None:
        chunk = world.chunk("Staging runs on orchid-7.")
        world.event("Ask about orchid-7 at noon.")
        world.event("The orchid died after 7 days.")
        edit = world.edit(chunk, "amend", text="Staging runs on lotus-2.")["edit_id"]
        words = bob.get(f"/admin/governance/edit/{edit}/change/").content.decode()
        assert "1 other memory says the same" in words
        address = f"/admin/governance/edit/{edit}/replace-value/"
        assert words.count(address) == 1
        form = bob.get(address).context["form"]
        assert (form["value"].value(), form["to"].value()) == ("orchid-7", "lotus-2")
        assert commit(bob, address, to="lotus-2").status_code == 302
        assert world.found("noon") == ["Ask about lotus-2 at noon."]

    def test_the_page_of_a_pending_retract_counts_it(self, world: World, bob: Client) -> None:
        draft = world.draft("The key is under the mat.", actor_type="human")
        (chunk,) = world.bob.ok("post", "events", draft)["chunk_ids"]
        world.event("He said: the key is under the mat. Then he left.")
        edit = world.edit(chunk, "retract", by=world.alice)["edit_id"]
        assert "1 other memory says the same" in bob.get(f"/admin/governance/edit/{edit}/change/").content.decode()

    def test_a_number_that_was_not_counted_to_the_end_says_so(
        self, world: World, bob: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("memory.values.provenance.COUNTED_AT_MOST", 2)
        chunk = world.chunk("Staging runs on orchid-7.")
        for hour in ("noon", "one", "two"):
            world.event(f"Ask about orchid-7 at {hour}.")
        edit = world.edit(chunk, "amend", text="Staging runs on lotus-2.")["edit_id"]
        words = bob.get(f"/admin/governance/edit/{edit}/change/").content.decode()
        assert "At least 2 other memories say the same" in words

    def test_it_is_not_on_the_page_of_an_edit_whose_words_stand_nowhere_else(self, world: World, bob: Client) -> None:
        edit = world.edit(world.chunk("Staging runs on orchid-7."), "amend", text="Staging runs on lotus-2.")["edit_id"]
        assert "the same" not in bob.get(f"/admin/governance/edit/{edit}/change/").content.decode()

    def test_words_that_are_no_value_are_not_searched_for(self, world: World, bob: Client) -> None:
        edit = world.edit(world.chunk("Where is the key?"), "amend", text="Where is a key?")["edit_id"]
        page = bob.get(f"/admin/governance/edit/{edit}/change/")
        assert page.status_code == 200
        assert page.context["elsewhere"] is None

    def test_an_auditor_sees_the_number_without_the_forms(self, world: World) -> None:
        chunk = world.chunk("Staging runs on orchid-7.")
        world.event("Ask about orchid-7 at noon.")
        edit = world.edit(chunk, "amend", text="Staging runs on lotus-2.")["edit_id"]
        name = f"auditor-{world.slug.removeprefix('tenant-')}"
        words = Desk(name).client.get(f"/admin/governance/edit/{edit}/change/").content.decode()
        assert "1 other memory says the same" in words
        assert "everywhere" not in words


class TestTheListOfValues:
    def test_it_shows_what_is_kept_out_and_allows_it_again(self, world: World, bob: Client) -> None:
        world.event("Staging runs on orchid-7.", subject_type="user", subject_id="jack-1")
        commit(bob, FORGET, subject_type="user", subject_id="jack-1", ends_at="2099-01-31 12:00")
        words = bob.get(LIST).content.decode()
        for shown in ("orchid-7", "[…]", "about subject jack-1", "2099-01-31 12:00", world.bob_name):
            assert shown in words
        (address,) = re.findall(r"/admin/governance/edit/[\w-]+/allow-again/", words)
        assert "Allow again" in bob.get(address).content.decode()
        done = bob.post(address, {"reason": "It was right"})
        assert "Allow again: in effect now." in bob.get(done["Location"]).content.decode()
        assert world.found("staging") == ["Staging runs on orchid-7."]
        assert "No value is kept out." in bob.get(LIST).content.decode()

    def test_the_review_page_allows_it_again_too(self, world: World, bob: Client) -> None:
        world.event("Staging runs on orchid-7.")
        page = bob.get(commit(bob, FORGET)["Location"]).content.decode()
        assert "Allow again …" in page
        assert "Revert …" not in page

    def test_an_auditor_reads_it_and_the_access_log_says_so(self, world: World, bob: Client) -> None:
        world.event("Staging runs on orchid-7.")
        commit(bob, FORGET)
        name = f"auditor-{world.slug.removeprefix('tenant-')}"
        words = Desk(name).client.get(LIST).content.decode()
        assert "orchid-7" in words
        assert "allow again" not in words
        with world.inside():
            assert AccessRecord.objects.get(actor=name).target_type == "value"

    def test_one_without_a_role_does_not(self, world: World) -> None:
        dave = f"dave-{world.slug}"
        identities.provision("another-" + world.slug, people=[(dave, "reviewer")])
        page = Desk(dave).client.get(LIST)
        assert page.status_code == 200
        assert "orchid-7" not in page.content.decode()
