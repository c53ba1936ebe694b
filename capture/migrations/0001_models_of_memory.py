import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    # The tables were made by memory's 0001, under the names that they keep.

    initial = True

    dependencies = [
        ('memory', '0003_captures_of_their_own_app'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
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
                        'db_table': 'memory_captureremoval',
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
                        'db_table': 'memory_fileplacement',
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
                        'db_table': 'memory_fileversion',
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
                        'db_table': 'memory_capture',
                        'abstract': False,
                        'indexes': [models.Index(fields=['tenant', 'session_id', '-id'], name='capture_session'), models.Index(fields=['tenant', 'source', '-id'], name='capture_source'), models.Index(condition=models.Q(('response_id__isnull', False)), fields=['tenant', 'response_id'], name='capture_response'), models.Index(condition=models.Q(('source', 'MDFileChunk')), fields=['tenant', 'file_path', '-id'], name='capture_file')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('hook_type__isnull', False), ('response_type__isnull', True), ('source', 'HookDescription')), models.Q(('response_id__isnull', False), ('response_type__isnull', False), ('source', 'ClaudeResponse')), models.Q(('file_path__isnull', False), ('response_type__isnull', True), ('source', 'MDFileChunk')), _connector='OR'), name='capture_source_known'), models.CheckConstraint(condition=models.Q(('hook_type__isnull', True), models.Q(('hook_type__in', ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SubagentStop', 'SessionEnd']), ('source', 'HookDescription')), _connector='OR'), name='capture_hook_type_known'), models.CheckConstraint(condition=models.Q(('response_type__isnull', True), models.Q(('response_type__in', ['stop', 'subagent_stop', 'session_end']), ('source', 'ClaudeResponse')), _connector='OR'), name='capture_response_type_known'), models.CheckConstraint(condition=models.Q(('word_offset__gte', 0)), name='capture_word_offset_positive')],
                    },
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='capture',
                    trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='2bcc07a8d16d8dd78fb4595c1dffe17341ccf845', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_aee52', table='memory_capture', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='capture',
                    trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b1d422b5489a041c657c921484d6859d49764649', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_3d2e1', table='memory_capture', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='capture',
                    trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='085cbe22fbca6719e82c882bab912f7657dd4fc5', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_3990b', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_capture', when='AFTER')),
                ),
                migrations.AddConstraint(
                    model_name='captureremoval',
                    constraint=models.UniqueConstraint(fields=('tenant', 'chunk_id'), name='capture_removed_once'),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='captureremoval',
                    trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='987db1481cbbc57b8d832483053b36eff99ee49d', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_e5600', table='memory_captureremoval', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='captureremoval',
                    trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='6f2610d09f29fe206bcbc07d0426945138cc3d70', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_548e4', table='memory_captureremoval', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='captureremoval',
                    trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='662537488b3504d2685e72526406ca52504c131f', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_f3a73', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_captureremoval', when='AFTER')),
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
                    trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='dbe30b44a06540938a742c40088da4e455e15804', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_c4707', table='memory_fileplacement', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='fileplacement',
                    trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='804eaf088b0ca19be8ae3680198f0d97292e2cfe', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_50d28', table='memory_fileplacement', when='BEFORE')),
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
                    trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='87054c258b0f45701f7e8a6066fb16c901e44c56', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_7447c', table='memory_fileversion', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='fileversion',
                    trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='61814ef5508d449ef58560df3d2ee3295dc564ac', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_b6805', table='memory_fileversion', when='BEFORE')),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name='fileversion',
                    trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='5b90fda9cc45423b8b2eb49bc4b1feaa94bfd0ab', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_3d77e', referencing='REFERENCING NEW TABLE AS recorded ', table='memory_fileversion', when='AFTER')),
                ),
            ]
        ),
    ]
