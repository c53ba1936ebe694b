"""SQL that migrations run lives in numbered `sql/` files, each named by exactly one migration: tables' rights, indexes
and what they need. Functions live in `sql/functions/` (functions.py)."""

from pathlib import Path
from typing import Any

from django.db import migrations


class RunSQLFile(migrations.RunSQL):
    """Run `<app>/sql/<name>.up.sql`; reverse with `<name>.down.sql`. A released file is frozen: write the next one."""

    def __init__(self, app: str, name: str) -> None:
        self.app, self.name = app, name
        folder = Path(__file__).resolve().parents[2] / app / "sql"
        super().__init__(
            sql=(folder / f"{name}.up.sql").read_text(),
            reverse_sql=(folder / f"{name}.down.sql").read_text(),
        )

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return self.__class__.__qualname__, [self.app, self.name], {}
