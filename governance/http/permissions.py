"""Permissions that are checked before a service is called. Services check everything else."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from governance.acting.principals import Principal


class MayWrite(BasePermission):
    """All principals may read; auditors may not write."""

    message = "Auditors can read everything but cannot change anything."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.user, Principal):
            return False
        reads_only = request.method in {"GET", "HEAD", "OPTIONS"} or getattr(view, "only_reads", False)
        return reads_only or request.user.may_write


class MayDecide(BasePermission):
    """People with the reviewer or admin role decide edits; agents never do."""

    message = "Only a reviewer or admin of the tenant can decide an edit. An agent's key cannot."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, Principal) and request.user.may_decide
