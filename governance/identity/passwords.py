"""A person's own password, which they alone change: as the person whom the login and session code has found."""

from django.contrib.auth.hashers import get_hasher, identify_hasher, make_password
from django.db import transaction

from governance.acting.credentials import PersonCredential
from governance.identity import db
from governance.models import User


@transaction.atomic
def change_password(user: User, password: str) -> None:
    """Let `user` log in with another password, their own choice."""
    user.set_password(password)
    db.set_own_password(token=PersonCredential(user.id).token(), password=user.password, is_new=True)


@transaction.atomic
def renew_hash(user: User, password: str) -> None:
    """Hash the password that `user` has just logged in with as the settings say now, where it was hashed as they said
    before. Whose choice it was stays."""
    hasher, preferred = identify_hasher(user.password), get_hasher()
    if hasher.algorithm == preferred.algorithm and not preferred.must_update(user.password):
        return
    user.password = make_password(password)
    db.set_own_password(token=PersonCredential(user.id).token(), password=user.password, is_new=False)
