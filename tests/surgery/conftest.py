"""People whom only these tests need."""

import secrets

import pytest

from governance.identity import identities

# else its assertions fail without saying what differs
pytest.register_assert_rewrite("tests.surgery.reading_checks")


@pytest.fixture
def with_role(db):
    """`with_role(world, "admin")` is a new person of that tenant, as an API caller."""

    def make(world, role):
        name = f"{role}-{secrets.token_hex(4)}"
        made = identities.provision(world.slug, people=[(name, role)])
        return type(world.bob)(made.users[name]["key"])

    return make
