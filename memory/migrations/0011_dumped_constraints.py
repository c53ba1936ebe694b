"""Conditions that PostgreSQL writes into a dump as it reads them from one.

BETWEEN within AND comes back without its parentheses, and a restored database then differed from the signed schema.
"""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0010_schema_fingerprint'),
        ('memory', '0010_receipts'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='checkpoint',
            name='checkpoint_numbers_in_range',
        ),
        migrations.RemoveConstraint(
            model_name='confidencechange',
            name='confidence_change_in_range',
        ),
        migrations.RemoveConstraint(
            model_name='sessionturn',
            name='session_turn_in_range',
        ),
        migrations.AddConstraint(
            model_name='checkpoint',
            constraint=models.CheckConstraint(condition=models.Q(('depth__gte', 0), ('depth__lte', 64), ('size__gt', 0), ('stored_size__gt', 0), ('turn__gte', 0)), name='checkpoint_numbers_in_range'),
        ),
        migrations.AddConstraint(
            model_name='confidencechange',
            constraint=models.CheckConstraint(condition=models.Q(('after__gte', 0), ('after__lte', 1), ('before__gte', 0), ('before__lte', 1)), name='confidence_change_in_range'),
        ),
        migrations.AddConstraint(
            model_name='sessionturn',
            constraint=models.CheckConstraint(condition=models.Q(('depth__gte', 0), ('depth__lte', 64), ('turn__gte', 0)), name='session_turn_in_range'),
        ),
    ]
