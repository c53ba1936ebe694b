"""What happens when an agent calls a hook: read, capture, deliver or spool, and print context.

Nothing here raises, and nothing but context is printed: what goes wrong is in the log and in `suture doctor`.
"""

import json
import os
import time
from typing import Any

from suture_client import filtering
from suture_client.hooks import (
    agents,
    clock,
    delivering,
    describing,
    journal,
    outgoing,
    payload,
    settings,
    spool,
    summaries,
    transcripts,
    watchdog,
)
from suture_client.hooks.call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    USER_PROMPT_SUBMIT,
    HookCall,
)

#: Implied by `suture capture-memory --source hook`: one of the two events of tools.
TOOL = "tool"
NO_SESSION = "session_id is required for memory capture"
#: Tokens of the context at the start of a session, and for a prompt. Claude Code takes 10,000 characters.
_START_TOKENS, _PROMPT_TOKENS = 2_400, 1_200
#: Characters of a prompt that context is searched with.
_QUERY = 2_000
#: The status of a key that may read and not write.
_FORBIDDEN = 403


class Hook:
    """One call of a hook. `began` is when its process did, in seconds of `time.monotonic`; `takes_context` is whether
    the agent does, for this event."""

    def __init__(
        self, call: HookCall, configured: settings.Settings, began: float, *, takes_context: bool = True
    ) -> None:
        self.call, self.settings, self.began = call, configured, began
        self.limits = clock.limits(call.event)
        self.ignored = filtering.ignored(configured.table)
        #: Whether another request is worth its time, and whether the server took what this hook sent.
        self.may_ask, self.got_through = takes_context, False

    def run(self) -> str:
        """Capture what there is to capture; answers the context to print, "" if there is none."""
        call = self.call
        for problem in (self.settings.problem, self.ignored.problem):
            if problem:
                journal.log(journal.ERROR, problem, call.event)
        if call.event == SESSION_START:
            watchdog.end_at(self.began + self.limits.process)
            return self._context("", _START_TOKENS)
        return self._capture()

    def deliver_waiting(self) -> None:
        """Deliver some of what waits, where the server took this call's own, for as long as this hook has left."""
        now = time.monotonic()
        until = min(now + clock.SPOOL, self.began + self.limits.spool)
        if not self.got_through or until <= now:
            return
        try:
            delivering.deliver_waiting(self.settings, until, most=50)
        except OSError as error:
            journal.log(journal.ERROR, f"The spool cannot be read: {error.strerror}", self.call.event)

    def _capture(self) -> str:
        call = self.call
        if not call.session_id.strip():
            journal.log(journal.ERROR, NO_SESSION, call.event)
            self._remember(journal.SKIPPED)
            return ""
        if outgoing.is_ignored(call, self.ignored):
            self._remember(journal.IGNORED)
            return ""
        text = self._text()
        if not text.value.strip():
            journal.log(journal.WARNING, f"Skipping empty hook description for {call.event}", call.event)
            self._remember(journal.SKIPPED)
            return ""
        self._send(outgoing.capture(call, text))
        if call.event == USER_PROMPT_SUBMIT and self.may_ask:
            return self._context(describing.shortened(text.value.strip(), _QUERY), _PROMPT_TOKENS)
        return ""

    def _text(self) -> outgoing.Clean:
        call = self.call
        if call.event == USER_PROMPT_SUBMIT:
            return outgoing.clean_text(call.prompt)
        if call.event in {PRE_TOOL_USE, POST_TOOL_USE}:
            return outgoing.described(call)
        if call.event == SESSION_END:
            return outgoing.clean_text(call.response or summaries.of_session(call))
        response = call.response
        if not response.strip() and call.transcript_path:
            response = transcripts.last_turn(call.transcript_path, self.began + self.limits.capture / 2).text
        return outgoing.clean_text(response)

    def _send(self, capture: outgoing.Outgoing) -> None:
        """Deliver a capture, or leave it in the spool."""
        held = self._hold(capture)
        watchdog.end_at(self.began + self.limits.process)
        try:
            delivering.post(self.settings, "captures", capture.body, self.began + self.limits.capture)
        except delivering.Refused as error:
            self.got_through = True
            is_kept = journal.refuse(capture.body, error.status, error.reason)
            self._remember(journal.REFUSED, capture.masked)
            if not is_kept:
                return
        except delivering.Undelivered as error:
            self.may_ask = self.may_ask and error.status == _FORBIDDEN
            kept = "The capture waits in the spool." if held else "The capture is lost."
            journal.log(journal.WARNING if held else journal.ERROR, f"{error}. {kept}", self.call.event)
            self._remember(journal.SPOOLED if held else journal.LOST, capture.masked)
            return
        else:
            self.got_through = True
            self._remember(journal.DELIVERED, capture.masked)
        if held:
            try:
                held.delete()
            except OSError as error:
                journal.log(journal.ERROR, f"The spool cannot be written: {error.strerror}", self.call.event)

    def _hold(self, capture: outgoing.Outgoing) -> spool.Held | None:
        """Write the capture to the spool before it is sent, so that a hook that is killed loses nothing."""
        try:
            return spool.hold(capture.body, self.settings.spool_limit)
        except spool.Full as full:
            journal.log(journal.ERROR, str(full), self.call.event)
        except OSError as error:
            journal.log(journal.ERROR, f"The spool cannot be written: {error.strerror}", self.call.event)
        return None

    def _context(self, query: str, tokens: int) -> str:
        """What the server remembers: at the start of a session core memory and more, for a prompt what is about it."""
        wanted: dict[str, Any] = {"max_tokens": tokens}
        session_id = self.call.session_id.strip()
        if session_id:
            wanted["session_id"] = session_id
        if self.call.event != SESSION_START:
            wanted |= {"query": query, "include_core": False, "without_session_id": session_id}
        deadline = self.began + self.limits.context
        try:
            found = delivering.post(self.settings, "context/bootstrap", json.dumps(wanted).encode(), deadline)
        except (delivering.Undelivered, delivering.Refused) as error:
            journal.log(journal.WARNING, f"No context: {error}", self.call.event)
            return ""
        self.got_through = True
        context = found.get("system_prompt")
        return context if isinstance(context, str) else ""

    def _remember(self, outcome: str, masked: Any = ()) -> None:
        journal.remember(self.call.event, self.call.agent, outcome, dict(masked))


