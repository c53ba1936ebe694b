"""What the home page of the admin shows: counts per day, and a person's last verdicts."""

import django.db.models.deletion
from django.db import migrations, models

import governance.models.tenancy
from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0010_fold_without")]

    operations = [
        migrations.CreateModel(
            name="DayFigure",
            fields=[
                ("id", models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("name", models.TextField()),
                ("value", models.BigIntegerField()),
                ("tenant", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.tenant")),
            ],
        ),
        migrations.AddConstraint(
            model_name="dayfigure",
            constraint=models.UniqueConstraint(fields=("tenant", "day", "name"), name="day_figure_once"),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                condition=models.Q(decided_by__isnull=False), fields=["tenant", "decided_by", "-id"], name="verdict_of_person"
            ),
        ),
        RunSQLFile("governance", "0011_day_figures"),
    ]
