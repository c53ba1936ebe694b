"""Times are read as RFC 3339 allows them to be written."""

from datetime import UTC, datetime

import pytest

from governance.inputs import moment

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-03-01t12:00:00z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01 12:00:00.5z", datetime(2026, 3, 1, 12, microsecond=500_000, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2016-12-31T23:59:60.75Z", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2017-01-01T00:59:60+01:00", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2017-01-01t05:29:60+05:30", datetime(2017, 1, 1, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_rfc_3339_allows(written: str, meant: datetime) -> None:
    assert moment(written) == meant


@pytest.mark.parametrize(
    "written", ["9999-12-31T23:59:60Z", "2026-03-01T12:30:60Z", "2026-03-01T23:60:00Z", "2026-03-01"]
)
def test_no_other_time_is_guessed(written: str) -> None:
    with pytest.raises(ValueError, match=r"date and time|offset"):
        moment(written)
