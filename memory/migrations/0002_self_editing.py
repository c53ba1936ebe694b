"""What an agent keeps of its own accord: its memories, what they supersede, and who received what."""

import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_self_editing'),
        ('memory', '0001_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='AgentMemory',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('agent_id', models.UUIDField()),
                ('seq', models.BigIntegerField()),
                ('type', models.TextField(choices=[('memory', 'Memory'), ('consolidation', 'Consolidation'), ('block', 'Block')])),
                ('reason', models.TextField(blank=True, default='')),
                ('block_label', models.TextField(choices=[('persona', 'Persona'), ('user_profile', 'User Profile'), ('goals', 'Goals'), ('knowledge', 'Knowledge')], null=True)),
                ('version', models.IntegerField(null=True)),
                ('previous_block_seq', models.BigIntegerField(null=True)),
                ('is_core', models.BooleanField(default=False)),
                ('expires_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'agent memories',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ChunkAccess',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('access_count', models.BigIntegerField()),
                ('last_accessed', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'chunk accesses',
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
                ('version', models.IntegerField()),
                ('receiver_kind', models.TextField()),
                ('receiver_id', models.UUIDField()),
                ('receiver', models.TextField()),
                ('means', models.TextField()),
                ('session_id', models.TextField(null=True)),
                ('at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Supersession',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.TextField(choices=[('consolidation', 'Consolidation'), ('block', 'Block')])),
                ('agent_id', models.UUIDField()),
                ('successor_id', models.UUIDField()),
                ('successor_seq', models.BigIntegerField()),
                ('superseded_id', models.UUIDField()),
                ('superseded_seq', models.BigIntegerField()),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='block_label',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='expires_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='is_core',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='is_expired',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='is_superseded',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='effectivechunk',
            name='seq',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='chunk',
            name='source',
            field=models.TextField(choices=[('event', 'Event'), ('summary', 'Summary'), ('commit', 'Commit'), ('consolidation', 'Consolidation'), ('block', 'Block')]),
        ),
        migrations.AddIndex(
            model_name='effectivechunk',
            index=models.Index(condition=models.Q(('is_retracted', False), ('is_superseded', False), ('seq__isnull', False)), fields=['tenant', 'recorded_by', '-seq'], name='effective_chunk_active'),
        ),
        migrations.AddIndex(
            model_name='effectivechunk',
            index=models.Index(condition=models.Q(('is_core', True), ('is_superseded', False)), fields=['tenant', 'recorded_by', 'block_label', '-seq'], name='effective_chunk_core'),
        ),
        migrations.AddIndex(
            model_name='effectivechunk',
            index=models.Index(condition=models.Q(('block_label__isnull', False)), fields=['tenant', 'recorded_by', 'block_label', '-seq'], name='effective_chunk_block'),
        ),
        migrations.AddIndex(
            model_name='effectivechunk',
            index=models.Index(condition=models.Q(('expires_at__isnull', False), ('is_expired', False)), fields=['tenant', 'expires_at'], name='effective_chunk_expiring'),
        ),
        migrations.AddField(
            model_name='agentmemory',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='chunkaccess',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddField(
            model_name='supersession',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddConstraint(
            model_name='agentmemory',
            constraint=models.UniqueConstraint(fields=('tenant', 'agent_id', 'seq'), name='agent_memory_seq'),
        ),
        migrations.AddConstraint(
            model_name='agentmemory',
            constraint=models.UniqueConstraint(fields=('tenant', 'agent_id', 'block_label', 'version'), name='agent_memory_block_version'),
        ),
        migrations.AddConstraint(
            model_name='agentmemory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('block_label__isnull', True), ('type__in', ['memory', 'consolidation']), ('version__isnull', True)), models.Q(('block_label__isnull', False), ('type', 'block'), ('version__isnull', False)), _connector='OR'), name='agent_memory_type_known'),
        ),
        migrations.AddConstraint(
            model_name='agentmemory',
            constraint=models.CheckConstraint(condition=models.Q(('block_label__isnull', True), models.Q(('block_label__in', ['persona', 'user_profile', 'goals', 'knowledge']), ('block_label__isnull', False)), _connector='OR'), name='agent_memory_label_known'),
        ),
        migrations.AddConstraint(
            model_name='agentmemory',
            constraint=models.CheckConstraint(condition=models.Q(('version__isnull', True), ('version__gte', 1), _connector='OR'), name='agent_memory_version_positive'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='agentmemory',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c0ab724bdff53a0449b95bbd45b36a76c784f9bb', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_f4423', table='memory_agentmemory', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='agentmemory',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='668536fdd1c9fc042612f5fc8b8243f89ecd65f5', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_28765', table='memory_agentmemory', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['tenant', 'chunk_id', '-at'], name='delivery_of_chunk'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='delivery',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='dd46628a3ced6c6431fb8efe0d53159108d9d15c', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_6e0bf', table='memory_delivery', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='delivery',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='6f5442298d6cf9e03b0dfd0e5391f370b9dcdd91', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_1b690', table='memory_delivery', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='supersession',
            index=models.Index(fields=['tenant', 'superseded_id'], name='supersession_superseded'),
        ),
        migrations.AddIndex(
            model_name='supersession',
            index=models.Index(fields=['tenant', 'successor_id'], name='supersession_successor'),
        ),
        migrations.AddConstraint(
            model_name='supersession',
            constraint=models.UniqueConstraint(fields=('tenant', 'agent_id', 'successor_seq', 'superseded_seq'), name='supersession_once'),
        ),
        migrations.AddConstraint(
            model_name='supersession',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['consolidation', 'block'])), name='supersession_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='supersession',
            constraint=models.CheckConstraint(condition=models.Q(('successor_seq__gt', models.F('superseded_seq'))), name='supersession_is_later'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='supersession',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='61d011d66a227b7b10a7237f6a128522532312a9', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_4a8e2', table='memory_supersession', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='supersession',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='7e40b1dd7814b69f672e8d965dea4c352b663ec9', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_e4a9f', table='memory_supersession', when='BEFORE')),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        RunSQLFile("memory", "0002_self_editing"),
    ]
