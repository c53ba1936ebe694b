"""Who a key belongs to."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.acting.principals import CHOSEN_FIRST
from governance.http.views import GovernedView
from governance.models import Channel


class WhoAmIOutput(serializers.Serializer[Any]):
    tenant = serializers.CharField()
    kind = serializers.ChoiceField([("agent", "agent"), ("human", "human")])
    id = serializers.UUIDField()
    name = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    channels = serializers.ListField(child=serializers.ChoiceField(Channel.choices))
    default_channel = serializers.ChoiceField(
        Channel.choices, allow_null=True, help_text="The channel of memories that name none."
    )
    on_behalf_of = serializers.CharField(
        allow_null=True, help_text="The principal that this request named in X-On-Behalf-Of."
    )
    must_name_principal = serializers.BooleanField(help_text="Whether each request must name a principal.")


class WhoAmIView(GovernedView):
    """The key's owner, and what it may use."""

    needs_principal = False

    @extend_schema(
        operation_id="whoami_retrieve",
        summary="Read who a key belongs to",
        responses=WhoAmIOutput,
        description="Who you are, and what you may use.",
    )
    def get(self, request: Request) -> Response:
        me = self.principal
        return Response(
            {
                "tenant": me.tenant_slug,
                "kind": me.kind,
                "id": me.id,
                "name": me.name,
                "roles": sorted(me.roles),
                "channels": list(me.channels),
                "default_channel": next((one.value for one in CHOSEN_FIRST if one in me.channels), None),
                "on_behalf_of": me.on_behalf_of or None,
                "must_name_principal": me.must_speak_for,
            }
        )
