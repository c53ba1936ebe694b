from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from memory import erasing, figures, provenance, sealed, targets, tools
        from memory.context import standard_sections

        targets.register()
        provenance.register()
        sealed.register()
        figures.register()
        erasing.register()
        standard_sections.register()
        tools.register()
