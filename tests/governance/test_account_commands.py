"""Django's commands for accounts write as the owner of the tables: the web's role may not."""

import secrets

import pytest
from django.core.management import call_command

from governance.management.commands import changepassword
from governance.models import User

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

PASSWORD, ANOTHER = "a long and odd sentence", "another long and odd sentence"


@pytest.fixture
def name(monkeypatch):
    """The username of a superuser whom `createsuperuser` made."""
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    made = f"boss-{secrets.token_hex(4)}"
    call_command("createsuperuser", interactive=False, username=made, email=f"{made}@example.org", verbosity=0)
    return made


def test_createsuperuser_makes_one(name):
    user = User.objects.get(username=name)
    assert user.is_superuser
    assert user.check_password(PASSWORD)


def test_changepassword_changes_it(name, monkeypatch, capsys):
    monkeypatch.setattr(changepassword.Command, "_get_pass", lambda *_, **__: ANOTHER)
    call_command("changepassword", name)
    assert User.objects.get(username=name).check_password(ANOTHER)
