"""What a request reads does not depend on how many tenants there are, nor on whether the planner's statistics know the
tenant. Rows and index entries are counted, not seconds."""

from collections.abc import Iterator

import pytest

from tests.database import asking
from tests.database.growing import WAYS, Tenants, growing

pytestmark = pytest.mark.slow

#: The most rows and index entries that each request may read, in all tables together: what it answers, what it is made
#: of, and the samples of a search. A plan that reads a whole tenant reads 2,000 of each table.
MOST = {
    "newest events": 700,
    "events of a session": 700,
    "one event": 100,
    "newest chunks": 200,
    "chunks of a subject": 700,
    "chunks of a project": 300,
    "search, rare term": 150,
    "search, common term": 2600,
    "search, subject": 2200,
    "get 50 by id": 250,
    "timeline": 200,
    "context bundle": 4000,
    "newest edits": 2000,
    "record 1 event": 500,
    "record 100 events": 8000,
    "amend": 600,
}


@pytest.fixture(scope="module")
def tenants(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Tenants]:
    with growing(django_db_blocker, "plans") as grows:
        yield grows


@pytest.fixture(scope="module", params=WAYS)
def grown(request: pytest.FixtureRequest, tenants: Tenants) -> Tenants:
    """The tenants, as many as the parameter says."""
    tenants.grow(request.param)
    return tenants


def test_a_request_reads_what_it_answers_and_little_more(grown: Tenants) -> None:
    for slug, tenant in grown.measured.items():
        requests = asking.requests_of(grown.name, tenant)
        assert {request.name for request in requests} == MOST.keys()
        read = {request.name: asking.read(tenant, request) for request in requests}
        too_much = {name: one.most_common(3) for name, one in read.items() if one.total() > MOST[name]}
        assert too_much == {}, slug
