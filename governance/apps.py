from django.apps import AppConfig


class GovernanceConfig(AppConfig):
    name = "governance"
    verbose_name = "Governance"

    def ready(self) -> None:
        from governance import checks, erasing, sealed  # noqa: F401 (checks registers the system checks)
        from governance.models import AccessRecord, Content, Edit, Verdict
        from governance.services import figures

        sealed.register(
            sealed.SealedKind("edit", Edit._meta.db_table),
            sealed.SealedKind("verdict", Verdict._meta.db_table),
            sealed.SealedKind("access", AccessRecord._meta.db_table),
        )
        figures.register(figures.count_edits)
        erasing.register(erasing.Keeper("governance", (Content._meta.db_table,)))
