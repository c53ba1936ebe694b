"""Browsers of the admin, and what they carry back."""

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from governance.acting import gate
from governance.models import User


class FormClient(Client):
    """A browser that opens a form anew for every POST: each carries a token of its own."""

    def post(self, path: str, data: Any = None, *args: Any, **options: Any) -> Any:  # type: ignore[override] # the stubs name every option
        return super().post(path, {"once": secrets.token_hex(8), **(data or {})}, *args, **options)


class Desk:
    """A person's browser at the review queue: `desk.open(edit)`, `desk.approve(edit)`."""

    def __init__(self, name: str, **options: Any) -> None:
        self.client = FormClient(**options)
        self.client.force_login(User.objects.get(username=name))

    def queue(self, query: str = "") -> Any:
        return self.client.get(f"/admin/governance/edit/{query}")

    def open(self, edit_id: str) -> Any:
        return self.client.get(f"/admin/governance/edit/{edit_id}/change/")

    def seen(self, edit_id: str) -> dict[str, str]:
        """What the form of the edit's page carries back."""
        page = self.open(edit_id).context
        return {"patch_sha256": page["patch_sha256"], "target_state": page["target_state"]}

    def decide(self, verb: str, edit_id: str, **fields: str) -> Any:
        """POST a verdict on what the page shows, or on what `fields` say."""
        return self.client.post(f"/admin/governance/edit/{edit_id}/{verb}/", {**self.seen(edit_id), **fields})


@pytest.fixture
def desk() -> Callable[..., Desk]:
    return Desk


@pytest.fixture
def status_of() -> Callable[[Any, str], str]:
    """`status_of(world, edit_id)`: pending, approved or rejected."""

    def ask(world: Any, edit_id: str) -> str:
        with world.inside():
            row = gate.rows("SELECT status FROM governance_editstate WHERE edit_id = %s", [edit_id])
        return str(row[0]["status"])

    return ask
