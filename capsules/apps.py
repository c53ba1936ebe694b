from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"
    verbose_name = "Capsules"

    def ready(self) -> None:
        from capsules import erasing, provenance, sealed, section, targets
        from memory import maintenance

        targets.register()
        provenance.register()
        sealed.register()
        section.register()
        erasing.register()
        maintenance.register(maintenance.Projection("capsules_drift", "repair_capsules"))
