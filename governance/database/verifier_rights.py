"""Read privileges of the verifying role: the record of every tenant, but no secrets.

`migrate` calls `grant_reading`. It also grants new tables of tenants, because verification must see what readers see.
"""

from django.apps import apps
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

VERIFIER = "suture_verifier"

#: Stored answers, which verification does not need.
_UNREAD = {"governance_idempotencykey"}
#: Tables outside tenants, with their secret columns.
_OF_NO_TENANT = {
    "governance_schemafingerprint": set[str](),
    "governance_tenant": set[str](),
    "governance_user": {"password"},
}


def readable() -> dict[str, list[str] | None]:
    """The tables that verification may read, with the readable columns (None: all)."""
    found: dict[str, list[str] | None] = {}
    for model in apps.get_models(include_auto_created=True):
        table, columns = model._meta.db_table, [str(field.column) for field in model._meta.local_concrete_fields]
        if table in _OF_NO_TENANT:
            secret = _OF_NO_TENANT[table]
            found[table] = sorted(set(columns) - secret) if secret else None
        elif "tenant_id" in columns and model._meta.managed and table not in _UNREAD:
            found[table] = None
    return found


def grant_reading(connection: BaseDatabaseWrapper) -> None:
    """Grant the role these privileges on the existing tables, and revoke all others. `connection` is the owner's."""
    quote = connection.ops.quote_name
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        present = set(connection.introspection.table_names(cursor))
        cursor.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {VERIFIER}")
        cursor.execute(f"GRANT USAGE ON SCHEMA public TO {VERIFIER}")
        for table, columns in readable().items():
            if table in present:
                of = "" if columns is None else f" ({', '.join(map(quote, columns))})"
                cursor.execute(f"GRANT SELECT{of} ON {quote(table)} TO {VERIFIER}")
