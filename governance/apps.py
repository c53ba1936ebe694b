from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import checks, figures  # noqa: F401 (checks registers the system checks)
        from governance.erasure import keepers
        from governance.ledger import sealed
        from governance.models import AccessRecord, Content, Edit, Verdict

        sealed.register(
            sealed.SealedKind("edit", Edit._meta.db_table),
            sealed.SealedKind("verdict", Verdict._meta.db_table),
            sealed.SealedKind("access", AccessRecord._meta.db_table),
        )
        figures.register(figures.count_edits)
        keepers.register(keepers.Keeper("governance", (Content._meta.db_table,)))
