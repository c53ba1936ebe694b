"""Receipts: what each transaction records is signed, and seals take what receipts name."""

import django.contrib.postgres.fields
import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0008_quarantine_readers'),
    ]

    operations = [
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('row_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ('hashes', models.BinaryField()),
                ('public_key', models.BinaryField(max_length=32)),
                ('signature', models.BinaryField(max_length=64)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='UnsealedReceipt',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='receipt',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='unsealedreceipt',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        RunSQLFile("governance", "0009_receipts"),
        pgtrigger.migrations.RemoveTrigger(
            model_name='accessrecord',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='edit',
            name='note_straggler',
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name='verdict',
            name='note_straggler',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='4148cc42adffd9ae02de08a6fa0c86c023d2efc8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_0d792', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_accessrecord', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='edit',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='7c1aaa9da10022c1c3caa1c4fca70732afe06caf', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4cc92', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_edit', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='verdict',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='5a0ae4ce4e469d229a198be93bbafe115c2622d5', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4bed2', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_verdict', when='AFTER')),
        ),
        migrations.DeleteModel(
            name='Straggler',
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='receipt',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='1d42c183dbb996805846388ea8c6b39158fb730f', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_2d102', table='governance_receipt', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='receipt',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='e684fc45db1774e01f8f3c6f2c9b266cc010cc1f', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_240c0', table='governance_receipt', when='BEFORE')),
        ),
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
    ]
