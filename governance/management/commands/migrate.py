from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from governance.database.catalog import Objects
from governance.database.functions import apply_functions
from governance.database.migration_state import few_classes
from governance.database.verifier_rights import grant_reading
from governance.ledger import fingerprints, shared_secrets
from governance.refusals import Refusal

#: Differences of the schema that are printed.
PRINTED_AT_MOST = 20


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except Refusal as refusal:
        raise CommandError(refusal.detail) from None


def _has_secrets(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regprocedure('shared_secrets()') IS NOT NULL")
        return bool(cursor.fetchone()[0])


class Command(migrate.Command):
    """Django's migrate, by default as the owner of the tables, then the functions, then the fingerprint of the new
    schema.

    A node whose secrets differ from those of the database's other nodes changes nothing.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")
        parser.add_argument(
            "--accept-schema",
            action="store_true",
            help="sign the current schema with changes not made by migrations; the ledger names these changes",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then update the functions from sql/functions/ (unless there was nothing to do)."""
        connection = connections[options["database"]]
        with _refusals():
            if _has_secrets(connection):
                shared_secrets.require_same()
        before = fingerprints.read(connection.alias)
        with few_classes():
            super().handle(*args, **options)
        if options["plan"] or options["check_unapplied"] or options["fake"]:
            return
        applied = apply_functions(connection)
        grant_reading(connection)
        if applied and options["verbosity"] >= 1:
            self.stdout.write(f"  Functions created, replaced or dropped: {len(applied)}")
        loader = MigrationLoader(connection)
        if loader.disk_migrations.keys() <= loader.applied_migrations.keys():
            with _refusals():
                shared_secrets.note()
                shared_secrets.require_same()  # another node may just have stored different ones
            self._fingerprint(connection, before, accepts=options["accept_schema"], verbosity=options["verbosity"])

    def _fingerprint(self, connection: BaseDatabaseWrapper, before: Objects, *, accepts: bool, verbosity: int) -> None:
        """Sign the changes of this run, and record them in every ledger. Problems of the schema or a ledger are
        printed, but do not prevent a start."""
        try:
            accepted = fingerprints.unsigned(connection.alias) if accepts else []
            signed, differing = fingerprints.sign(before, using=connection.alias, accepts=accepts)
        except Refusal as refusal:
            self.stderr.write(f"The schema was not signed: {refusal.for_operator}")
            return
        if signed is None:
            self.stderr.write(
                "The schema was not signed: ledgers name a fingerprint of it, but the database has none that is signed"
                " by this server's keys. Restore the table governance_schemafingerprint, or check the schema and run"
                " `manage.py migrate --accept-schema`."
            )
            return
        done, refused = fingerprints.record_in_all(signed, accepted, using=connection.alias)
        if done and verbosity >= 1:
            self.stdout.write(f"  Schema fingerprinted: {len(signed.objects)} objects, in {done} ledgers")
        for slug, why in refused.items():
            self.stderr.write(f"The ledger of {slug} does not name the fingerprint of the schema: {why}")
        if differing:
            self.stderr.write(f"The schema differs from the signed one: {len(differing)} differences.")
            for one in differing[:PRINTED_AT_MOST]:
                self.stderr.write(f"  {one.detail}")
            self.stderr.write(
                "No migration made these changes. Find out who did. To accept them, run `manage.py migrate"
                " --accept-schema`."
            )
