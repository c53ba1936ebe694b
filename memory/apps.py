from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = "Memory"

    def ready(self) -> None:
        import psycopg
        from pgvector import HalfVector
        from pgvector.psycopg.halfvec import HalfVectorDumper

        from governance.ledger import comparisons
        from governance.ledger import entry_types as ledger_entry_types
        from memory import checkpoints, daily_counts, erasing, provenance, removed_values, sealed_kinds, targets, tools
        from memory.context import standard_sections
        from memory.context import state_checks as of_bundles
        from memory.curation import entry_types, state_checks
        from memory.tiers import entry_types as tier_entry_types
        from memory.usage import entry_types as usage_entry_types
        from memory.values import provenance as uses_of_values
        from memory.values import targets as of_values

        # For every connection, without the queries for the type's oid that pgvector's register_vector sends on each
        # connection:
        # the type of the parameter tells what the text is.
        psycopg.adapters.register_dumper(HalfVector, HalfVectorDumper)
        targets.register()
        of_values.register()
        provenance.register()
        uses_of_values.register()
        sealed_kinds.register()
        daily_counts.register()
        erasing.register()
        removed_values.register()
        standard_sections.register()
        tools.register()
        comparisons.register("supersessions", state_checks.compare)
        comparisons.register("context bundles", of_bundles.compare)
        ledger_entry_types.register(
            *entry_types.TYPES, *usage_entry_types.TYPES, *tier_entry_types.TYPES, *checkpoints.TYPES
        )
