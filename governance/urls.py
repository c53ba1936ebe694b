"""/api/v1/ of governance."""

from django.urls import path

from governance.api import audience_rules, batches, edits, erasures, ledger, policy, relations, whoami
from governance.api import settings as identity
from governance.tools import api as tools

urlpatterns = [
    path("edits", edits.EditsView.as_view(), name="edits"),
    path("edits/batches/<uuid:batch_id>/revert", batches.RevertBatchView.as_view(), name="edits-batch-revert"),
    path("edits/preview", edits.PreviewView.as_view(), name="edits-preview"),
    path("edits/bulk", edits.BulkView.as_view(), name="edits-bulk"),
    path("edits/<uuid:edit_id>", edits.EditView.as_view(), name="edit"),
    path("edits/<uuid:edit_id>/approve", edits.ApproveView.as_view(), name="edit-approve"),
    path("edits/<uuid:edit_id>/reject", edits.RejectView.as_view(), name="edit-reject"),
    path("edits/<uuid:edit_id>/withdraw", edits.WithdrawView.as_view(), name="edit-withdraw"),
    path("edits/<uuid:edit_id>/revert", edits.RevertView.as_view(), name="edit-revert"),
    path("erasures", erasures.ErasuresView.as_view(), name="erasures"),
    path("erasures/<uuid:erasure_id>", erasures.ErasureView.as_view(), name="erasure"),
    path("erasures/<uuid:erasure_id>/approve", erasures.ApproveView.as_view(), name="erasure-approve"),
    path("erasures/<uuid:erasure_id>/reject", erasures.RejectView.as_view(), name="erasure-reject"),
    path("erasures/<uuid:erasure_id>/withdraw", erasures.WithdrawView.as_view(), name="erasure-withdraw"),
    path("ledger/entries", ledger.EntriesView.as_view(), name="ledger-entries"),
    path("ledger/tree-head", ledger.TreeHeadView.as_view(), name="ledger-tree-head"),
    path("ledger/proof/inclusion", ledger.InclusionView.as_view(), name="ledger-proof-inclusion"),
    path("ledger/proof/consistency", ledger.ConsistencyView.as_view(), name="ledger-proof-consistency"),
    path("relations", relations.RelationsView.as_view(), name="relations"),
    path("relations/import", relations.ImportRelationsView.as_view(), name="relations-import"),
    path("relations/<uuid:relation_id>", relations.RelationView.as_view(), name="relation"),
    path("relations/<uuid:relation_id>/revoke", relations.RevokeRelationView.as_view(), name="relation-revoke"),
    path("implied-relations", relations.ImpliedRelationsView.as_view(), name="implied-relations"),
    path("implied-relations/<uuid:implied_id>", relations.ImpliedRelationView.as_view(), name="implied-relation"),
    path("audience-rules", audience_rules.AudienceRulesView.as_view(), name="audience-rules"),
    path("audience-rules/<uuid:rule_id>", audience_rules.AudienceRuleView.as_view(), name="audience-rule"),
    path("whoami", whoami.WhoAmIView.as_view(), name="whoami"),
    path("settings", identity.SettingsView.as_view(), name="settings"),
    path("policy", policy.PolicyView.as_view(), name="policy"),
    path("policy/changes", policy.PolicyChangesView.as_view(), name="policy-changes"),
    path(
        "policy/changes/<uuid:change_id>/apply",
        policy.ApplyPolicyChangeView.as_view(),
        name="policy-change-apply",
    ),
    path(
        "policy/changes/<uuid:change_id>/reject",
        policy.RejectPolicyChangeView.as_view(),
        name="policy-change-reject",
    ),
    *tools.addresses(),
]
