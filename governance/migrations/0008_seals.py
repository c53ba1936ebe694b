"""Seals: Merkle trees over recorded rows, the access log, and what is left of erased content."""

import django.db.models.deletion
import django.utils.timezone
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0007_signed_entries'),
    ]

    operations = [
        migrations.CreateModel(
            name='ErasedContent',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('sha256', models.BinaryField(max_length=32)),
                ('erasure_id', models.UUIDField()),
                ('erased_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'verbose_name': 'erased content',
                'verbose_name_plural': 'erased contents',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Leaf',
            fields=[
                ('position', models.BigIntegerField(primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('row_id', models.UUIDField()),
                ('hash', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'verbose_name_plural': 'leaves',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='MerkleTree',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('size', models.BigIntegerField(default=0)),
                ('root', models.BinaryField(max_length=32, null=True)),
                ('sealed_at', models.DateTimeField(null=True)),
                ('caught_up_at', models.DateTimeField(null=True)),
                ('swept_at', models.DateTimeField(null=True)),
                ('verified_at', models.DateTimeField(null=True)),
                ('findings', models.BigIntegerField(null=True)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='TreeNode',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('level', models.SmallIntegerField()),
                ('index', models.BigIntegerField()),
                ('hash', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='AccessRecord',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor_kind', models.TextField()),
                ('actor_id', models.UUIDField()),
                ('actor', models.TextField()),
                ('action', models.TextField()),
                ('target_type', models.TextField()),
                ('target_id', models.UUIDField(null=True)),
                ('outcome', models.TextField(choices=[('allowed', 'Allowed'), ('refused', 'Refused')], default='allowed')),
                ('details', models.JSONField(default=dict)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', '-at', '-id'], name='access_newest'), models.Index(fields=['tenant', 'target_id', '-at'], name='access_target'), models.Index(fields=['tenant', 'actor_id', '-at'], name='access_actor')],
                'constraints': [models.CheckConstraint(condition=models.Q(('outcome__in', ['allowed', 'refused'])), name='access_outcome_known')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='562a171f65573b4f397353dd9d8db193274b0f66', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_111e3', table='governance_accessrecord', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c8d2e251023b319c65559b3e04cbc2d14e7651bb', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_36068', table='governance_accessrecord', when='BEFORE')),
        ),
        migrations.AddIndex(
            model_name='erasedcontent',
            index=models.Index(fields=['tenant', 'erasure_id'], name='erased_content_erasure'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasedcontent',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='5a503cea2d4d5c693f381f36bee0d625cd5016c7', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_874c5', table='governance_erasedcontent', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasedcontent',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c6347f32234432cae236b086a3084079a0bb0e6e', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_f3d69', table='governance_erasedcontent', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='leaf',
            constraint=models.UniqueConstraint(fields=('tenant', 'row_id', 'kind'), name='leaf_of_row'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='leaf',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='dc4c02dc212f5ae4d7e7e4ee8db83d0e9df62d96', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_c84e8', table='governance_leaf', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='leaf',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='13f58b3785c70422549f96d776c195d0438c2af0', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_3ad62', table='governance_leaf', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='merkletree',
            constraint=models.UniqueConstraint(fields=('tenant',), name='merkle_tree_once'),
        ),
        migrations.AddConstraint(
            model_name='treenode',
            constraint=models.UniqueConstraint(fields=('tenant', 'level', 'index'), name='tree_node_once'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='treenode',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='970dad5ecf4530b45ea6e78941fb322931199a4e', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_d689f', table='governance_treenode', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='treenode',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='5315a24c956b2a3816793ae17495e762667b9a7f', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_67633', table='governance_treenode', when='BEFORE')),
        ),
        RunSQLFile("governance", "0008_seals"),
    ]
