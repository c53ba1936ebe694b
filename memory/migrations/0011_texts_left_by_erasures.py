from django.db import migrations, models


class Migration(migrations.Migration):
    """What an erasure by value leaves of a text is a rewording too, also where the text did not say the value."""

    dependencies = [("governance", "0004_erasures_by_value"), ("memory", "0010_relations")]

    operations = [
        migrations.RemoveConstraint(model_name="rewording", name="rewording_has_values"),
        migrations.AddIndex(
            model_name="guard",
            index=models.Index(condition=models.Q(("instead_id__isnull", False)), fields=["tenant"], name="guard_replaces"),
        ),
    ]
