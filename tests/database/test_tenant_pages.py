"""What lists of records, edits and capsules read, and pages of the admin site, whose statements Django writes, does not
depend on how many tenants there are, nor on whether the planner's statistics know the tenant."""

from collections.abc import Iterator

import pytest

from governance import daily_counts
from governance.admin import home, paging
from tests.database import asking, reads
from tests.database.growing import Tenants, growing

pytestmark = pytest.mark.slow

#: The most rows and index entries that a read may take. A plan that reads a whole tenant reads 1,200 of its decisions,
#: and 2,000 chunks or more.
MOST = 900
MOST_OF = {
    # no index tells which decisions are about a subject: the tenant's are scanned
    "decisions of a subject": 1_500,
    "decisions in force": 1_800,
    # of a tenant with so few entries of the ledger, reading all of them costs as little as looking some up
    "page: story of a chunk": 2_000,
}
#: The third tenant unknown to the statistics and known, and a thousand more. (Two tenants are less than these.)
WAYS = ["2 tenants and a new one", "3 tenants", "1,003 tenants"]
#: Lists of the admin site count so many rows at most, and the charts of home.
COUNTED = 100


@pytest.fixture(scope="module")
def tenants(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> Iterator[Tenants]:
    with growing(django_db_blocker, "pages", reads.fill) as grows:
        yield grows


@pytest.fixture(scope="module", params=WAYS)
def grown(request: pytest.FixtureRequest, tenants: Tenants) -> Tenants:
    """The tenants, as many as the parameter says."""
    tenants.grow(request.param)
    return tenants


def test_lists_of_records_and_pages_of_the_admin_site_read_what_they_show_and_little_more(
    grown: Tenants, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "LISTED_AT_MOST", COUNTED)
    monkeypatch.setattr(home, "COUNTED_AT_MOST", COUNTED)
    monkeypatch.setattr(daily_counts, "LIVE_AT_MOST", COUNTED)
    for slug, tenant in grown.measured.items():
        one = reads.known(tenant)
        read = {request.name: asking.read(tenant, request) for request in reads.requests(one)}
        client = reads.browser(tenant)
        for name, address in reads.pages(tenant, one).items():
            reads.opened(client, address)
            read[f"page: {name}"] = reads.opened(client, address)
        too_much = {
            name: dict(counted.most_common(3))
            for name, counted in read.items()
            if counted.total() > MOST_OF.get(name, MOST)
        }
        assert too_much == {}, slug
