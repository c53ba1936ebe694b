"""Capsules in an erasure; the SQL side is `erasable_of_capsules` and `erase_copies_of_capsules`."""

import uuid

from capsules import db
from governance.erasure import keepers


def capsules_to_check(tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]) -> list[uuid.UUID]:
    """Capsules that contain one of `records` and have text, their own or an amend's, outside `contents`."""
    return db.capsules_to_check(tenant=tenant_id, records=records, contents=contents)


def register() -> None:
    """Register capsules with erasures; called once, when the app is ready."""
    # capsules have text only in content rows, so a purge need not rewrite their tables
    keepers.register(
        keepers.Keeper(
            "capsules",
            (),
            (
                keepers.Repeating(
                    "capsules_to_check",
                    "Capsules that contain one of these records, and whose note or risks may repeat its text.",
                    capsules_to_check,
                ),
            ),
        )
    )
