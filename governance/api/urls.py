"""/api/v1/ of governance."""

from django.urls import path

from governance.api import edits

urlpatterns = [
    path("edits", edits.EditsView.as_view(), name="edits"),
    path("edits/<uuid:edit_id>", edits.EditView.as_view(), name="edit"),
    path("edits/<uuid:edit_id>/approve", edits.ApproveView.as_view(), name="edit-approve"),
    path("edits/<uuid:edit_id>/reject", edits.RejectView.as_view(), name="edit-reject"),
]
