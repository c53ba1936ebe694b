"""Lists of the typed records: decisions, tasks and artifacts, as readers see them."""

import json
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from governance.acting.principals import Principal
from governance.database.typed_calls import ColumnDict
from memory.queries import db
from memory.queries.audience import audience
from memory.queries.decisions import details_of
from memory.queries.rows import ArtifactRow, DecisionRow, TaskRow

#: The filters of all three lists, besides their own.
FILTERS = ("scope", "subject_type", "subject_id", "project_id", "session_id", "since", "until")


def _list_of(
    call: Callable[..., list[Any]], own: str, render: Callable[[Any], dict[str, Any]]
) -> Callable[..., list[dict[str, Any]]]:
    def listed(
        principal: Principal,
        *,
        filters: Mapping[str, Any],
        before: tuple[datetime, uuid.UUID] | None,
        limit: int,
        channel: str | None = None,
        include_quarantined: bool = False,
    ) -> list[dict[str, Any]]:
        """The newest `limit` records under `filters`, from `before` on, as JSON. Raises ChannelNotAllowed."""
        who = audience(principal, channel, include_quarantined=include_quarantined)
        before_ts, before_id = before or (None, None)
        rows = call(
            tenant=principal.tenant_id,
            listening=who.listening,
            channels=who.listening,
            include_quarantined=include_quarantined,
            before_ts=before_ts,
            before_id=before_id,
            limit=limit,
            **{name: filters.get(name) for name in (own, *FILTERS)},
        )
        return [render(row) for row in rows]

    return listed


_decision_json = ColumnDict(DecisionRow, "details")
_task_json = ColumnDict(TaskRow, "details")
_artifact_json = ColumnDict(ArtifactRow)


def _task(row: TaskRow) -> dict[str, Any]:
    details = json.loads(row.details).get("details") if row.details else None
    return {**_task_json(row), "details": details}


#: Decisions, in force or superseded; their own filter is `status`.
decisions = _list_of(db.list_decisions, "status", lambda row: {**_decision_json(row), **details_of(row.details)})
#: Tasks, done or not; their own filter is `status`.
tasks = _list_of(db.list_tasks, "status", _task)
#: Artifacts, without their text or bytes, which are in their events; their own filter is `media_type`.
artifacts = _list_of(db.list_artifacts, "media_type", _artifact_json)
