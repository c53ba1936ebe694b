"""Lawful erasure: proposals, what became of them, what they erased, and the one deletion of content."""

import django.db.models.deletion
import django.utils.timezone
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import governance.models.tenancy
from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0008_seals")]

    operations = [
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('named_by', models.TextField(choices=[('chunk', 'Chunk'), ('event', 'Event'), ('subject', 'Subject'), ('agent', 'Agent')])),
                ('target_id', models.UUIDField(null=True)),
                ('subject_type', models.TextField(null=True)),
                ('subject_id', models.TextField(null=True)),
                ('reason', models.TextField()),
                ('proposed_by', models.UUIDField()),
                ('proposer', models.TextField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ErasureItem',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('record_id', models.UUIDField()),
                ('content_id', models.UUIDField()),
                ('sha256', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('erasure', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.erasure')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ErasureState',
            fields=[
                ('erasure', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='state', serialize=False, to='governance.erasure')),
                ('status', models.TextField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('executed', 'Executed'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')])),
                ('proposed_by', models.UUIDField()),
                ('decided_by', models.UUIDField(null=True)),
                ('decider', models.TextField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_reason', models.TextField(default='')),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.AddIndex(
            model_name='erasure',
            index=models.Index(fields=['tenant', '-created_at', '-id'], name='erasure_newest'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.UniqueConstraint(fields=('tenant', 'id', 'proposed_by'), name='erasure_as_proposed'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('named_by', 'subject'), ('subject_id__isnull', False), ('subject_type__isnull', False), ('target_id__isnull', True)), models.Q(('named_by__in', ['chunk', 'event', 'agent']), ('subject_id__isnull', True), ('subject_type__isnull', True), ('target_id__isnull', False)), _connector='OR'), name='erasure_names_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='erasure',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='erasure_has_reason'),
        ),
        migrations.AddIndex(
            model_name='erasureitem',
            index=models.Index(fields=['tenant', 'content_id'], name='erasure_item_content'),
        ),
        migrations.AddIndex(
            model_name='erasureitem',
            index=models.Index(fields=['tenant', 'record_id'], name='erasure_item_record'),
        ),
        migrations.AddConstraint(
            model_name='erasureitem',
            constraint=models.UniqueConstraint(fields=('tenant', 'erasure', 'record_id', 'content_id'), name='erasure_item_once'),
        ),
        migrations.AddConstraint(
            model_name='erasurestate',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'approved', 'executed', 'rejected', 'withdrawn'])), name='erasure_status_known'),
        ),
        migrations.AddConstraint(
            model_name='erasurestate',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', True), ('status', 'pending')), models.Q(('decided_by', models.F('proposed_by')), ('decided_by__isnull', False), ('status', 'withdrawn')), models.Q(('decided_by__isnull', False), ('status__in', ['approved', 'executed', 'rejected']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='erasure_decided_by_another'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasure',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='146e1a652baf22f7d02cacd780988ddf0a8169c5', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b8a90', table='governance_erasure', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasure',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='0265d67da740ed1b4454caaccc40be9baa926983', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_a7a32', table='governance_erasure', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasureitem',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='56d5fadc68271e51760bceba15505d52975d11e2', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_09c6f', table='governance_erasureitem', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasureitem',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='277f47d7d86eeadb87d33cdc815b1915bb90be66', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_b9655', table='governance_erasureitem', when='BEFORE')),
        ),
        RunSQLFile("governance", "0009_erasure"),
        pgtrigger.migrations.RemoveTrigger(model_name='content', name='append_only'),
        pgtrigger.migrations.AddTrigger(
            model_name='content',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change_unless_erased()', func='RETURN NULL;', hash='dd1b9cb1cf30f4a41d7b993c045e44c6f6b0bf7b', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b296b', table='governance_content', when='BEFORE')),
        ),
        # The file made the function that this guard calls; now there is the guard, which no replica role switches off.
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
    ]
