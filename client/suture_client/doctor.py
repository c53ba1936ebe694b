"""`suture doctor` and `suture status`: whether capturing works, and how to fix it.

Hooks never report their errors (suture_client/hooks/journal.py). These commands do.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import click
import httpx

from suture_client.errors import HOW_TO_GET_A_KEY, Away, Failed, Problem, UnsupportedVersion
from suture_client.hooks import journal, settings, spool, state
from suture_client.http import Api
from suture_client.installing.hooks import installed

#: Timeout of a request in seconds. A slower server is useless to hooks.
TIMEOUT = 5.0
#: The largest allowed difference between the clocks in seconds. The server refuses times in the future.
MAX_SKEW = 30.0
#: Captures should not wait longer than this many seconds. A hook or `suture flush` should have delivered them.
MAX_WAIT = 3600.0
_LAST_ERRORS = 5


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check. `advice` tells how to fix a failure."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
def doctor(as_json: bool) -> None:
    """Check that capturing works: server, key, clock, hooks, spool, refused captures and the log. The exit code is 1 if
    a check fails."""
    checks = list(run_checks())
    if as_json:
        click.echo(json.dumps([asdict(one) for one in checks], ensure_ascii=False, indent=1))
    else:
        for one in checks:
            click.echo(f"{'ok    ' if one.ok else 'FAILED'}  {one.name}: {one.detail}")
            if not one.ok and one.advice:
                click.echo(f"        {one.advice}")
    if not all(one.ok for one in checks):
        raise click.exceptions.Exit(1)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the status as JSON.")
def status(as_json: bool) -> None:
    """Show the server, the installed hooks, waiting captures and the last captures."""
    found = _status()
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    click.echo(f"server    {found['server']} ({'answers' if found['is_ready'] else 'does not answer'})")
    for one in found["hooks"]:
        click.echo(f"hooks     {one['title']}, {one['scope']}: {one['path']}")
    if not found["hooks"]:
        click.echo("hooks     none are installed: `suture install-hooks`")
    for hook, last in found["last_captures"].items():
        click.echo(f"captured  {hook}: {last.get('captured_at', 'never')} ({last['agent']}, {last['outcome']})")
    click.echo(f"waiting   {found['waiting']} captures ({found['waiting_bytes']:,} bytes)")
    click.echo(f"refused   {found['refused']} captures")
    masked = ", ".join(f"{kind} {count}" for kind, count in sorted(found["masked"].items()))
    click.echo(f"masked    {masked or 'no secrets so far'}")


def run_checks() -> Iterator[Check]:
    """Run all checks, in order."""
    configured = settings.read()
    if configured.problem:
        yield Check("configuration", False, configured.problem, f"Correct {state.config_path()} or the environment.")
    else:
        yield Check("configuration", True, state.config_path())
    yield from _server(configured)
    yield from _hooks()
    yield from _captures()


def _server(configured: settings.Settings) -> Iterator[Check]:
    try:
        api = Api(configured.url, configured.key, timeout=TIMEOUT)
    except Failed as failed:
        yield Check("server", False, str(failed))
        return
    with api:
        try:
            ready = api.request("GET", "/readyz")
        except UnsupportedVersion as error:
            yield Check("version", False, str(error))
            return
        except Away as away:
            yield Check("server", False, str(away), "Until then, captures wait in the spool.")
            return
        took = ready.elapsed.total_seconds() * 1000
        if not ready.is_success:
            yield Check(
                "server", False, f"{api.url} is not ready (status {ready.status_code}).", f"See {api.url}/readyz."
            )
        else:
            yield Check("server", True, f"{api.url} answered in {took:.0f} ms")
        yield _clock(ready)
        yield _key(api, configured.key)


def _clock(answer: httpx.Response) -> Check:
    try:
        skew = time.time() - parsedate_to_datetime(answer.headers["Date"]).timestamp()
    except (KeyError, ValueError):
        return Check("clock", True, "the server does not send its time")
    if abs(skew) <= MAX_SKEW:
        return Check("clock", True, f"{abs(skew):.0f} s from the server's")
    word = "ahead of" if skew > 0 else "behind"
    return Check("clock", False, f"{abs(skew):.0f} s {word} the server's.", "Synchronize both clocks with NTP.")


def _key(api: Api, key: str) -> Check:
    if not key:
        return Check("key", False, "No key is set.", f"Set {settings.KEY_VARIABLES[0]}. {HOW_TO_GET_A_KEY}")
    try:
        # The server checks permissions before the body, which is empty here.
        api.send("POST", "captures", "batch")
    except Problem as problem:
        if problem.status == HTTPStatus.BAD_REQUEST:
            return Check("key", True, "may capture")
        if problem.status == HTTPStatus.UNAUTHORIZED:
            return Check("key", False, "The server does not know the key.", HOW_TO_GET_A_KEY)
        if problem.status == HTTPStatus.FORBIDDEN:
            return Check("key", False, "The key may not capture.", "Use the key of an agent.")
        return Check("key", False, f"The server answered {problem.status}.", "See the server's log.")
    except Failed as failed:
        return Check("key", False, str(failed))
    return Check("key", False, "The server accepted a capture without content.", "Upgrade it.")


def _hooks() -> Iterator[Check]:
    found = installed()
    if not found:
        yield Check("hooks", False, "No coding agent has Suture's hooks.", "Run `suture install-hooks`.")
    for one in found:
        where = f"{one.title}, {one.scope}: {one.path}"
        detail = f"{where}: {' '.join(one.problems)}" if one.problems else f"{where}: {', '.join(one.events)}"
        yield Check("hooks", not one.problems, detail)


def _captures() -> Iterator[Check]:
    journal_data = journal.load()
    last = {hook: one.get("captured_at", "never") for hook, one in journal_data.get("hooks", {}).items()}
    shown = ", ".join(f"{hook} {when}" for hook, when in last.items())
    yield Check("last captures", True, shown or "none yet: start a session of your coding agent")
    try:
        names = spool.names()
        count, size = spool.usage()
    except OSError as error:
        yield Check("spool", False, f"{state.directory_path()} cannot be used: {error.strerror}.")
        return
    oldest = time.time() - min(map(spool.written_at, names)) if names else 0.0
    yield Check(
        "spool", oldest < MAX_WAIT, f"{count} captures wait ({size:,} bytes)",
        "Run `suture flush` to see why they are not delivered.",
    )  # fmt: skip
    refused = journal.refused()
    detail = f"{len(refused)} captures" + (f"; the last one: {refused[-1]['reason']}" if refused else "")
    yield Check("refused", not refused, detail, f"They are in {state.directory_path()}/refused, with the reasons.")
    lost = journal_data.get("outcomes", {}).get(journal.LOST, 0)
    yield Check("lost", not lost, f"{lost} captures", "The spool or the disk was full. See the log.")
    errors = journal.last_errors(_LAST_ERRORS)
    shown = "; ".join(errors) or "no errors"
    yield Check("log", True, shown)


def _status() -> dict[str, Any]:
    configured = settings.read()
    journal_data = journal.load()
    try:
        count, size = spool.usage()
    except OSError:
        count = size = 0
    return {
        "server": configured.url,
        "is_ready": next((one.ok for one in _server(configured) if one.name == "server"), False),
        "hooks": [
            {"agent": one.agent, "title": one.title, "scope": one.scope, "path": str(one.path)} for one in installed()
        ],
        "last_captures": journal_data.get("hooks", {}),
        "outcomes": journal_data.get("outcomes", {}),
        "waiting": count,
        "waiting_bytes": size,
        "refused": len(journal.refused()),
        "masked": journal_data.get("masked", {}),
    }
