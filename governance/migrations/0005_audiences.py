import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


#: The context names the key that opened it, and the principal on whose behalf its agent asks. A reader is what a
#: statement may hear: labels, and the audiences by their numbers. An edit has an audience by its number; one that is not
#: recorded yet may have one without a number: then `usersets` are its, and its number is -1.
_UP = """
ALTER TYPE acting_context ADD ATTRIBUTE key_id uuid, ADD ATTRIBUTE on_behalf_of text;
CREATE TYPE reader AS (labels text[], hears_all boolean, audiences varbit);
ALTER TYPE applied_edit ADD ATTRIBUTE audience int[], ADD ATTRIBUTE usersets text[];
ALTER TYPE target_preview ADD ATTRIBUTE audience int[];
GRANT SELECT, INSERT ON governance_relationtuple, governance_relationrevocation, governance_impliedrelation,
    governance_audience, governance_audienceuserset TO suture_gate;
GRANT SELECT, INSERT, UPDATE, DELETE ON governance_audiencerule TO suture_gate;
GRANT DELETE ON governance_impliedrelation TO suture_gate;
GRANT SELECT ON governance_relationtuple, governance_relationrevocation, governance_impliedrelation, governance_audience,
    governance_audienceuserset, governance_audiencerule TO suture_app;
"""
_DOWN = """
DROP TYPE reader CASCADE;
ALTER TYPE target_preview DROP ATTRIBUTE audience;
ALTER TYPE applied_edit DROP ATTRIBUTE audience, DROP ATTRIBUTE usersets;
ALTER TYPE acting_context DROP ATTRIBUTE key_id, DROP ATTRIBUTE on_behalf_of;
"""


