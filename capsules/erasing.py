"""What an erasure asks of capsules; its SQL side is `erasable_of_capsules` and `erase_copies_of_capsules`."""

import uuid

from capsules import calls
from governance.erasure import keepers


def capsules_to_check(tenant_id: uuid.UUID, records: list[uuid.UUID], contents: list[uuid.UUID]) -> list[uuid.UUID]:
    """Capsules that hold one of `records` and keep words of their own or of an amend beside `contents`."""
    return calls.capsules_to_check(tenant=tenant_id, records=records, contents=contents)


def register() -> None:
    """Called once, when the app is ready."""
    # its words are content rows, and nothing is made of them that a purge would have to rewrite
    keepers.register(
        keepers.Keeper(
            "capsules",
            (),
            keepers.Repeating(
                "capsules_to_check",
                "Capsules that hold one of the records and keep note or risks, which may repeat its words.",
                capsules_to_check,
            ),
        )
    )
