"""What is recorded is noted for receipts, and no stragglers any more."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0009_receipts'),
        ('memory', '0010_receipts'),
        ('capsules', '0002_stragglers'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='capsule',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='capsuleaudience',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='capsuleitem',
            name='note_straggler',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsule',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='ba99885f6d7189bdde5166d283a4e51c4810bbf8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4e55c', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsule', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleaudience',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='25a835129086b643df7199ac065b2b7a4f2d1c6f', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_72301', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsuleaudience', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleitem',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='b87b101676d3bbad2c3a4fc60c7afb8558013c9d', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_14e65', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsuleitem', when='AFTER')),
        ),
        RunSQLFile("capsules", "0003_receipts"),
    ]