class Migration(migrations.Migration):
    """Relations of principals, audiences, and keys that speak for principals."""

    dependencies = [
        ('governance', '0004_erasures_by_value'),
    ]

    operations = [
        migrations.AddField(
            model_name='apikey',
            name='must_speak_for',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='apikey',
            name='speaks_for',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, db_default=[], default=list, size=None),
        ),
        migrations.AddConstraint(
            model_name='apikey',
            constraint=models.CheckConstraint(condition=models.Q(('must_speak_for', False), ('speaks_for__len__gt', 0), _connector='OR'), name='api_key_speaks_for_whom_it_must'),
        ),
        migrations.CreateModel(
            name='AudienceUserset',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('userset', models.TextField(db_collation='C')),
                ('number', models.IntegerField()),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ImpliedRelation',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('object_type', models.TextField(db_collation='C')),
                ('relation', models.TextField(db_collation='C')),
                ('implies', models.TextField(db_collation='C')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
        ),
        migrations.CreateModel(
            name='RelationTuple',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('principal', models.TextField(db_collation='C')),
                ('relation', models.TextField(db_collation='C')),
                ('object', models.TextField(db_collation='C')),
                ('valid_from', models.DateTimeField()),
                ('valid_until', models.DateTimeField(blank=True, null=True)),
                ('reason', models.TextField()),
                ('recorder_kind', models.TextField()),
                ('recorded_by', models.UUIDField()),
                ('recorder', models.TextField()),
                ('recorded_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'verbose_name': 'relation',
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='RelationRevocation',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('principal', models.TextField(db_collation='C')),
                ('reason', models.TextField()),
                ('recorder_kind', models.TextField()),
                ('recorded_by', models.UUIDField()),
                ('recorder', models.TextField()),
                ('recorded_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('tuple', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.relationtuple')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Audience',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('number', models.IntegerField()),
                ('usersets', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(db_collation='C'), size=None)),
                ('digest', models.BinaryField(max_length=32)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'digest'), name='audience_once'), models.UniqueConstraint(fields=('tenant', 'number'), name='audience_number'), models.CheckConstraint(condition=models.Q(('usersets__len__gt', 0)), name='audience_of_usersets')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='audience',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='ac4f8b76e3dfee0bee936baae0363af9652ede91', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b916b', table='governance_audience', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='audience',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='870715736b03f5ac804970f8fc5709a4f2855756', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_e6b69', table='governance_audience', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='audienceuserset',
            constraint=models.UniqueConstraint(fields=('tenant', 'userset', 'number'), name='audience_userset_once'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='audienceuserset',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='8f74258e9c942c0661ba239c482ffed492ea0734', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_ad429', table='governance_audienceuserset', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='audienceuserset',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='d1f31eae41ad071cc0534492b8d2b8d97503a60a', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_3df0d', table='governance_audienceuserset', when='BEFORE')),
        ),
        migrations.AddConstraint(
            model_name='impliedrelation',
            constraint=models.UniqueConstraint(fields=('tenant', 'object_type', 'relation', 'implies'), name='implied_relation_once'),
        ),
        migrations.AddConstraint(
            model_name='impliedrelation',
            constraint=models.CheckConstraint(condition=models.Q(('relation', models.F('implies')), _negated=True), name='implied_relation_of_another'),
        ),
        migrations.AddIndex(
            model_name='relationtuple',
            index=models.Index(fields=['tenant', 'principal', 'recorded_at', 'id'], name='relation_of_principal'),
        ),
        migrations.AddIndex(
            model_name='relationtuple',
            index=models.Index(fields=['tenant', 'object', 'relation', 'id'], name='relation_to_object'),
        ),
        migrations.AddIndex(
            model_name='relationtuple',
            index=models.Index(fields=['tenant', '-recorded_at', '-id'], name='relation_newest'),
        ),
        migrations.AddConstraint(
            model_name='relationtuple',
            constraint=models.CheckConstraint(condition=models.Q(('valid_until__isnull', True), ('valid_until__gt', models.F('valid_from')), _connector='OR'), name='relation_ends_after'),
        ),
        migrations.AddConstraint(
            model_name='relationtuple',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='relation_has_reason'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationtuple',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='fc83f80f1d17e8c66975ec401ca4db6b9eaf5768', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_89a2b', table='governance_relationtuple', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationtuple',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='5c9ebca988b3e2da45263ec35d39f95194afd4b9', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_79206', table='governance_relationtuple', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationtuple',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='79ed5b61dbe1df5e26035cec605a48ff04506ed9', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_c4c62', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_relationtuple', when='AFTER')),
        ),
        migrations.AddIndex(
            model_name='relationrevocation',
            index=models.Index(fields=['tenant', 'principal', 'tuple'], name='revocation_of_principal'),
        ),
        migrations.AddConstraint(
            model_name='relationrevocation',
            constraint=models.UniqueConstraint(fields=('tenant', 'tuple'), name='relation_revoked_once'),
        ),
        migrations.AddConstraint(
            model_name='relationrevocation',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='revocation_has_reason'),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationrevocation',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='8ce5bbaa1407668482fd1b5da29a54b3766f15bd', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_c06c9', table='governance_relationrevocation', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationrevocation',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b27c7871abc2c265b6aa5fbbb8d1d2a1a42b653c', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_ca3bb', table='governance_relationrevocation', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='relationrevocation',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='54543f941efd9d2c88c3707fd5dd47110af82e2a', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_f7069', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_relationrevocation', when='AFTER')),
        ),
        migrations.CreateModel(
            name='AudienceRule',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('subject_type', models.TextField(blank=True, db_collation='C')),
                ('tag', models.TextField(blank=True, db_collation='C')),
                ('kind', models.TextField(blank=True, db_collation='C')),
                ('usersets', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(db_collation='C'), size=None)),
                ('reason', models.TextField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='audience',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='b84155ca95eda6e684eeac5e5728f03dbae17533', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_823b8', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_audience', when='AFTER')),
        ),
        migrations.AddField(
            model_name='audiencerule',
            name='tenant',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant'),
        ),
        migrations.AddConstraint(
            model_name='audiencerule',
            constraint=models.UniqueConstraint(fields=('tenant', 'subject_type', 'tag', 'kind'), name='audience_rule_once'),
        ),
        migrations.AddConstraint(
            model_name='audiencerule',
            constraint=models.CheckConstraint(condition=models.Q(('usersets__len__gt', 0)), name='audience_rule_of_usersets'),
        ),
        migrations.AddField(
            model_name='edit',
            name='audience',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), null=True, size=None),
        ),
        migrations.AlterField(
            model_name='edit',
            name='op',
            field=models.TextField(choices=[('retract', 'Retract'), ('amend', 'Amend'), ('quarantine', 'Quarantine'), ('attenuate', 'Attenuate'), ('block', 'Block'), ('audience', 'Audience'), ('revert', 'Revert')]),
        ),
        migrations.RemoveConstraint(model_name='edit', name='edit_op_known'),
        migrations.RemoveConstraint(model_name='edit', name='edit_patch_fits_op'),
        migrations.AddConstraint(
            model_name='edit',
            constraint=models.CheckConstraint(condition=models.Q(('op__in', ['retract', 'amend', 'quarantine', 'attenuate', 'block', 'audience', 'revert'])), name='edit_op_known'),
        ),
        migrations.AddConstraint(
            model_name='edit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('op', 'amend'), models.Q(('content_id__isnull', False), ('importance__isnull', False), _connector='OR')), models.Q(('op', 'attenuate'), models.Q(('importance__isnull', False), ('importance_delta__isnull', False), _connector='XOR'), ('content_id__isnull', True)), models.Q(('channel__isnull', False), ('content_id__isnull', True), ('importance__isnull', True), ('op', 'block')), models.Q(('audience__isnull', False), ('content_id__isnull', True), ('importance__isnull', True), ('op', 'audience')), models.Q(('content_id__isnull', True), ('importance__isnull', True), ('op', 'revert'), ('reverts__isnull', False)), models.Q(('content_id__isnull', True), ('importance__isnull', True), ('op__in', ['retract', 'quarantine'])), _connector='OR'), name='edit_patch_fits_op'),
        ),
        migrations.AddConstraint(
            model_name='edit',
            constraint=models.CheckConstraint(condition=models.Q(('audience__isnull', True), ('op', 'audience'), _connector='OR'), name='edit_audience_of_its_op'),
        ),
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
        migrations.RunSQL(_UP, _DOWN),
    ]
