"""The running sessions of agents, and where their saved states are."""

import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_self_editing'),
        ('memory', '0004_usage'),
    ]

    operations = [
        migrations.CreateModel(
            name='CheckpointMemory',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('checkpoint_id', models.UUIDField()),
                ('memory_id', models.UUIDField()),
                ('version', models.IntegerField(null=True)),
                ('standing', models.TextField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='CheckpointRemoval',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('checkpoint_id', models.UUIDField()),
                ('reason', models.TextField(choices=[('pruned', 'Pruned'), ('deleted', 'Deleted'), ('erased', 'Erased')])),
                ('erasure_id', models.UUIDField(null=True)),
                ('remover_kind', models.TextField()),
                ('removed_by', models.UUIDField()),
                ('remover', models.TextField()),
                ('removed_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='CheckpointState',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('running_id', models.UUIDField()),
                ('depth', models.SmallIntegerField()),
                ('label', models.TextField(null=True)),
                ('is_pinned', models.BooleanField()),
                ('is_removed', models.BooleanField(default=False)),
                ('is_file_deleted', models.BooleanField(default=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='CheckpointUsage',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('stored_bytes', models.BigIntegerField(default=0)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='OperationDone',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('checkpoint_id', models.UUIDField()),
                ('operation_id', models.TextField()),
                ('note', models.TextField(blank=True, default='')),
                ('agent_id', models.UUIDField()),
                ('agent', models.TextField()),
                ('done_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'verbose_name_plural': 'operations done',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='RunningSession',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('session_id', models.TextField()),
                ('owner_id', models.UUIDField()),
                ('owner', models.TextField()),
                ('status', models.TextField(choices=[('running', 'Running'), ('resumed', 'Resumed')], default='running')),
                ('resumed_from', models.UUIDField(null=True)),
                ('resumed_at', models.DateTimeField(null=True)),
                ('keep', models.IntegerField(null=True)),
                ('checkpoint_every', models.IntegerField(null=True)),
                ('created_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='SessionShare',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('running_id', models.UUIDField()),
                ('agent_id', models.UUIDField()),
                ('agent', models.TextField()),
                ('may_continue', models.BooleanField()),
                ('shared_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='SessionTurn',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('running_id', models.UUIDField()),
                ('depth', models.SmallIntegerField()),
                ('turn', models.BigIntegerField()),
                ('is_reported', models.BooleanField()),
                ('state_sha256', models.BinaryField(max_length=32, null=True)),
                ('checkpoint_id', models.UUIDField(null=True)),
                ('checkpointed_turn', models.BigIntegerField(default=0)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='Checkpoint',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('running_id', models.UUIDField()),
                ('session_id', models.TextField()),
                ('turn', models.BigIntegerField()),
                ('depth', models.SmallIntegerField()),
                ('format_version', models.TextField()),
                ('kind', models.TextField(choices=[('automatic', 'Automatic'), ('manual', 'Manual'), ('exception', 'Exception')])),
                ('size', models.BigIntegerField()),
                ('stored_size', models.BigIntegerField()),
                ('sha256', models.BinaryField(max_length=32)),
                ('state_sha256', models.BinaryField(max_length=32)),
                ('path', models.TextField()),
                ('agent_id', models.UUIDField()),
                ('agent', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'path'), name='checkpoint_path_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['automatic', 'manual', 'exception'])), name='checkpoint_kind_known'), models.CheckConstraint(condition=models.Q(('depth__range', (0, 64)), ('size__gt', 0), ('stored_size__gt', 0), ('turn__gte', 0)), name='checkpoint_numbers_in_range')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpoint',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='f1505aea859e0c51e35aee8fb8366b06b0a58960', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_584cf', table='memory_checkpoint', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpoint',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='9101d88980445eba03f1fd75fe09408fd307f527', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_cb0a2', table='memory_checkpoint', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='checkpointmemory',
            index=models.Index(fields=['tenant', 'checkpoint_id'], name='checkpoint_memory_checkpoint'),
        ),
        migrations.AddConstraint(
            model_name='checkpointmemory',
            constraint=models.UniqueConstraint(fields=('tenant', 'memory_id', 'checkpoint_id'), name='checkpoint_memory_once'),
        ),
        migrations.AddIndex(
            model_name='checkpointremoval',
            index=models.Index(condition=models.Q(('erasure_id__isnull', False)), fields=['tenant', 'erasure_id'], name='checkpoint_removal_erasure'),
        ),
        migrations.AddConstraint(
            model_name='checkpointremoval',
            constraint=models.UniqueConstraint(fields=('tenant', 'checkpoint_id'), name='checkpoint_removed_once'),
        ),
        migrations.AddConstraint(
            model_name='checkpointremoval',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('erasure_id__isnull', True), ('reason__in', ['pruned', 'deleted'])), models.Q(('erasure_id__isnull', False), ('reason', 'erased')), _connector='OR'), name='checkpoint_removal_reason_known'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpointremoval',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='8582052989f49cdf405e5f4dc7562ac3823c77c3', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_2d4a8', table='memory_checkpointremoval', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='checkpointremoval',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='24096b68a2082de2da164415f63527a9f4905e43', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_5dfd1', table='memory_checkpointremoval', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='checkpointstate',
            index=models.Index(condition=models.Q(('is_removed', False)), fields=['tenant', 'running_id', '-id'], name='checkpoint_state_live'),
        ),
        migrations.AddIndex(
            model_name='checkpointstate',
            index=models.Index(condition=models.Q(('is_file_deleted', False), ('is_removed', True)), fields=['tenant'], name='checkpoint_state_undeleted'),
        ),
        migrations.AddConstraint(
            model_name='checkpointstate',
            constraint=models.CheckConstraint(condition=models.Q(('is_removed', True), ('is_file_deleted', False), _connector='OR'), name='checkpoint_state_file_deleted_last'),
        ),
        migrations.AddConstraint(
            model_name='checkpointstate',
            constraint=models.CheckConstraint(condition=models.Q(('is_removed', False), ('label__isnull', True), _connector='OR'), name='checkpoint_state_removed_wordless'),
        ),
        migrations.AddConstraint(
            model_name='checkpointusage',
            constraint=models.CheckConstraint(condition=models.Q(('stored_bytes__gte', 0)), name='checkpoint_usage_positive'),
        ),
        migrations.AddConstraint(
            model_name='operationdone',
            constraint=models.UniqueConstraint(fields=('tenant', 'checkpoint_id', 'operation_id'), name='operation_done_once'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='operationdone',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='04ce4982371f69630bc903601c4863b6d6a9d7b2', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_2c759', table='memory_operationdone', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='operationdone',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='797200bd08284fa7177ea66dfe3a8f3c08219354', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_5fecd', table='memory_operationdone', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.UniqueConstraint(fields=('tenant', 'session_id'), name='running_session_named_once'),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['running', 'resumed'])), name='running_session_status_known'),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.CheckConstraint(condition=models.Q(('keep__isnull', True), ('keep__range', (1, 10000)), _connector='OR'), name='running_session_keep_in_range'),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.CheckConstraint(condition=models.Q(('checkpoint_every__isnull', True), ('checkpoint_every__range', (1, 1000)), _connector='OR'), name='running_session_interval_in_range'),
        ),
        migrations.AddConstraint(
            model_name='sessionshare',
            constraint=models.UniqueConstraint(fields=('tenant', 'running_id', 'agent_id'), name='session_shared_once'),
        ),
        migrations.AddConstraint(
            model_name='sessionturn',
            constraint=models.UniqueConstraint(fields=('tenant', 'running_id', 'depth'), name='session_turn_of_depth'),
        ),
        migrations.AddConstraint(
            model_name='sessionturn',
            constraint=models.CheckConstraint(condition=models.Q(('depth__range', (0, 64)), ('turn__gte', 0)), name='session_turn_in_range'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('session_id__isnull', False)), fields=['tenant', 'session_id', 'receiver_id', 'at'], name='delivery_of_session'),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        RunSQLFile("memory", "0005_checkpoints"),
    ]
