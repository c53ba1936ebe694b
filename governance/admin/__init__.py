"""The admin: the review queue, the ledger and the lists. Importing this registers governance's pages."""

from governance.admin import audit, edits, lists, relations
from governance.admin.site import site

__all__ = ["audit", "edits", "lists", "relations", "site"]
