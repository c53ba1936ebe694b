"""Rows whose ids are of the past are noted for the next seal."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0007_stragglers'),
        ('capsules', '0001_tables'),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name='capsule',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='b44c4c49bd9e3ca6ad2c17e581bf425a3e17e4b3', operation='INSERT', pgid='pgtrigger_note_straggler_9e130', table='capsules_capsule', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleaudience',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='613783a92dc57b57dec9ddff031ecc7e33149381', operation='INSERT', pgid='pgtrigger_note_straggler_acff9', table='capsules_capsuleaudience', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleitem',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='5651ab28f57719996b2ced02d64bfa41aac9662c', operation='INSERT', pgid='pgtrigger_note_straggler_e5500', table='capsules_capsuleitem', when='AFTER')),
        ),
    ]
