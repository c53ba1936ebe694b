"""A round of readiness, as the web server asks for it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from memory_project.readiness.outcomes import Outcome
from memory_project.readiness.rounds import Readiness, Server


def outcomes_of(*servers: Server) -> dict[str, Outcome]:
    """What the checks of `servers` find."""
    # in a thread of its own: a browser of other tests may run a loop in this one
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, Readiness(servers).report()).result().checks
