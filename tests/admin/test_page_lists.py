"""Lists of more rows than are counted: what they say, and that every row comes once on the way through their pages."""

import re
import uuid
from itertools import chain

import pytest

from governance.admin import paging
from governance.admin.site import site
from memory.models import EffectiveChunk
from tests.admin.conftest import Desk
from tests.world import make_world

pytestmark = pytest.mark.django_db(transaction=True)

CHUNKS = "/admin/memory/effectivechunk/"
EDITS = "/admin/governance/edit/"
COUNTED, PER_PAGE, ROWS = 4, 2, 11


@pytest.fixture(autouse=True)
def few_are_counted(monkeypatch):
    monkeypatch.setattr(paging, "LISTED_AT_MOST", COUNTED)
    for model_admin in site._registry.values():
        monkeypatch.setattr(model_admin, "list_per_page", PER_PAGE)


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """A tenant with chunks in two channels, some about no subject."""
    with django_db_blocker.unblock():
        world = make_world()
        chunks = [
            world.chunk(
                f"fox {number}",
                channel=("private", "team")[number % 2],
                **({"subject_type": "user", "subject_id": f"user-{number % 3}"} if number % 3 else {}),
            )
            for number in range(ROWS)
        ]
    return world, chunks


@pytest.fixture
def chunks(filled):
    return filled[1]


@pytest.fixture
def client(filled):
    return Desk(filled[0].bob_name).client


def rows_of(response):
    return [str(row.pk) for row in response.context["cl"].result_list]


def next_of(response):
    found = re.search(r'href="([^"]*)" rel="next"', response.content.decode())
    return found and found[1].replace("&amp;", "&")


def followed(client, address, query=""):
    """The ids of all pages: those with numbers, and those that Next leads to."""
    shown, page = [], client.get(f"{address}?{query}")
    for number in range(1, page.context["cl"].paginator.num_pages + 1):
        page = client.get(f"{address}?{query}&p={number}")
        shown.append(rows_of(page))
    while following := next_of(page):
        page = client.get(address + following)
        assert page.status_code == 200
        shown.append(rows_of(page))
    return shown


def columns(client, *names):
    """The parameter that orders the list of chunks by these columns; a name with "-" in front descends."""
    titles = [getattr(column, "__name__", column) for column in client.get(CHUNKS).context["cl"].list_display]
    return "o=" + ".".join(f"{'-' * name.startswith('-')}{titles.index(name.lstrip('-'))}" for name in names)


def test_a_long_list_says_that_there_are_more_and_pages_on(client, chunks):
    pages = followed(client, CHUNKS)
    assert list(chain(*pages)) == chunks[::-1]
    assert [len(page) for page in pages] == [2, 2, 2, 2, 2, 1]
    for query in ("", "?p=2", f"?after={chunks[5]}"):
        text = client.get(CHUNKS + query).content.decode()
        assert re.search(rf"\s{COUNTED}\+\s+effective chunks\s", text), query
    assert next_of(client.get(CHUNKS)) is None  # the numbers lead on


def test_a_list_that_is_counted_says_its_number(client, chunks, monkeypatch):
    monkeypatch.setattr(paging, "LISTED_AT_MOST", ROWS)
    page = client.get(f"{CHUNKS}?p=6")
    assert re.search(rf"\s{ROWS}\s+effective chunks\s", page.content.decode())
    assert next_of(page) is None


@pytest.mark.parametrize(
    "order", [["channel"], ["-channel"], ["subject_id"], ["-subject_id"], ["channel", "-subject_id"]], ids=" ".join
)
def test_every_row_comes_once_in_the_chosen_order(client, chunks, order, monkeypatch):
    query = columns(client, *order)
    pages = followed(client, CHUNKS, query)
    monkeypatch.setattr(site.get_model_admin(EffectiveChunk), "list_per_page", ROWS)
    whole = rows_of(client.get(f"{CHUNKS}?{query}"))
    assert sorted(whole) == sorted(chunks)
    assert list(chain(*pages)) == whole


def test_filters_hold_on_every_page(client, chunks):
    assert list(chain(*followed(client, CHUNKS, "channel=team"))) == chunks[1::2][::-1]


def test_a_link_to_another_order_or_filter_starts_anew(client, chunks):
    page = client.get(f"{CHUNKS}?channel=private&after={chunks[6]}")
    text = page.content.decode()
    assert rows_of(page) == [chunks[4], chunks[2]]
    assert re.findall(r'name="after"', text) == []
    links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]*)"', text)]
    assert [link for link in links if "after=" in link] == [next_of(page)]


@pytest.mark.parametrize(
    ("address", "key"), [(CHUNKS, ""), (CHUNKS, "fox"), (EDITS, "fox"), (EDITS, str(uuid.UUID(int=7)))]
)
def test_what_is_no_key_leads_to_the_first_page(client, chunks, address, key):
    answer = client.get(f"{address}?after={key}")
    assert (answer.status_code, answer["Location"]) == (302, f"{address}?e=1")


def test_a_row_that_is_gone_keeps_its_place_in_an_order_by_key(client, chunks):
    gone = uuid.UUID(int=uuid.UUID(chunks[6]).int - 1)
    assert rows_of(client.get(f"{CHUNKS}?after={gone}")) == [chunks[5], chunks[4]]


def test_the_queue_pages_on_in_its_own_order(desk):
    world = make_world("strict")
    edits = [world.edit(world.chunk(f"fox {number}"), "quarantine")["edit_id"] for number in range(7)]
    client = desk(world.bob_name).client
    assert list(chain(*followed(client, EDITS, "status=all"))) == edits[::-1]
    assert list(chain(*followed(client, EDITS, "status=pending"))) == edits  # by the time in the table of states


def test_a_row_of_another_tenant_is_no_place_in_the_list(elsewhere, client):
    other = elsewhere.edit(elsewhere.chunk("fox"), "quarantine")["edit_id"]
    assert client.get(f"{EDITS}?after={other}").status_code == 302
