from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import checks, figures  # noqa: F401 (checks registers the system checks)
        from governance.database import committing, functions
        from governance.edits import entry_types as of_edits
        from governance.edits import unproven
        from governance.erasure import entry_types as of_erasures
        from governance.erasure import keepers
        from governance.erasure import proving as of_erased
        from governance.identity import entry_types as of_identities
        from governance.identity.proving.authority import compare_authority
        from governance.ledger import (
            comparing,
            entry_types,
            fingerprints,
            leaf_forms,
            leaf_functions,
            own_entry_types,
            receipt_checks,
            receipts,
            sealed,
        )
        from governance.models import AccessRecord, Content, Edit, Verdict
        from governance.tools import of_edits as tools_of_edits

        sealed.register(
            sealed.SealedKind("edit", Edit._meta.db_table, leaf_forms.EDIT),
            sealed.SealedKind("verdict", Verdict._meta.db_table, leaf_forms.VERDICT),
            sealed.SealedKind("access", AccessRecord._meta.db_table, leaf_forms.ACCESS),
        )
        functions.register(leaf_functions.definitions)
        committing.finish_with(receipts.take)
        comparing.register("receipts", receipt_checks.compare)
        for types in (own_entry_types.TYPES, of_identities.TYPES, of_edits.TYPES, of_erasures.TYPES):
            entry_types.register(*types)
        comparing.register("authority", compare_authority)
        comparing.register("edits", unproven.compare)
        comparing.register("erasures", of_erased.compare)
        tools_of_edits.register()
        figures.register(figures.count_edits)
        keepers.register(keepers.Keeper("governance", (Content._meta.db_table,)))
        comparing.register("schema", fingerprints.compare)
