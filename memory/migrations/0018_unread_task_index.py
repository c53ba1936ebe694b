"""The index that listed a tenant's open tasks is read by nothing since bundles look them up by what they are about."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_prefixes")]

    operations = [migrations.RemoveIndex(model_name="effectivetask", name="effective_task_active")]
