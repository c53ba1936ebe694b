from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"
    verbose_name = "Capsules"

    def ready(self) -> None:
        from capsules import provenance, sealed, section, targets
        from governance import erasing
        from memory import maintenance

        targets.register()
        provenance.register()
        sealed.register()
        section.register()
        erasing.register(erasing.Keeper("capsules", ()))  # its words are content rows, and nothing is made of them
        maintenance.register(maintenance.Projection("capsules_drift", "repair_capsules"))
