from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """An erasure may name a value."""

    dependencies = [("governance", "0003_limits_of_agents")]

    operations = [
        migrations.AlterField(
            model_name="erasure",
            name="named_by",
            field=models.TextField(
                choices=[
                    ("chunk", "Chunk"),
                    ("event", "Event"),
                    ("subject", "Subject"),
                    ("agent", "Agent"),
                    ("value", "Value"),
                ]
            ),
        ),
        migrations.RemoveConstraint(model_name="erasure", name="erasure_names_one_thing"),
        migrations.AddConstraint(
            model_name="erasure",
            constraint=models.CheckConstraint(
                condition=Q(
                    named_by="subject", target_id__isnull=True, subject_type__isnull=False, subject_id__isnull=False
                )
                | Q(
                    named_by__in=["chunk", "event", "agent", "value"],
                    target_id__isnull=False,
                    subject_type__isnull=True,
                    subject_id__isnull=True,
                ),
                name="erasure_names_one_thing",
            ),
        ),
    ]
