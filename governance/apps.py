from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import checks, figures  # noqa: F401 (checks registers the system checks)
        from governance.edits import entry_types as of_edits
        from governance.erasure import entry_types as of_erasures
        from governance.erasure import keepers
        from governance.identity import entry_types as of_identities
        from governance.ledger import comparing, entry_types, fingerprints, own_entry_types, sealed
        from governance.models import AccessRecord, Content, Edit, Verdict
        from governance.tools import of_edits as tools_of_edits

        sealed.register(
            sealed.SealedKind("edit", Edit._meta.db_table),
            sealed.SealedKind("verdict", Verdict._meta.db_table),
            sealed.SealedKind("access", AccessRecord._meta.db_table),
        )
        for types in (own_entry_types.TYPES, of_identities.TYPES, of_edits.TYPES, of_erasures.TYPES):
            entry_types.register(*types)
        tools_of_edits.register()
        figures.register(figures.count_edits)
        keepers.register(keepers.Keeper("governance", (Content._meta.db_table,)))
        comparing.register("schema", fingerprints.compare)
