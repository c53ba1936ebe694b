from django.db import migrations


class Migration(migrations.Migration):
    """The models of captures and files become the app `capture`; the tables stay as they are."""

    dependencies = [("memory", "0002_vector_fields")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name)
                for name in ("Capture", "CaptureRemoval", "FilePlacement", "FileVersion")
            ]
        )
    ]
