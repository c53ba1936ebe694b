"""Audiences and relations that several add at once."""

import pytest

from governance.models import Audience
from tests.ledger.tampering import interned
from tests.relations.conftest import ADA, BO, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_audiences_have_numbers_without_gaps_and_each_one_only_once(related, at_once):
    def number(*usersets):
        return lambda: interned(related.world, *usersets)

    found = at_once(*(number(one) for one in (ADA, BO, ADA, BO)), number(ADA, BO))
    assert found[0] == found[2]
    assert found[1] == found[3]
    assert set(found) == {0, 1, 2}
    with related.world.inside():
        assert Audience.objects.filter(tenant_id=related.world.tenant_id).count() == 3


def test_the_same_relation_is_added_once_and_revoked_once(related, at_once):
    body = {"principal": CHARLIE, "relation": "clinician_of", "object": ADA, "reason": "a test"}
    answers = at_once(*[lambda: related.world.bob.post("relations", body)] * 3)
    assert sorted(one.status_code for one in answers) == [201, 409, 409]
    (relation,) = related.world.bob.ok("get", "relations")["results"]
    address = f"relations/{relation['id']}/revoke"
    answers = at_once(*[lambda: related.world.bob.post(address, {"reason": "a test"})] * 3)
    assert sorted(one.status_code for one in answers) == [200, 409, 409]


def test_the_same_rule_is_set_once(related, at_once):
    rule = {"subject_type": "patient", "audience": {"principals": ["subject"]}, "reason": "a test"}
    answers = at_once(*[lambda: related.carol.post("audience-rules", rule)] * 3)
    assert sorted(one.status_code for one in answers) == [201, 409, 409]
