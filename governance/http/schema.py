"""How OpenAPI describes the views of the API."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from governance.http.sessions import HEADER
from governance.http.views import GovernedView


class GovernedSchema(AutoSchema):
    """drf-spectacular's own, with the header that every view takes."""

    def get_override_parameters(self) -> list[Any]:
        """The parameters beside those of the serializers."""
        declared: list[Any] = super().get_override_parameters()
        if not isinstance(self.view, GovernedView):
            return declared
        return [
            *declared,
            OpenApiParameter(
                HEADER,
                str,
                OpenApiParameter.HEADER,
                description="The session in which you read: the use of memory is counted by it (docs/promotion.md)."
                " A field of the request that names your session wins.",
            ),
        ]
