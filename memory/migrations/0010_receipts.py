"""What is recorded is noted for receipts."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0009_receipts'),
        ('memory', '0009_pending_terms'),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name='agentmemory',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='artifact',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='capture',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='captureremoval',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='checkpoint',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='checkpointremoval',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='chunk',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='confidencechange',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='contextbundle',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='decision',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='delivery',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='event',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='fileversion',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='operationdone',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='outcome',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='promotion',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='task',
            name='note_straggler',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='agentmemory',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='92b0f3a9a22db596d78592183d1b6ff6c0395b95', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_8645b', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_agentmemory', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='artifact',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='e21dc7b5ad189c2a0eab524fb89accff23a1af5b', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_16220', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_artifact', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capture',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='4bcc7e7194b67084c7f56e9b7f9ff51c88ddd4ca', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_b2c41', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_capture', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='captureremoval',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='b6570846c1bb7f48abcbefcaf75581f047812a35', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_648db', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_captureremoval', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpoint',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='e08e7e7456887325c8cacc8400e1ab348dd458ca', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_158c6', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_checkpoint', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpointremoval',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='11379908b0c9f9e8b1f7496c6276a85a9b9c96d1', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_0d9eb', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_checkpointremoval', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='chunk',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='2069c69d3bf3cc285e2a4b5a5de3dfef7051195d', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_c3583', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_chunk', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='confidencechange',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='07c359324063f105f418bbbc325edf411724bc5c', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_f5a77', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_confidencechange', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='contextbundle',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='1184f7bb9ba0735c1ed73d9f81935f6e53ddbb30', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_5e20e', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_contextbundle', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='decision',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='4e2375c46227bec7318b54fb490d9ea6e4f6b3e7', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_5e29e', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_decision', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='delivery',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='2307dd65ce444366f6e163b5ed789ae592213513', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_aa94a', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_delivery', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='event',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='64af8ca1ae79a610ea5ebbcd8581e5d1922fe890', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_873b5', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_event', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileversion',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='9f20e3fcba1ba867b834bd6e41e89eda80a09343', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_af2c5', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_fileversion', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='operationdone',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='af02b3c7adb2de45cf0497c3e8b608e6b4a8ca7c', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_106b7', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_operationdone', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='outcome',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='3a4d35bb75fbf3f53f643b71072c780e4f9f2617', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_d37bf', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_outcome', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='promotion',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='d164c971671c7a9a42616532923ef7209d2a4164', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_37799', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_promotion', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='task',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='2a3d4b5b7547f92d7d7e56ca4df52886abcf3bb6', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_e13e3', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_task', when='AFTER')),
        ),
    ]
