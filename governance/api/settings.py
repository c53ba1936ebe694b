"""The tenant's settings over HTTP."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.idempotency import IdempotentMixin
from governance.http.views import GovernedView
from governance.identity import identities
from governance.inputs import ChoiceField, FloatField, IntegerField, StrictSerializer
from governance.models import Channel, SearchLanguage, Sensitivity, Tenant

_DAYS = "Days until a pending edit expires."
_LEVELS = "The default sensitivity of new records, by channel."
_ALPHA = "The weight of meaning in a hybrid search, from 0 (words alone) to 1 (meaning alone)."
_HOURS = "Hours until ephemeral memory that an agent commits expires, unless the commit names a time."
_EDITS = "How many edits of others' memory an agent makes at once in an hour. Further ones wait for a person."
_PENDING = "How many pending edits an agent may have. Further ones are refused with 429."
_LANGUAGE = "The language of the words, in whose forms search finds them. Use `simple` for any other language."


class SensitivitiesInput(StrictSerializer):
    private = ChoiceField(Sensitivity.choices, required=False)
    public = ChoiceField(Sensitivity.choices, required=False)
    team = ChoiceField(Sensitivity.choices, required=False)
    agent = ChoiceField(Sensitivity.choices, required=False)


class SettingsInput(StrictSerializer):
    pending_edit_days = IntegerField(
        min_value=identities.PENDING_DAYS.start,
        max_value=identities.PENDING_DAYS.stop - 1,
        required=False,
        help_text=f"{_DAYS} If omitted, it stays unchanged.",
    )
    default_sensitivities = SensitivitiesInput(required=False, help_text=f"{_LEVELS} Omitted channels stay unchanged.")
    search_language = ChoiceField(
        SearchLanguage.choices,
        required=False,
        help_text=f"{_LANGUAGE} If omitted, it stays unchanged. After a change, a job reindexes existing records.",
    )
    hybrid_alpha = FloatField(
        min_value=0, max_value=1, required=False, help_text=f"{_ALPHA} If omitted, it stays unchanged."
    )
    ephemeral_hours = IntegerField(
        min_value=identities.EPHEMERAL_HOURS.start,
        max_value=identities.EPHEMERAL_HOURS.stop - 1,
        required=False,
        help_text=f"{_HOURS} If omitted, it stays unchanged.",
    )
    agent_edits_per_hour = IntegerField(
        min_value=identities.AGENT_LIMIT.start,
        max_value=identities.AGENT_LIMIT.stop - 1,
        required=False,
        help_text=f"{_EDITS} If omitted, it stays unchanged.",
    )
    agent_pending_edits = IntegerField(
        min_value=identities.AGENT_LIMIT.start,
        max_value=identities.AGENT_LIMIT.stop - 1,
        required=False,
        help_text=f"{_PENDING} If omitted, it stays unchanged.",
    )


class SettingsOutput(serializers.Serializer[Any]):
    pending_edit_days = serializers.IntegerField(help_text=_DAYS)
    default_sensitivities = serializers.DictField(
        child=serializers.ChoiceField(Sensitivity.choices), help_text=f"{_LEVELS} All four channels."
    )
    search_language = serializers.ChoiceField(SearchLanguage.choices, help_text=_LANGUAGE)
    hybrid_alpha = serializers.FloatField(help_text=_ALPHA)
    ephemeral_hours = serializers.IntegerField(help_text=_HOURS)
    agent_edits_per_hour = serializers.IntegerField(help_text=_EDITS)
    agent_pending_edits = serializers.IntegerField(help_text=_PENDING)


class SettingsView(IdempotentMixin, GovernedView):
    """The settings of the tenant."""

    @extend_schema(operation_id="settings_retrieve", summary="Read the settings", responses=SettingsOutput)
    def get(self, request: Request) -> Response:
        return Response(self._settings())

    @extend_schema(
        operation_id="settings_change",
        summary="Change the settings",
        request=SettingsInput,
        responses=SettingsOutput,
        description="For admins. Existing records keep their sensitivity.",
    )
    def post(self, request: Request) -> Response:
        values = SettingsInput.of(request.data)
        identities.change_tenant(actor=self.principal, **values)
        return Response(self._settings())

    def _settings(self) -> dict[str, Any]:
        tenant = Tenant.objects.get(id=self.principal.tenant_id)
        levels = {channel: tenant.default_sensitivities.get(channel, Sensitivity.NONE) for channel in Channel.values}
        return {
            "pending_edit_days": tenant.pending_edit_days,
            "default_sensitivities": levels,
            "search_language": tenant.search_language,
            "hybrid_alpha": tenant.hybrid_alpha,
            "ephemeral_hours": tenant.ephemeral_hours,
            "agent_edits_per_hour": tenant.agent_edits_per_hour,
            "agent_pending_edits": tenant.agent_pending_edits,
        }
