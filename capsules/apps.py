from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"
    verbose_name = "Capsules"

    def ready(self) -> None:
        from capsules import db, entry_types, erasing, provenance, sealed_kinds, section, targets, tools
        from governance.ledger import entry_types as registry
        from memory import maintenance

        targets.register()
        provenance.register()
        sealed_kinds.register()
        section.register()
        erasing.register()
        tools.register()
        registry.register(*entry_types.TYPES)
        maintenance.register(
            maintenance.Projection(
                lambda tenant_id: db.capsules_drift.on(maintenance.OWNER)(tenant=tenant_id),
                lambda tenant_id: db.repair_capsules.on(maintenance.OWNER)(tenant=tenant_id),
            )
        )
