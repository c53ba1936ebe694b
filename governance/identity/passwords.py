"""A person's own password, which only the logged-in person can change."""

from django.contrib.auth.hashers import get_hasher, identify_hasher, make_password
from django.db import transaction

from governance.acting.credentials import PersonCredential
from governance.identity import db
from governance.models import User


@transaction.atomic
def change_password(user: User, password: str) -> None:
    """Set a new password that `user` has chosen."""
    user.set_password(password)
    db.set_own_password(token=PersonCredential(user.id).token(), password=user.password, is_new=True)


@transaction.atomic
def renew_hash(user: User, password: str) -> None:
    """Rehash the password with which `user` has just logged in, after the hash settings have changed. A one-time
    password stays one."""
    hasher, preferred = identify_hasher(user.password), get_hasher()
    if hasher.algorithm == preferred.algorithm and not preferred.must_update(user.password):
        return
    user.password = make_password(password)
    db.set_own_password(token=PersonCredential(user.id).token(), password=user.password, is_new=False)
