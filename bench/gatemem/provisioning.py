"""A process in the environment of a stack, which creates tenants and embeds their memory.

Each line of its input is a slug. For a new one, it creates the tenant and answers with the keys as JSON. For a known
one, it embeds what waits, as the jobs of the worker would do.
"""

import functools
import json
import os
import subprocess
import sys
import threading
from typing import Any

#: Texts whose vectors are kept.
EMBEDDED = 2_000
AGENT, REVIEWER, ADMIN = "assistant", "bob", "alice"


class Provisioner:
    """Such a process. Its methods may be called from several threads."""

    def __init__(self, place: os.PathLike[str], environment: dict[str, str]) -> None:
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            cwd=place,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def provision(self, slug: str) -> dict[str, str]:
        """Create a tenant; returns the keys of its agent, which speaks for all principals, and of its people."""
        keys: dict[str, str] = self._ask(slug)
        return keys

    def embed(self, slug: str) -> None:
        """Embed the memory of a tenant."""
        self._ask(slug)

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()

    def _ask(self, slug: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._turn:
            self._process.stdin.write(f"{slug}\n")
            self._process.stdin.flush()
            told = self._process.stdout.readline()
        if not told:
            raise SystemExit("The provisioner process has ended.")
        return json.loads(told)


def main() -> None:
    """Answer each line of the input."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "memory_project.settings"
    django.setup()
    from memory.embedding.local import LocalModel

    # The mappings of an episode embed the same texts.
    LocalModel._run = functools.lru_cache(EMBEDDED)(LocalModel._run)  # type: ignore[method-assign]
    made = set()
    for line in sys.stdin:
        slug = line.strip()
        print(json.dumps(_embedded(slug) if slug in made else _provisioned(slug)), flush=True)
        made.add(slug)


def _provisioned(slug: str) -> dict[str, str]:
    from governance.acting import gate
    from governance.acting.credentials import system
    from governance.identity import agents, identities

    people = {REVIEWER: f"{REVIEWER}-{slug}", ADMIN: f"{ADMIN}-{slug}"}
    roles = [(people[REVIEWER], "reviewer"), (people[ADMIN], "admin")]
    made = identities.provision(slug, agents=[(AGENT, [])], people=roles)
    tenant = identities.tenant_id_of(slug)
    with gate.tenant(tenant):
        agent, actor = agents.find_agent(AGENT, tenant), system(tenant, "eval")
        key = identities.issue_key(actor=actor, agent=agent, speaks_for=["*"])
    return {AGENT: key, **{name: made.users[username]["key"] for name, username in people.items()}}


def _embedded(slug: str) -> int:
    from governance.identity import identities
    from memory.embedding import jobs

    worked = jobs.run(seconds=600, among=[identities.tenant_id_of(slug)])
    if worked.failure:
        raise SystemExit(f"{slug} cannot be embedded: {worked.failure}")
    return worked.embedded
