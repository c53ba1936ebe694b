"""Runs a hook: read the payload, capture it, deliver or spool the capture, and print context.

Nothing here raises, and only context is printed. Errors are in the log and in `suture doctor`.
"""

import json
import os
import time
from typing import Any

from suture_client import filtering
from suture_client.hooks import (
    agents,
    captures,
    clock,
    delivery,
    descriptions,
    journal,
    payload,
    settings,
    spool,
    summaries,
    transcripts,
    watchdog,
)
from suture_client.hooks.hook_call import (
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    USER_PROMPT_SUBMIT,
    HookCall,
)

#: Implied by `suture capture-memory --source hook`: PreToolUse or PostToolUse.
TOOL = "tool"
NO_SESSION = "session_id is required for memory capture"
#: Tokens of the context at the start of a session, and for a prompt. Claude Code accepts 10,000 characters.
_START_TOKENS, _PROMPT_TOKENS = 2_400, 1_200
#: Characters of a prompt that are used as the search query.
_QUERY = 2_000
#: The status for a key that may read but not write.
_FORBIDDEN = 403


class Hook:
    """One run of a hook. `began` is the start time of its process (`time.monotonic`). `takes_context` says whether the
    agent accepts context for this event."""

    def __init__(
        self, call: HookCall, configured: settings.Settings, began: float, *, takes_context: bool = True
    ) -> None:
        self.call, self.settings, self.began = call, configured, began
        self.limits = clock.limits(call.event)
        self.ignored = filtering.ignored(configured.table)
        #: Whether a request for context can succeed, and whether the server has answered.
        self.may_request_context, self.is_reachable = takes_context, False

    def run(self) -> str:
        """Capture the call, and return the context to print; "" if there is none."""
        call = self.call
        for problem in (self.settings.problem, self.ignored.problem):
            if problem:
                journal.log(journal.ERROR, problem, call.event)
        if call.event == SESSION_START:
            watchdog.end_at(self.began + self.limits.process)
            return self._context("", _START_TOKENS)
        return self._capture()

    def deliver_waiting(self) -> None:
        """Deliver some earlier captures in the time that is left, if the server has answered this hook."""
        now = time.monotonic()
        until = min(now + clock.SPOOL, self.began + self.limits.spool)
        if not self.is_reachable or until <= now:
            return
        try:
            delivery.deliver_waiting(self.settings, until, most=50)
        except OSError as error:
            journal.log(journal.ERROR, f"The spool cannot be read: {error.strerror}", self.call.event)

    def _capture(self) -> str:
        call = self.call
        if not call.session_id.strip():
            journal.log(journal.ERROR, NO_SESSION, call.event)
            self._record(journal.SKIPPED)
            return ""
        if captures.is_ignored(call, self.ignored):
            self._record(journal.IGNORED)
            return ""
        text = self._text()
        if not text.value.strip():
            journal.log(journal.WARNING, f"Skipping empty hook description for {call.event}", call.event)
            self._record(journal.SKIPPED)
            return ""
        self._send(captures.build(call, text))
        if call.event == USER_PROMPT_SUBMIT and self.may_request_context:
            return self._context(descriptions.shortened(text.value.strip(), _QUERY), _PROMPT_TOKENS)
        return ""

    def _text(self) -> captures.Clean:
        call = self.call
        if call.event == USER_PROMPT_SUBMIT:
            return captures.clean_text(call.prompt)
        if call.event in {PRE_TOOL_USE, POST_TOOL_USE}:
            return captures.clean_description(call)
        if call.event == SESSION_END:
            return captures.clean_text(call.response or summaries.of_session(call))
        response = call.response
        if not response.strip() and call.transcript_path:
            response = transcripts.last_turn(call.transcript_path, self.began + self.limits.capture / 2).text
        return captures.clean_text(response)

    def _send(self, capture: captures.Capture) -> None:
        """Send a capture, or leave it in the spool."""
        spooled = self._spool(capture)
        watchdog.end_at(self.began + self.limits.process)
        try:
            delivery.post(self.settings, "captures", capture.body, self.began + self.limits.capture)
        except delivery.Refused as error:
            self.is_reachable = True
            is_kept = journal.keep_refused(capture.body, error.status, error.reason)
            self._record(journal.REFUSED, capture.masked)
            if not is_kept:
                return
        except delivery.Undelivered as error:
            self.may_request_context = self.may_request_context and error.status == _FORBIDDEN
            kept = "The capture waits in the spool." if spooled else "The capture is lost."
            journal.log(journal.WARNING if spooled else journal.ERROR, f"{error}. {kept}", self.call.event)
            self._record(journal.SPOOLED if spooled else journal.LOST, capture.masked)
            return
        else:
            self.is_reachable = True
            self._record(journal.DELIVERED, capture.masked)
        if spooled:
            try:
                spooled.delete()
            except OSError as error:
                journal.log(journal.ERROR, f"The spool cannot be written: {error.strerror}", self.call.event)

    def _spool(self, capture: captures.Capture) -> spool.SpooledCapture | None:
        """Write the capture to the spool before it is sent, so that killing the hook loses nothing."""
        try:
            return spool.add(capture.body, self.settings.spool_limit)
        except spool.SpoolFull as full:
            journal.log(journal.ERROR, str(full), self.call.event)
        except OSError as error:
            journal.log(journal.ERROR, f"The spool cannot be written: {error.strerror}", self.call.event)
        return None

    def _context(self, query: str, tokens: int) -> str:
        """Fetch context: core memory and more at the start of a session, and matching memories for a prompt."""
        request: dict[str, Any] = {"max_tokens": tokens}
        session_id = self.call.session_id.strip()
        if session_id:
            request["session_id"] = session_id
        if self.call.event != SESSION_START:
            request |= {"query": query, "include_core": False, "without_session_id": session_id}
        deadline = self.began + self.limits.context
        try:
            found = delivery.post(self.settings, "context/bootstrap", json.dumps(request).encode(), deadline)
        except (delivery.Undelivered, delivery.Refused) as error:
            journal.log(journal.WARNING, f"No context: {error}", self.call.event)
            return ""
        self.is_reachable = True
        context = found.get("system_prompt")
        return context if isinstance(context, str) else ""

    def _record(self, outcome: str, masked: Any = ()) -> None:
        journal.record(self.call.event, self.call.agent, outcome, dict(masked))


