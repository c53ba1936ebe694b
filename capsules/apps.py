from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"
    verbose_name = "Capsules"

    def ready(self) -> None:
        from capsules import entry_types, erasing, provenance, sealed, section, targets
        from governance.ledger import entry_types as registry
        from memory import maintenance

        targets.register()
        provenance.register()
        sealed.register()
        section.register()
        erasing.register()
        registry.register(*entry_types.TYPES)
        maintenance.register(maintenance.Projection("capsules_drift", "repair_capsules"))
