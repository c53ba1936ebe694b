"""Two tenants, whose agents record, correct and hand over, and whose reviewers decide."""

import json
from typing import Any

from bench.stack import Stack

SLUGS = ("soak-one", "soak-two")
AGENTS = ("writer", "reader")
REVIEWER = "bob"


def provision(stack: Stack) -> dict[str, dict[str, str]]:
    """Make them in a running stack; their keys by tenant and name. Raises SystemExit with what the command printed."""
    return {slug: _provision(stack, slug) for slug in SLUGS}


def _provision(stack: Stack, slug: str) -> dict[str, str]:
    asked = [argument for name in AGENTS for argument in ("--agent", name)]
    done = stack.manage("provision", slug, *asked, "--reviewer", REVIEWER, "--policy", "standard", "--json")
    if done.returncode:
        raise SystemExit(f"provision failed: {done.stderr}")
    made: dict[str, Any] = json.loads(done.stdout)
    return {name: one["key"] for kind in ("agents", "users") for name, one in made[kind].items()}