def run(agent: str, implied: str, began: float) -> None:
    """Run the hook for the payload on standard input. `implied` is the event if the payload names none: one of EVENTS,
    TOOL or ""."""
    try:
        adapter = agents.adapter(agent)
        found = payload.read(0, began + clock.PAYLOAD, began + clock.LONG_PAYLOAD)
        if implied and not found.get("hook_event_name"):
            found["hook_event_name"] = _tool_event(found) if implied == TOOL else implied
        call = adapter.read(found)
        if call is None:
            return
        takes_context = bool(adapter.context(call.event, "-"))
        hook = Hook(call, settings.read(), began, takes_context=takes_context)
        context = hook.run()
        if context.strip():
            _print(adapter.context(call.event, context))
        hook.deliver_waiting()
    except (payload.PayloadError, agents.UnknownAgent) as error:
        journal.log(journal.ERROR, str(error), implied)
    except Exception as error:
        journal.log(journal.ERROR, f"{type(error).__name__} at {_location(error)}: {error}", implied)


def _tool_event(found: dict[str, Any]) -> str:
    return POST_TOOL_USE if {"tool_response", "tool_output", "error"} & found.keys() else PRE_TOOL_USE


def _print(text: str) -> None:
    """Print the context. The agent may have closed the output."""
    data = text.encode(errors="replace") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError as error:
        journal.log(journal.WARNING, f"Standard output is closed: {error.strerror}")


def _location(error: BaseException) -> str:
    """Return the file and line that raised an error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"
