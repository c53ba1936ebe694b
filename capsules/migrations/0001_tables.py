"""The tables of capsules, with what models cannot say in an SQL file."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Capsule',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('scope', models.TextField(choices=[('session', 'Session'), ('user', 'User'), ('project', 'Project'), ('policy', 'Policy'), ('global', 'Global')])),
                ('subject_type', models.TextField()),
                ('subject_id', models.TextField()),
                ('project_id', models.TextField(null=True)),
                ('author_kind', models.TextField()),
                ('authored_by', models.UUIDField()),
                ('author', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('sensitivity', models.TextField()),
                ('may_forward', models.BooleanField(default=False)),
                ('note_id', models.UUIDField(null=True)),
                ('risks_id', models.UUIDField(null=True)),
                ('ttl_days', models.IntegerField()),
                ('forwards', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='capsules.capsule')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('forwards__isnull', False)), fields=['tenant', 'forwards'], name='capsule_forwards')],
                'constraints': [models.CheckConstraint(condition=models.Q(('scope__in', ['session', 'user', 'project', 'policy', 'global'])), name='capsule_scope_known'), models.CheckConstraint(condition=models.Q(('ttl_days__range', (1, 365))), name='capsule_ttl_in_range'), models.CheckConstraint(condition=models.Q(('author_kind__in', ['agent', 'human'])), name='capsule_author_known'), models.CheckConstraint(condition=models.Q(('sensitivity__in', ['none', 'low', 'high', 'secret'])), name='capsule_sensitivity_known')],
            },
        ),
        migrations.CreateModel(
            name='CapsuleAudience',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('capsule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='capsules.capsule')),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.agent')),
                ('expires_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'capsule'], name='capsule_audience_capsule')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'agent', 'capsule'), include=('expires_at',), name='idx_capsules_audience')],
            },
        ),
        migrations.CreateModel(
            name='CapsuleItem',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('capsule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='capsules.capsule')),
                ('position', models.IntegerField()),
                ('kind', models.TextField(choices=[('chunk', 'Chunk'), ('decision', 'Decision'), ('artifact', 'Artifact')])),
                ('item_id', models.UUIDField()),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'capsule', 'position'), name='capsule_item_position'), models.UniqueConstraint(fields=('tenant', 'item_id', 'capsule'), name='capsule_item_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['chunk', 'decision', 'artifact'])), name='capsule_item_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='EffectiveCapsule',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('scope', models.TextField(choices=[('session', 'Session'), ('user', 'User'), ('project', 'Project'), ('policy', 'Policy'), ('global', 'Global')])),
                ('subject_type', models.TextField()),
                ('subject_id', models.TextField()),
                ('project_id', models.TextField(null=True)),
                ('author_kind', models.TextField()),
                ('authored_by', models.UUIDField()),
                ('author', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('sensitivity', models.TextField()),
                ('may_forward', models.BooleanField(default=False)),
                ('note_id', models.UUIDField(null=True)),
                ('risks_id', models.UUIDField(null=True)),
                ('forwards_id', models.UUIDField(null=True)),
                ('item_count', models.IntegerField()),
                ('audience_count', models.IntegerField()),
                ('status', models.TextField(choices=[('active', 'Active'), ('revoked', 'Revoked'), ('expired', 'Expired')], default='active')),
                ('revoked_at', models.DateTimeField(null=True)),
                ('expired_at', models.DateTimeField(null=True)),
                ('warned_at', models.DateTimeField(null=True)),
                ('importance', models.DecimalField(decimal_places=4, max_digits=5)),
                ('is_retracted', models.BooleanField(default=False)),
                ('is_quarantined', models.BooleanField(default=False)),
                ('blocked_channels', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('edits_applied', models.IntegerField(default=0)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('is_retracted', False), ('status', 'active')), fields=['tenant', 'subject_type', 'subject_id', '-id'], name='idx_capsules_tenant_subject'), models.Index(condition=models.Q(('status', 'active')), fields=['tenant', 'expires_at'], name='idx_capsules_expires'), models.Index(fields=['tenant', 'authored_by', '-id'], name='effective_capsule_authored')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('expired_at__isnull', True), ('revoked_at__isnull', True), ('status', 'active')), models.Q(('expired_at__isnull', True), ('revoked_at__isnull', False), ('status', 'revoked')), models.Q(('expired_at__isnull', False), ('revoked_at__isnull', True), ('status', 'expired')), _connector='OR'), name='effective_capsule_status_whole'), models.CheckConstraint(condition=models.Q(('importance__range', (0, 1))), name='effective_capsule_importance_in_range')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsule',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='98fe38054537fdc57ddc518cdb113bc888eb4fea', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_0a3a9', table='capsules_capsule', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsule',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b363d511471a328f84eae048b7810f2323bfa946', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_0f733', table='capsules_capsule', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsule',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='ba99885f6d7189bdde5166d283a4e51c4810bbf8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4e55c', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsule', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleaudience',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='06ac6a2a068d893acea84f016c7bc8709338c144', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_e4d89', table='capsules_capsuleaudience', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleaudience',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='9135cbfc7be1ed143c477b587e989b11ea3a416b', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_2048e', table='capsules_capsuleaudience', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleaudience',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='25a835129086b643df7199ac065b2b7a4f2d1c6f', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_72301', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsuleaudience', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleitem',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='a46766909e7baa7d8726cdc2d316a6fb208c98c2', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_70be6', table='capsules_capsuleitem', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleitem',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c38d897902a9553aee10fe998f8007c36ba0ef5b', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_8510a', table='capsules_capsuleitem', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capsuleitem',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='b87b101676d3bbad2c3a4fc60c7afb8558013c9d', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_14e65', referencing='REFERENCING NEW TABLE AS recorded ', table='capsules_capsuleitem', when='AFTER')),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        RunSQLFile("capsules", "0001_tables"),
    ]
