from django.db import migrations

# Who reads: the labels that they hear (their own, channels and sensitivities), whether they hear every audience, and
# the audiences that they hear, one bit for each.
_ADD = "CREATE TYPE reader AS (labels text[], hears_all boolean, audiences varbit)"


class Migration(migrations.Migration):
    """Records have audiences."""

    dependencies = [("governance", "0004_erasures_by_value")]

    operations = [migrations.RunSQL(_ADD, "DROP TYPE reader")]
