"""Migrations run numbered files in `sql/`, each in exactly one migration, for table privileges, indexes and their
functions. Other functions are in `sql/functions/` (functions.py)."""

from pathlib import Path
from typing import Any

from django.db import migrations


class RunSQLFile(migrations.RunSQL):
    """Run `<app>/sql/<name>.up.sql`; reverse with `<name>.down.sql`. Never change a released file: write a new one."""

    def __init__(self, app: str, name: str) -> None:
        self.app, self.name = app, name
        folder = Path(__file__).resolve().parents[2] / app / "sql"
        super().__init__(
            sql=(folder / f"{name}.up.sql").read_text(),
            reverse_sql=(folder / f"{name}.down.sql").read_text(),
        )

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__qualname__, [self.app, self.name], {}
