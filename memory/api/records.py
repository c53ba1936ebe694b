"""Views of the lists of decisions, tasks and artifacts."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.models import Channel
from memory.api import shapes
from memory.api.filters import ArtifactListFilter, DecisionListFilter, RecordFilter, TaskListFilter, without_audience
from memory.models import EffectiveDecision, Task
from memory.queries import records


class _RecordOutput(shapes.ScopeOutput):
    ts = serializers.DateTimeField()
    is_quarantined = serializers.BooleanField()
    edits_applied = serializers.IntegerField()
    event_id = serializers.UUIDField()
    session_id = serializers.CharField(allow_null=True)
    channel = serializers.ChoiceField(Channel.choices)


class ListedDecisionOutput(_RecordOutput):
    decision_id = serializers.UUIDField()
    decision = serializers.CharField()
    rationale = serializers.ListField(child=serializers.CharField())
    constraints = serializers.ListField(child=serializers.CharField())
    alternatives = serializers.ListField(child=serializers.CharField())
    status = serializers.ChoiceField(EffectiveDecision.Status.choices)
    importance = serializers.FloatField()


class ListedTaskOutput(_RecordOutput):
    task_id = serializers.UUIDField()
    title = serializers.CharField()
    details = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(Task.Status.choices)


class ListedArtifactOutput(_RecordOutput):
    artifact_id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="null after an amend, which withholds it")
    media_type = serializers.CharField()


class _ListView(GovernedView):
    reads_query = True

    def listed(
        self,
        request: Request,
        parameters: type[RecordFilter],
        read: Callable[..., list[dict[str, Any]]],
        record_id: str,
    ) -> Response:
        """One page of a list of records."""
        filters, audience = without_audience(parameters.read(request).values)

        def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            return read(self.principal, filters=filters, before=before, limit=limit, **audience)

        found, following = page_of_rows(fetch, request, key=("ts", record_id), scope=record_id)
        return Response(envelope(found, following))


class DecisionsView(_ListView):
    """List decisions."""

    @extend_schema(
        operation_id="decisions_list",
        parameters=[DecisionListFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("DecisionPage", ListedDecisionOutput),
        description="Decisions, in force or superseded, newest first. `GET /decisions/active` lists those in force by"
        " precedence.",
    )
    def get(self, request: Request) -> Response:
        return self.listed(request, DecisionListFilter, records.decisions, "decision_id")


class TasksView(_ListView):
    """List tasks."""

    @extend_schema(
        operation_id="tasks_list",
        parameters=[TaskListFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("TaskPage", ListedTaskOutput),
        description="Tasks with the status of their newest update, newest first.",
    )
    def get(self, request: Request) -> Response:
        return self.listed(request, TaskListFilter, records.tasks, "task_id")


class ArtifactsView(_ListView):
    """List artifacts."""

    @extend_schema(
        operation_id="artifacts_list",
        parameters=[ArtifactListFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("ArtifactPage", ListedArtifactOutput),
        description="Artifacts, newest first. Their text or bytes are in the `content` of their event.",
    )
    def get(self, request: Request) -> Response:
        return self.listed(request, ArtifactListFilter, records.artifacts, "artifact_id")
