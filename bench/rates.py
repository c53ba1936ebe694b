"""The part `rates`: what the rate limits cost a request."""

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from bench import http, webserver

#: A read and a write that the database answers quickly: of these the limits take the largest share.
ASKED = http.COMPARED
#: The limits: as they are shipped, but so high that no machine comes to them; and none.
_HIGH = "1000000000/minute"
LIMITS = {
    "limited": {"RATE_LIMIT_KEY": _HIGH, "RATE_LIMIT_ADDRESS": _HIGH},
    "off": {f"RATE_LIMIT_{name}": "off" for name in ("KEY", "ADDRESS", "WRONG_KEYS", "LOGINS")},
}


def measure(name: str, seconds: float) -> list[dict[str, Any]]:
    """A row for each of ASKED, `seconds` with and `seconds` without limits, in turn. The database `name` is changed."""
    key, ids = http.prepare(name)
    made_up = webserver.default()
    with ExitStack() as stack:
        targets = []
        for limits, variables in LIMITS.items():
            server = replace(made_up, name=limits, variables={**made_up.variables, **variables})
            port = stack.enter_context(webserver.running(server, http.variables(name)))
            targets.append(http.Target(limits, port, key, ids))
        limited, off = http.rows_of(targets, ASKED, seconds)
    return [_row(*rows) for rows in zip(limited, off, strict=True)]


def _row(limited: dict[str, Any], off: dict[str, Any]) -> dict[str, Any]:
    return {
        "case": f"{limited['case']}, {http.CALLERS} callers, limited",
        "figure": round(limited["ms"]["p50"] / off["ms"]["p50"], 2),
        "unit": "times its p50 without limits",
        "goal": "",
        "limited_p50_ms": limited["ms"]["p50"],
        "off_p50_ms": off["ms"]["p50"],
        "limited_per_second": limited["per_second"],
        "off_per_second": off["per_second"],
        "requests": limited["requests"] + off["requests"],
    }
