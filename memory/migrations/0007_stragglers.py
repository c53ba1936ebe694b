"""Rows whose ids are of the past are noted for the next seal."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0007_stragglers'),
        ('memory', '0006_effective_text'),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name='agentmemory',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='63f836d2a4375c2b33c7731ad6bf5c9752f599ad', operation='INSERT', pgid='pgtrigger_note_straggler_78334', table='memory_agentmemory', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='artifact',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='8d4f07bf9da4ef1012d1b85fc01bde0b2096cc69', operation='INSERT', pgid='pgtrigger_note_straggler_a237d', table='memory_artifact', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capture',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='d4578c6b9778bb5b4839fd6e43b9b29d637ea3f4', operation='INSERT', pgid='pgtrigger_note_straggler_0562b', table='memory_capture', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='captureremoval',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='8e573fb723a5d0dd0ccd7141ccf986f17e4504d6', operation='INSERT', pgid='pgtrigger_note_straggler_ca06b', table='memory_captureremoval', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpoint',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='675de8801854960d949d51093778ee3a3af2c02f', operation='INSERT', pgid='pgtrigger_note_straggler_78b26', table='memory_checkpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpointremoval',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='b908b5ec643e86699c3d4c6e069dcd34e814281e', operation='INSERT', pgid='pgtrigger_note_straggler_4d018', table='memory_checkpointremoval', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='chunk',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='5634b8d3802681a232b5a968fc2dcf6605d7ff9d', operation='INSERT', pgid='pgtrigger_note_straggler_d4512', table='memory_chunk', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='confidencechange',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='abdb3f49812c638f2bca9ebf62b044e2460a81be', operation='INSERT', pgid='pgtrigger_note_straggler_3bdb9', table='memory_confidencechange', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='contextbundle',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='22251e92720a00e7c5e7f31ad7debcacbb1ac537', operation='INSERT', pgid='pgtrigger_note_straggler_b76ae', table='memory_contextbundle', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='decision',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='589e06544654706cae838c6edc6860f5e7b88cb3', operation='INSERT', pgid='pgtrigger_note_straggler_28251', table='memory_decision', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='delivery',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='21e64a9379971381b89cdf288d19bd3ecc71d3eb', operation='INSERT', pgid='pgtrigger_note_straggler_1524d', table='memory_delivery', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='event',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='87cb66cbbda7af2ff5baae5214e6c0b6a4496de6', operation='INSERT', pgid='pgtrigger_note_straggler_38ec6', table='memory_event', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileversion',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='0857ca069a70aa3754d26cb54ed0e17d84848b3f', operation='INSERT', pgid='pgtrigger_note_straggler_7c09f', table='memory_fileversion', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='operationdone',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='bafbc7c4246beb21a76a03a8b4918dad3293bca4', operation='INSERT', pgid='pgtrigger_note_straggler_e773d', table='memory_operationdone', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='outcome',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='be4491ee51fcd9ff75fcd9ac5208a2265709f253', operation='INSERT', pgid='pgtrigger_note_straggler_5bafc', table='memory_outcome', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='promotion',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='6ac2e69f1940041fcc9c4c3f7fa34c63d2166a1d', operation='INSERT', pgid='pgtrigger_note_straggler_67b77', table='memory_promotion', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='task',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='9ac396650014918c9e6aa9dce90a536210e3098d', operation='INSERT', pgid='pgtrigger_note_straggler_294a9', table='memory_task', when='AFTER')),
        ),
    ]
