"""A soak says what grew."""

from collections.abc import Callable

import pytest

from bench.soak.growth import CONNECTIONS, FILES, MEMORY, Sample, judged

pytestmark = pytest.mark.pure

SECONDS = 400.0
WEB = f"{MEMORY}web"


@pytest.mark.parametrize(
    ("changes", "grown"),
    [
        ({}, set()),
        ({WEB: lambda at: 300.0 + at}, {WEB}),
        ({CONNECTIONS: lambda at: 12.0 + at // 20}, {CONNECTIONS}),
        ({FILES: lambda at: 90.0 + at}, {FILES}),
        ({WEB: lambda at: min(300.0, 3.0 * at)}, set()),  # while caches fill
        ({WEB: lambda at: 2_000.0 if at == 390 else 300.0}, set()),  # one high look
    ],
)
def test_what_grows_through_the_run_is_found(changes: dict[str, Callable[[int], float]], grown: set[str]) -> None:
    still = {WEB: lambda at: 300.0, CONNECTIONS: lambda at: 12.0, FILES: lambda at: 90.0}
    samples = [
        Sample(float(at), {name: taken(at) for name, taken in {**still, **changes}.items()}, {})
        for at in range(0, int(SECONDS), 10)
    ]
    assert {row["taken"] for row in judged(samples, SECONDS) if row["last"] > row["limit"]} == grown


def test_a_run_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        judged([Sample(0.0, {}, {})], 20.0)
