"""What use memory was of, and where in its life it is."""

import django.core.validators
import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from decimal import Decimal
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_self_editing'),
        ('memory', '0003_captures'),
    ]

    operations = [
        migrations.CreateModel(
            name='ChunkSession',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
                ('session_id', models.TextField()),
                ('access_count', models.BigIntegerField()),
                ('first_accessed', models.DateTimeField()),
                ('last_accessed', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='ConfidenceChange',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
                ('number', models.IntegerField()),
                ('kind', models.TextField(choices=[('outcome', 'Outcome'), ('decay', 'Decay'), ('consolidation', 'Consolidation'), ('manual', 'Manual')])),
                ('before', models.DecimalField(decimal_places=4, max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('after', models.DecimalField(decimal_places=4, max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)])),
                ('outcome_id', models.UUIDField(null=True)),
                ('is_failure', models.BooleanField(default=False)),
                ('reason', models.TextField(blank=True, default='')),
                ('changer_kind', models.TextField()),
                ('changed_by', models.UUIDField()),
                ('changer', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Outcome',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
                ('version', models.IntegerField()),
                ('outcome', models.TextField(choices=[('success', 'Success'), ('failure', 'Failure')])),
                ('session_id', models.TextField()),
                ('note', models.TextField(blank=True, default='')),
                ('reporter_kind', models.TextField()),
                ('reported_by', models.UUIDField()),
                ('reporter', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Promotion',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
                ('number', models.IntegerField()),
                ('kind', models.TextField(choices=[('automatic', 'Automatic'), ('manual', 'Manual')])),
                ('from_tier', models.TextField(choices=[('task', 'Task'), ('session', 'Session'), ('longterm', 'Longterm'), ('archive', 'Archive')])),
                ('to_tier', models.TextField(choices=[('task', 'Task'), ('session', 'Session'), ('longterm', 'Longterm'), ('archive', 'Archive')])),
                ('reason', models.TextField()),
                ('evidence', models.JSONField()),
                ('promoter_kind', models.TextField()),
                ('promoted_by', models.UUIDField()),
                ('promoter', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='PromotionCheck',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tier', models.TextField(choices=[('task', 'Task'), ('session', 'Session'), ('longterm', 'Longterm'), ('archive', 'Archive')])),
                ('wanted_tier', models.TextField(choices=[('task', 'Task'), ('session', 'Session'), ('longterm', 'Longterm'), ('archive', 'Archive')])),
                ('failed', models.TextField()),
                ('evidence', models.JSONField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='PromotionDue',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('due_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'promotions due',
            },
        ),
        migrations.AddField(
            model_name='chunkaccess',
            name='confidence',
            field=models.DecimalField(db_default=Decimal('0.5'), decimal_places=4, max_digits=5),
        ),
        migrations.AddField(
            model_name='chunkaccess',
            name='failures',
            field=models.IntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name='chunkaccess',
            name='last_outcome_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='chunkaccess',
            name='successes',
            field=models.IntegerField(db_default=0),
        ),
        migrations.AlterField(
            model_name='chunkaccess',
            name='access_count',
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AlterField(
            model_name='chunkaccess',
            name='last_accessed',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddConstraint(
            model_name='chunkaccess',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__range', (0, 1))), name='chunk_access_confidence_in_range'),
        ),
        migrations.AddField(
            model_name='chunksession',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='confidencechange',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='outcome',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='promotion',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='promotioncheck',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='promotiondue',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddConstraint(
            model_name='chunksession',
            constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id', 'session_id'), name='chunk_session_once'),
        ),
        migrations.AddConstraint(
            model_name='confidencechange',
            constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id', 'number'), name='confidence_change_number'),
        ),
        migrations.AddConstraint(
            model_name='confidencechange',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['outcome', 'decay', 'consolidation', 'manual'])), name='confidence_change_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='confidencechange',
            constraint=models.CheckConstraint(condition=models.Q(('after__range', (0, 1)), ('before__range', (0, 1))), name='confidence_change_in_range'),
        ),
        migrations.AddConstraint(
            model_name='confidencechange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'outcome'), ('outcome_id__isnull', False)), models.Q(models.Q(('kind', 'outcome'), _negated=True), ('is_failure', False), ('outcome_id__isnull', True)), _connector='OR'), name='confidence_change_has_outcome'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='confidencechange',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='17cb0f9536bf89d9f94e69f3c68b280dc8204dbf', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_a3ae3', table='memory_confidencechange', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='confidencechange',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b94a619034386c082a52047c0ded5e9a135b7414', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_edcaf', table='memory_confidencechange', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='outcome',
            constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id', 'session_id', 'reported_by', 'outcome'), name='outcome_once'),
        ),
        migrations.AddConstraint(
            model_name='outcome',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['success', 'failure'])), name='outcome_known'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='outcome',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='60be27aa749335a25911b077e20f586405fd27ab', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_62848', table='memory_outcome', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='outcome',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='79d2df6ed44d15e5dc104bd8767172fb4d12529e', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_e50b2', table='memory_outcome', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id', 'number'), name='promotion_number'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['automatic', 'manual'])), name='promotion_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('from_tier__in', ['task', 'session', 'longterm', 'archive']), ('to_tier__in', ['task', 'session', 'longterm', 'archive']), models.Q(('from_tier', models.F('to_tier')), _negated=True)), name='promotion_moves'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='promotion',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b1ed7fa881977abbc9f0e3bdb34eef27598caeb0', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_4a933', table='memory_promotion', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='promotion',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='6933e9fdf7ed046fd6128925345a38923b30a005', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_e5ea9', table='memory_promotion', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='promotiondue',
            index=models.Index(fields=['tenant', 'due_at'], name='promotion_due_at'),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        RunSQLFile("memory", "0004_usage"),
    ]
