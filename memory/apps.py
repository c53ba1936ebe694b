from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        from governance.ledger import entry_types as ledger_entry_types
        from memory import erasing, figures, provenance, sealed, targets, tools
        from memory.context import standard_sections
        from memory.curation import entry_types

        targets.register()
        provenance.register()
        sealed.register()
        figures.register()
        erasing.register()
        standard_sections.register()
        tools.register()
        ledger_entry_types.register(*entry_types.TYPES)
