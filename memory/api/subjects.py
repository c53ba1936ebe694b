"""The subjects and the projects that memory is about."""

from dataclasses import asdict
from typing import Any

from django.db import models
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from memory.api.filters import ProjectFilter, SubjectFilter
from memory.queries import subjects


class SubjectOutput(serializers.Serializer[Any]):
    subject_type = serializers.CharField()
    subject_id = serializers.CharField()
    updated_at = serializers.DateTimeField(help_text="The time of the newest memory about it that you may read.")


class ProjectOutput(serializers.Serializer[Any]):
    project_id = serializers.CharField()
    updated_at = serializers.DateTimeField(help_text="The time of the newest memory about it that you may read.")


class SubjectsView(GovernedView):
    """List subjects."""

    reads_query = True

    @extend_schema(
        operation_id="subjects_list",
        summary="List subjects",
        parameters=[SubjectFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("SubjectPage", SubjectOutput),
        description="The subjects of memory that you may read, in the order of their names.",
    )
    def get(self, request: Request) -> Response:
        values = SubjectFilter.read(request).values

        def fetch(after: tuple[str, str] | None, limit: int) -> list[dict[str, Any]]:
            return [asdict(one) for one in subjects.list_subjects(self.principal, after=after, limit=limit, **values)]

        text = [models.TextField(), models.TextField()]
        key = ("subject_type", "subject_id")
        found, following = page_of_rows(fetch, request, key=key, scope="subjects", fields=text)
        return Response(envelope(found, following))


class ProjectsView(GovernedView):
    """List projects."""

    reads_query = True

    @extend_schema(
        operation_id="projects_list",
        summary="List projects",
        parameters=[ProjectFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("ProjectPage", ProjectOutput),
        description="The projects of memory that you may read, in the order of their names.",
    )
    def get(self, request: Request) -> Response:
        values = ProjectFilter.read(request).values

        def fetch(after: tuple[str] | None, limit: int) -> list[dict[str, Any]]:
            rows = subjects.list_projects(self.principal, after=after[0] if after else None, limit=limit, **values)
            return [asdict(one) for one in rows]

        found, following = page_of_rows(
            fetch, request, key=("project_id",), scope="projects", fields=[models.TextField()]
        )
        return Response(envelope(found, following))
