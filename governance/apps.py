from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import checks, daily_counts  # noqa: F401 (checks registers the system checks)
        from governance.database import before_commit, functions
        from governance.edits import entry_types as of_edits
        from governance.edits import state_checks
        from governance.erasure import entry_types as of_erasures
        from governance.erasure import keepers
        from governance.erasure import proving as of_erased
        from governance.identity import entry_types as of_identities
        from governance.identity.proving.authority import compare_authority
        from governance.ledger import (
            comparisons,
            entry_types,
            fingerprints,
            leaf_forms,
            leaf_functions,
            own_entry_types,
            receipt_checks,
            receipts,
            sealed_kinds,
        )
        from governance.models import AccessRecord, Audience, Content, Edit, RelationRevocation, RelationTuple, Verdict
        from governance.relations import entry_types as of_relations
        from governance.tools import edit_tools as tools_of_edits

        sealed_kinds.register(
            sealed_kinds.SealedKind("edit", Edit._meta.db_table, leaf_forms.EDIT),
            sealed_kinds.SealedKind("verdict", Verdict._meta.db_table, leaf_forms.VERDICT),
            sealed_kinds.SealedKind("access", AccessRecord._meta.db_table, leaf_forms.ACCESS),
            sealed_kinds.SealedKind("audience", Audience._meta.db_table, leaf_forms.AUDIENCE),
            sealed_kinds.SealedKind("relation_tuple", RelationTuple._meta.db_table, leaf_forms.RELATION_TUPLE),
            sealed_kinds.SealedKind(
                "relation_revocation", RelationRevocation._meta.db_table, leaf_forms.RELATION_REVOCATION
            ),
        )
        functions.register(leaf_functions.definitions)
        before_commit.finish_with(receipts.take)
        comparisons.register("receipts", receipt_checks.compare)
        for types in (
            own_entry_types.TYPES,
            of_identities.TYPES,
            of_edits.TYPES,
            of_erasures.TYPES,
            of_relations.TYPES,
        ):
            entry_types.register(*types)
        comparisons.register("authority", compare_authority)
        comparisons.register("edits", state_checks.compare)
        comparisons.register("erasures", of_erased.compare)
        tools_of_edits.register()
        daily_counts.register(daily_counts.count_edits)
        keepers.register(keepers.Keeper("governance", (Content._meta.db_table,)))
        comparisons.register("schema", fingerprints.compare)
