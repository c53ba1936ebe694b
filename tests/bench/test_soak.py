"""A soak says what grew."""

import pytest

from bench.soak import judging
from bench.soak.sampling import BACKLOGS, Sample

pytestmark = pytest.mark.pure

SECONDS = 400.0


def samples(memory=lambda at: 300.0, connections=lambda at: 12, files=lambda at: 90):
    """A look every 10 s."""
    return [
        Sample(float(at), {"web": memory(at), "worker": 200.0}, connections(at), files(at), dict.fromkeys(BACKLOGS, 0))
        for at in range(0, int(SECONDS), 10)
    ]


def grown(found):
    return {row["measured"] for row in judging.growth(found, SECONDS) if not row["is_kept"]}


def test_what_stays_is_kept():
    assert grown(samples()) == set()


def test_memory_that_grows_is_found():
    assert grown(samples(memory=lambda at: 300.0 + at)) == {"memory of web"}


def test_connections_that_are_never_closed_are_found():
    assert grown(samples(connections=lambda at: 12 + at // 20)) == {"connections to PostgreSQL"}


def test_files_that_are_never_closed_are_found():
    assert grown(samples(files=lambda at: 90 + at)) == {"open files of the web server"}


def test_what_is_taken_while_caches_fill_is_not_growth():
    assert grown(samples(memory=lambda at: min(300.0, 3 * at))) == set()


def test_one_high_look_is_not_growth():
    assert grown(samples(memory=lambda at: 2_000.0 if at == 390 else 300.0)) == set()


def test_a_run_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="too short"):
        judging.growth(samples()[:2], 20.0)