def run(agent: str, implied: str, began: float) -> None:
    """Run the hook for the payload on standard input. `implied` is the event of a payload that names none: one of
    EVENTS, TOOL, or "" where none is implied."""
    try:
        adapter = agents.adapter(agent)
        found = payload.read(0, began + clock.PAYLOAD, began + clock.LATER_PAYLOAD)
        if implied and not found.get("hook_event_name"):
            found["hook_event_name"] = _of_tool(found) if implied == TOOL else implied
        call = adapter.read(found)
        if call is None:
            return
        takes_context = bool(adapter.context(call.event, "-"))
        hook = Hook(call, settings.read(), began, takes_context=takes_context)
        context = hook.run()
        if context.strip():
            _print(adapter.context(call.event, context))
        hook.deliver_waiting()
    except (payload.Unreadable, agents.UnknownAgent) as error:
        journal.log(journal.ERROR, str(error), implied)
    except Exception as error:
        journal.log(journal.ERROR, f"{type(error).__name__} at {_place(error)}: {error}", implied)


def _of_tool(found: dict[str, Any]) -> str:
    return POST_TOOL_USE if {"tool_response", "tool_output", "error"} & found.keys() else PRE_TOOL_USE


def _print(text: str) -> None:
    """Print the context. Where nobody reads it, it is not."""
    data = text.encode(errors="replace") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        journal.log(journal.WARNING, f"Nobody reads standard output: {error.strerror}")


def _place(error: BaseException) -> str:
    """Where an error was raised: the innermost file and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"
