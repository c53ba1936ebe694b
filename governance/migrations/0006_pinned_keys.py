"""The index that pinned_keys() walks."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0005_shared_secrets'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='chain',
            index=models.Index(fields=['public_key'], name='chain_public_key'),
        ),
    ]
