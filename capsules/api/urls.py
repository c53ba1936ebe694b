"""/api/v1/ of capsules."""

from django.urls import path

from capsules.api import views

urlpatterns = [
    path("capsules", views.CapsulesView.as_view(), name="capsules"),
    path("capsules/warnings", views.WarningsView.as_view(), name="capsule-warnings"),
    path("capsules/<uuid:capsule_id>", views.CapsuleView.as_view(), name="capsule"),
    path("capsules/<uuid:capsule_id>/forward", views.ForwardView.as_view(), name="capsule-forward"),
    path("capsules/<uuid:capsule_id>/usage", views.UsageView.as_view(), name="capsule-usage"),
]
