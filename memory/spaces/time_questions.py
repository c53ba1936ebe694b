"""What a question asks about time, read from its words: a span, a part of a cycle, the latest or the first."""

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

Span = tuple[datetime, datetime]

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = tuple(name.casefold() for name in calendar.month_name[1:])
_SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
#: Hours of the day, of the clock in UTC.
HOURS = {"morning": (6, 12), "noon": (11, 13), "afternoon": (12, 18), "evening": (17, 23), "night": (21, 29)}
#: Months of the northern year.
SEASONS = {"spring": (2, 5), "summer": (5, 8), "autumn": (8, 11), "fall": (8, 11), "winter": (11, 14)}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "few": 3}
_UNIT_DAYS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30.44, "year": 365.25}

_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT_MONTHS)})\.?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>hour|day|week|month|year)"


class Cycle(StrEnum):
    """What recurs."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class CyclePart:
    """A part of a cycle, from `start` to `end` in shares of its period; `end` may pass 1."""

    cycle: Cycle
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class TimeQuestion:
    """What a question asks about time; at least one of its fields is set."""

    span: Span | None = None
    cycles: tuple[CyclePart, ...] = ()
    wants_latest: bool = False
    wants_first: bool = False


def ask_time(text: str, now: datetime) -> TimeQuestion | None:
    """What `text` asks about time, "last week" counted from `now`; None if it does not name a time.

    "When did ...?" names none: its answer has a time, and the question has not.
    """
    folded = text.casefold()
    asked = TimeQuestion(
        span=_span_in(folded, now),
        cycles=tuple(_cycles_in(folded)),
        wants_latest=_LATEST.search(folded) is not None,
        wants_first=_FIRST.search(folded) is not None,
    )
    return asked if asked != TimeQuestion() else None


_LATEST = re.compile(r"\b(?:latest|newest|recent|recently|lately|currently|(?:the )?last time|at the end)\b")
_FIRST = re.compile(r"\b(?:first|earliest|initially|originally|at the (?:beginning|start))\b")


def _span_in(text: str, now: datetime) -> Span | None:
    """The first span that the patterns find, the most exact kind of pattern first."""
    for pattern, read in _SPANS:
        if found := pattern.search(text):
            try:
                return read(found.groupdict(), now)
            except (ValueError, OverflowError):  # 31 June is no day
                continue
    return None


def _date(parts: dict[str, str], now: datetime) -> Span:
    return _days(datetime(int(parts["year"]), _month(parts["month"]), int(parts["day"]), tzinfo=UTC), 1)


def _month_of_year(parts: dict[str, str], now: datetime) -> Span:
    year, month = int(parts["year"]), _month(parts["month"])
    return _days(datetime(year, month, 1, tzinfo=UTC), calendar.monthrange(year, month)[1])


def _year(parts: dict[str, str], now: datetime) -> Span:
    year = int(parts["year"])
    return datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)


def _ago(parts: dict[str, str], now: datetime) -> Span:
    unit = timedelta(days=_UNIT_DAYS[parts["unit"]])
    middle = now - _count(parts) * unit
    return middle - unit / 2, min(middle + unit / 2, now)


def _during_last(parts: dict[str, str], now: datetime) -> Span:
    return now - _count(parts) * timedelta(days=_UNIT_DAYS[parts["unit"]]), now


def _near_day(parts: dict[str, str], now: datetime) -> Span:
    return _days(_midnight(now) - timedelta(days=1 if parts["near"] == "yesterday" else 0), 1)


def _weekday(parts: dict[str, str], now: datetime) -> Span:
    back = (now.weekday() - DAYS.index(parts["weekday"])) % 7 or 7
    return _days(_midnight(now) - timedelta(days=back), 1)


def _near_unit(parts: dict[str, str], now: datetime) -> Span:
    """This or the last week, month or year, by the calendar."""
    is_last, unit, today = parts["which"] != "this", parts["unit"], _midnight(now)
    if unit == "week":
        return _days(today - timedelta(days=today.weekday() + 7 * is_last), 7)
    if unit == "month":
        start = today.replace(day=1)
        if is_last:
            start = (start - timedelta(days=1)).replace(day=1)
        return _days(start, calendar.monthrange(start.year, start.month)[1])
    return _year({"year": str(today.year - is_last)}, now)


_SPANS: tuple[tuple[re.Pattern[str], Callable[[dict[str, str], datetime], Span]], ...] = (
    (re.compile(rf"\b{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)\b"), _date),
    (re.compile(rf"\b{_DAY}(?: of)? {_MONTH},? {_YEAR}\b"), _date),
    (re.compile(rf"\b{_MONTH} {_DAY},? {_YEAR}\b"), _date),
    (re.compile(rf"\b{_MONTH},?(?: of)? {_YEAR}\b"), _month_of_year),
    (re.compile(rf"\b{_COUNT} {_UNIT}s? ago\b"), _ago),
    (re.compile(rf"\b(?:last|past) {_COUNT} {_UNIT}s?\b"), _during_last),
    (re.compile(r"\b(?P<near>yesterday|today)\b"), _near_day),
    (re.compile(rf"\b(?:last|on|this past) (?P<weekday>{'|'.join(DAYS)})\b"), _weekday),
    (re.compile(r"\b(?P<which>last|this|previous) (?P<unit>week|month|year)\b"), _near_unit),
    (re.compile(rf"\b(?:in|during|of|since) {_YEAR}\b"), _year),
)


def _cycles_in(text: str) -> Iterator[CyclePart]:
    for found in re.finditer(rf"\b(?:every (?P<one>{'|'.join(DAYS)})|(?P<many>{'|'.join(DAYS)})s)\b", text):
        day = DAYS.index(found["one"] or found["many"])
        yield CyclePart(Cycle.WEEK, day / 7, (day + 1) / 7)
    if re.search(r"\b(?:on|at|every|during the) weekends?\b", text):
        yield CyclePart(Cycle.WEEK, 5 / 7, 1.0)
    for found in re.finditer(rf"\b(?:in the|at|every|around) (?P<hours>{'|'.join(HOURS)})s?\b", text):
        first, last = HOURS[found["hours"]]
        yield CyclePart(Cycle.DAY, first / 24, last / 24)
    for found in re.finditer(rf"\b(?:in|during)(?: the)? (?P<season>{'|'.join(SEASONS)})\b", text):
        first, last = SEASONS[found["season"]]
        yield CyclePart(Cycle.YEAR, first / 12, last / 12)
    # a year beside the month makes it a span, not a cycle
    for pattern in (rf"\b{_DAY}(?: of)? {_MONTH}\b(?!,? \d{{4}})", rf"\b{_MONTH} {_DAY}\b(?!,? \d{{4}}|\d)"):
        for found in re.finditer(pattern, text):
            if 1 <= int(found["day"]) <= 31:
                start = (_month(found["month"]) - 1) / 12 + (int(found["day"]) - 1) / 365.25
                yield CyclePart(Cycle.YEAR, start, start + 1 / 365.25)
    for found in re.finditer(rf"\b(?:in|during|every|each) {_MONTH}(?!\w|,? (?:of )?\d)", text):
        month = _month(found["month"])
        yield CyclePart(Cycle.YEAR, (month - 1) / 12, month / 12)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _SHORT_MONTHS[text.rstrip(".")[:3]]


def _count(parts: dict[str, str]) -> int:
    return int(parts["count"]) if parts["count"].isdigit() else _NUMBERS[parts["count"]]


def _midnight(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _days(start: datetime, count: int) -> Span:
    return start, start + timedelta(days=count)
