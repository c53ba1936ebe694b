"""Where captured memory came from, the versions of files, and what was deleted."""

import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_self_editing'),
        ('memory', '0002_self_editing'),
    ]

    operations = [
        migrations.AlterField(
            model_name='chunk',
            name='source',
            field=models.TextField(choices=[('event', 'Event'), ('summary', 'Summary'), ('commit', 'Commit'), ('consolidation', 'Consolidation'), ('block', 'Block'), ('hook', 'Hook'), ('response', 'Response'), ('file', 'File')]),
        ),
        migrations.CreateModel(
            name='CaptureRemoval',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('chunk_id', models.UUIDField()),
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
            name='FilePlacement',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('version_id', models.UUIDField()),
                ('chunk_id', models.UUIDField()),
                ('chunk_index', models.IntegerField()),
                ('word_offset', models.IntegerField()),
                ('text_start', models.IntegerField()),
                ('text_end', models.IntegerField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='FileVersion',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('session_id', models.TextField()),
                ('file_path', models.TextField()),
                ('number', models.IntegerField()),
                ('change', models.TextField(choices=[('content', 'Content'), ('renamed', 'Renamed'), ('moved', 'Moved'), ('deleted', 'Deleted'), ('removed', 'Removed')])),
                ('file_hash', models.TextField(null=True)),
                ('total_chunks', models.IntegerField()),
                ('placed_by', models.UUIDField(null=True)),
                ('recorder_kind', models.TextField()),
                ('recorded_by', models.UUIDField()),
                ('recorder', models.TextField()),
                ('ts', models.DateTimeField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Capture',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('session_id', models.TextField()),
                ('source', models.TextField(choices=[('HookDescription', 'Hook'), ('ClaudeResponse', 'Response'), ('MDFileChunk', 'File')])),
                ('hook_type', models.TextField(choices=[('SessionStart', 'Session Start'), ('UserPromptSubmit', 'User Prompt Submit'), ('PreToolUse', 'Pre Tool Use'), ('PostToolUse', 'Post Tool Use'), ('Stop', 'Stop'), ('SubagentStop', 'Subagent Stop'), ('SessionEnd', 'Session End')], null=True)),
                ('tool_name', models.TextField(null=True)),
                ('response_type', models.TextField(choices=[('stop', 'Stop'), ('subagent_stop', 'Subagent Stop'), ('session_end', 'Session End')], null=True)),
                ('response_id', models.UUIDField(null=True)),
                ('file_path', models.TextField(null=True)),
                ('word_offset', models.IntegerField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'session_id', '-id'], name='capture_session'), models.Index(fields=['tenant', 'source', '-id'], name='capture_source'), models.Index(condition=models.Q(('response_id__isnull', False)), fields=['tenant', 'response_id'], name='capture_response'), models.Index(condition=models.Q(('source', 'MDFileChunk')), fields=['tenant', 'file_path', '-id'], name='capture_file')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('hook_type__isnull', False), ('response_type__isnull', True), ('source', 'HookDescription')), models.Q(('response_id__isnull', False), ('response_type__isnull', False), ('source', 'ClaudeResponse')), models.Q(('file_path__isnull', False), ('response_type__isnull', True), ('source', 'MDFileChunk')), _connector='OR'), name='capture_source_known'), models.CheckConstraint(condition=models.Q(('hook_type__isnull', True), models.Q(('hook_type__in', ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop', 'SessionEnd']), ('source', 'HookDescription')), _connector='OR'), name='capture_hook_type_known'), models.CheckConstraint(condition=models.Q(('response_type__isnull', True), models.Q(('response_type__in', ['stop', 'subagent_stop', 'session_end']), ('source', 'ClaudeResponse')), _connector='OR'), name='capture_response_type_known'), models.CheckConstraint(condition=models.Q(('word_offset__gte', 0)), name='capture_word_offset_positive')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capture',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='7dc3521785edab6ada9d24b388c8a54073a2f550', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_f3894', table='memory_capture', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='capture',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='0a6f42de6dc07d864cea220146b3bf4a0cfcd518', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_d4fc0', table='memory_capture', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='captureremoval',
            constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id'), name='capture_removed_once'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='captureremoval',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='e200da290d0ad88159ad89e28a343bca1c12c554', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_48d7a', table='memory_captureremoval', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='captureremoval',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='725cc753022469f64069071f44765dccf187cc4c', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_8f7ec', table='memory_captureremoval', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='fileplacement',
            index=models.Index(fields=['tenant', 'chunk_id'], name='file_placement_chunk'),
        ),
        migrations.AddConstraint(
            model_name='fileplacement',
            constraint=models.UniqueConstraint(fields=('tenant', 'version_id', 'chunk_index'), name='file_placement_index'),
        ),
        migrations.AddConstraint(
            model_name='fileplacement',
            constraint=models.CheckConstraint(condition=models.Q(('chunk_index__gte', 0), ('text_end__gt', models.F('text_start')), ('text_start__gte', 0), ('word_offset__gte', 0)), name='file_placement_span_whole'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileplacement',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='fb44a7b96956ad74217c72e9ef9cde0014c0b698', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_bbb4d', table='memory_fileplacement', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileplacement',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c3b3c46fe42c6d14926bf4233392880c335cf965', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_0e678', table='memory_fileplacement', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='fileversion',
            index=models.Index(fields=['tenant', 'placed_by'], name='file_version_placed_by'),
        ),
        migrations.AddIndex(
            model_name='fileversion',
            index=models.Index(fields=['tenant', 'file_path'], name='file_version_path'),
        ),
        migrations.AddConstraint(
            model_name='fileversion',
            constraint=models.UniqueConstraint(fields=('tenant', 'recorded_by', 'session_id', 'file_path', 'number'), name='file_version_number'),
        ),
        migrations.AddConstraint(
            model_name='fileversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('change__in', ['content', 'renamed', 'deleted']), ('placed_by__isnull', False)), models.Q(('change__in', ['moved', 'removed']), ('placed_by__isnull', True), ('total_chunks', 0)), _connector='OR'), name='file_version_change_known'),
        ),
        migrations.AddConstraint(
            model_name='fileversion',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1), ('total_chunks__gte', 0)), name='file_version_counts'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileversion',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='4b9efc4cd7ada06a3502be389d444a885ac3fd06', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b1d5a', table='memory_fileversion', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='fileversion',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='71fd1ac7468d96a9d5ced9f89c54bfd967abb1bd', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_0621b', table='memory_fileversion', when='BEFORE')),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        RunSQLFile("memory", "0003_captures"),
    ]
