"""/api/v1/ of captures and files."""

from django.urls import path

from capture.api import captures, files

urlpatterns = [
    path("captures", captures.CapturesView.as_view(), name="captures"),
    path("captures/batch", captures.CaptureBatchView.as_view(), name="captures-batch"),
    path("captures/delete", captures.DeleteView.as_view(), name="captures-delete"),
    path("captures/<uuid:chunk_id>", captures.CaptureView.as_view(), name="capture"),
    path("files", files.FilesView.as_view(), name="files"),
    path("files/deleted", files.DeletedView.as_view(), name="files-deleted"),
    path("files/renamed", files.RenamedView.as_view(), name="files-renamed"),
]
