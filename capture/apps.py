from django.apps import AppConfig


class CaptureConfig(AppConfig):
    name = "capture"
    verbose_name = "Captures"

    def ready(self) -> None:
        from capture import sealed_kinds

        sealed_kinds.register()
