"""A stack that was just started and has recorded something is ready, and every check says so."""

from typing import Any

import httpx
import pytest

from tests.stack.running import eventually

pytestmark = [pytest.mark.stack, pytest.mark.smoke]

OF_THE_DATABASE = ["database", "migrations", "writing", "signing key", "ledger", "clock"]
OF_THE_BROKER = ["broker", "worker", "seals", "embedding"]


def test_it_works(serving: Any) -> None:
    serving.record("The customer prefers tea.")

    def is_ok() -> bool:
        answer = httpx.get(f"{serving.url}/readyz", headers={"Host": "probe.invalid"})
        found = answer.json()
        assert list(found["checks"]) == [*OF_THE_DATABASE, *OF_THE_BROKER]
        return (answer.status_code, {check["status"] for check in found["checks"].values()}) == (200, {"ok"})

    # the first heartbeats and seals come some seconds after the start
    eventually(is_ok)
