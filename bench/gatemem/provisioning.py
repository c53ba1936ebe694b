"""`python -m bench.gatemem.provisioning SLUG...`: creates tenants in one process, and prints their keys as JSON."""

import json
import os
import sys

AGENT, REVIEWER, ADMIN = "assistant", "bob", "alice"


def main(slugs: list[str]) -> None:
    """Print the keys of each tenant. Its agent's key speaks for all principals."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_project.settings"
    django.setup()
    print(json.dumps({slug: _made(slug) for slug in slugs}))


def _made(slug: str) -> dict[str, str]:
    from governance.acting import gate
    from governance.acting.credentials import system
    from governance.identity import agents, identities

    people = {REVIEWER: f"{REVIEWER}-{slug}", ADMIN: f"{ADMIN}-{slug}"}
    roles = [(people[REVIEWER], "reviewer"), (people[ADMIN], "admin")]
    made = identities.provision(slug, agents=[(AGENT, [])], people=roles)
    tenant = identities.tenant_id_of(slug)
    with gate.tenant(tenant):
        key = identities.issue_key(
            actor=system(tenant, "eval"), agent=agents.find_agent(AGENT, tenant), speaks_for=["*"]
        )
    return {AGENT: key, **{name: made.users[username]["key"] for name, username in people.items()}}


if __name__ == "__main__":
    main(sys.argv[1:])
