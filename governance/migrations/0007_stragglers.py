"""Rows whose ids are of the past, which the next seal looks for by name."""

import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0006_pinned_keys'),
    ]

    operations = [
        migrations.CreateModel(
            name='Straggler',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('table', models.TextField()),
                ('row_id', models.UUIDField()),
            ],
        ),
        migrations.AddField(
            model_name='straggler',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddConstraint(
            model_name='straggler',
            constraint=models.UniqueConstraint(fields=('tenant', 'table', 'row_id'), name='straggler_once'),
        ),
        RunSQLFile("governance", "0007_stragglers"),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='0f7cd0474a2355c326420094dc97173ea9480368', operation='INSERT', pgid='pgtrigger_note_straggler_4a8ca', table='governance_accessrecord', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='edit',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='bff73d5856ddc379b1a00ed183140ed898a2a96a', operation='INSERT', pgid='pgtrigger_note_straggler_a2d78', table='governance_edit', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='verdict',
            trigger=pgtrigger.compiler.Trigger(name='note_straggler', sql=pgtrigger.compiler.UpsertTriggerSql(condition="WHEN (left(replace(NEW.id::text, '-', ''), 12) < lpad(to_hex(((extract(epoch FROM clock_timestamp()) - 60) * 1000)::bigint), 12, '0'))", execute='governance_note_straggler()', func='RETURN NULL;', hash='5ed79c1d304ce2920c0640ea127737999de49d6d', operation='INSERT', pgid='pgtrigger_note_straggler_4a974', table='governance_verdict', when='AFTER')),
        ),
    ]
