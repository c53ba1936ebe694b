"""The tables of governance, with what models cannot say in SQL files."""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import governance.models.ledger
import governance.models.people
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        RunSQLFile("governance", "0001_guards"),
        migrations.CreateModel(
            name='Tenant',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('slug', models.SlugField(unique=True)),
                ('policy', models.TextField(default='standard')),
                ('pending_edit_days', models.PositiveSmallIntegerField(default=30)),
                ('default_sensitivities', models.JSONField(default=dict)),
                ('search_language', models.TextField(default='english')),
                ('hybrid_alpha', models.FloatField(default=0.5)),
                ('ephemeral_hours', models.PositiveIntegerField(db_default=24)),
                ('promotion_rules', models.JSONField(db_default={})),
                ('promotion_cursor', models.UUIDField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('policy__in', ['standard', 'strict', 'open'])), name='tenant_policy_known'), models.CheckConstraint(condition=models.Q(('hybrid_alpha__range', (0, 1))), name='tenant_alpha_in_range')],
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('one_time_password_until', models.DateTimeField(blank=True, null=True)),
                ('sessions_ended', models.PositiveIntegerField(db_default=0, default=0)),
                ('made_in', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('made_by', models.UUIDField(blank=True, null=True)),
                ('reset_at', models.DateTimeField(blank=True, null=True)),
                ('reset_by', models.UUIDField(blank=True, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='AccessRecord',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor_kind', models.TextField()),
                ('actor_id', models.UUIDField()),
                ('actor', models.TextField()),
                ('action', models.TextField()),
                ('target_type', models.TextField()),
                ('target_id', models.UUIDField(null=True)),
                ('outcome', models.TextField(choices=[('allowed', 'Allowed'), ('refused', 'Refused')], default='allowed')),
                ('details', models.JSONField(default=dict)),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', '-at', '-id'], name='access_newest'), models.Index(fields=['tenant', 'target_id', '-at'], name='access_target'), models.Index(fields=['tenant', 'actor_id', '-at'], name='access_actor')],
                'constraints': [models.CheckConstraint(condition=models.Q(('outcome__in', ['allowed', 'refused'])), name='access_outcome_known')],
            },
        ),
        migrations.CreateModel(
            name='Agent',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('slug', models.SlugField(db_index=False, max_length=100)),
                ('channels', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(choices=[('private', 'Private'), ('public', 'Public'), ('team', 'Team'), ('agent', 'Agent')]), default=governance.models.people.all_channels, size=None)),
                ('is_active', models.BooleanField(default=True)),
                ('reads_quarantined', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'slug'), name='agent_slug'), models.CheckConstraint(condition=models.Q(('channels__contained_by', ['private', 'public', 'team', 'agent']), ('channels__len__gt', 0)), name='agent_channels_known')],
            },
        ),
        migrations.CreateModel(
            name='ApiKey',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('agent', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.agent')),
                ('user', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('issued_by', models.UUIDField(blank=True, null=True)),
                ('prefix', models.CharField(max_length=12)),
                ('digest', models.BinaryField(max_length=32)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'API key',
                'indexes': [models.Index(fields=['digest'], name='api_key_digest')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'prefix'), name='api_key_prefix'), models.CheckConstraint(condition=models.Q(models.Q(('agent__isnull', False), ('user__isnull', True)), models.Q(('agent__isnull', True), ('user__isnull', False)), _connector='OR'), name='api_key_of_one_owner')],
            },
        ),
        migrations.CreateModel(
            name='Chain',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('name', models.TextField()),
                ('seq', models.BigIntegerField(default=-1)),
                ('head', models.BinaryField(default=governance.models.ledger.genesis, max_length=32)),
                ('ts', models.DateTimeField(default=django.utils.timezone.now)),
                ('public_key', models.BinaryField(max_length=32, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['public_key'], name='chain_public_key')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='chain_name')],
            },
        ),
        migrations.CreateModel(
            name='Content',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('salt', models.BinaryField(max_length=16)),
                ('body', models.TextField()),
                ('sha256', models.BinaryField(max_length=32)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='DayFigure',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('day', models.DateField()),
                ('name', models.TextField()),
                ('value', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'day', 'name'), name='day_figure_once')],
            },
        ),
        migrations.CreateModel(
            name='Edit',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('target_type', models.TextField()),
                ('target_id', models.UUIDField()),
                ('op', models.TextField(choices=[('retract', 'Retract'), ('amend', 'Amend'), ('quarantine', 'Quarantine'), ('attenuate', 'Attenuate'), ('block', 'Block'), ('revert', 'Revert')])),
                ('reason', models.TextField()),
                ('proposer_kind', models.TextField(choices=[('human', 'Human'), ('agent', 'Agent')])),
                ('proposed_by', models.UUIDField()),
                ('proposer', models.TextField()),
                ('content_id', models.UUIDField(null=True)),
                ('importance', models.DecimalField(decimal_places=4, max_digits=5, null=True)),
                ('importance_delta', models.DecimalField(decimal_places=4, max_digits=5, null=True)),
                ('channel', models.TextField(choices=[('private', 'Private'), ('public', 'Public'), ('team', 'Team'), ('agent', 'Agent')], null=True)),
                ('reverts', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.edit')),
                ('patch_sha256', models.BinaryField(max_length=32)),
                ('approvals_required', models.SmallIntegerField()),
                ('policy', models.TextField()),
                ('batch_id', models.UUIDField(null=True)),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'target_id'], name='idx_edits_tenant_target'), models.Index(fields=['tenant', '-created_at', '-id'], name='edit_newest'), models.Index(fields=['tenant', 'proposed_by'], name='edit_proposer'), models.Index(condition=models.Q(('batch_id__isnull', False)), fields=['tenant', 'batch_id'], name='edit_batch')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id', 'proposed_by', 'patch_sha256'), name='edit_as_reviewed'), models.CheckConstraint(condition=models.Q(('op__in', ['retract', 'amend', 'quarantine', 'attenuate', 'block', 'revert'])), name='edit_op_known'), models.CheckConstraint(condition=models.Q(('proposer_kind__in', ['human', 'agent'])), name='edit_proposer_kind_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='edit_has_reason'), models.CheckConstraint(condition=models.Q(('approvals_required__range', (0, 2))), name='edit_approvals_required_known'), models.CheckConstraint(condition=models.Q(models.Q(('op', 'amend'), models.Q(('content_id__isnull', False), ('importance__isnull', False), _connector='OR')), models.Q(('op', 'attenuate'), models.Q(('importance__isnull', False), ('importance_delta__isnull', False), _connector='XOR'), ('content_id__isnull', True)), models.Q(('channel__isnull', False), ('content_id__isnull', True), ('importance__isnull', True), ('op', 'block')), models.Q(('content_id__isnull', True), ('importance__isnull', True), ('op', 'revert'), ('reverts__isnull', False)), models.Q(('content_id__isnull', True), ('importance__isnull', True), ('op__in', ['retract', 'quarantine'])), _connector='OR'), name='edit_patch_fits_op'), models.CheckConstraint(condition=models.Q(('channel__isnull', True), models.Q(('channel__in', ['private', 'public', 'team', 'agent']), ('channel__isnull', False)), _connector='OR'), name='edit_channel_known'), models.CheckConstraint(condition=models.Q(('importance__isnull', True), ('importance__range', (0, 1)), _connector='OR'), name='edit_importance_in_range'), models.CheckConstraint(condition=models.Q(('importance_delta__isnull', True), ('importance_delta__range', (-1, 1)), _connector='OR'), name='edit_importance_delta_in_range')],
            },
        ),
        migrations.CreateModel(
            name='EditState',
            fields=[
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('edit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='state', serialize=False, to='governance.edit')),
                ('held_by', models.UUIDField(null=True)),
                ('status', models.TextField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn'), ('expired', 'Expired')])),
                ('approvals', models.SmallIntegerField()),
                ('applied_at', models.DateTimeField(null=True)),
                ('approved_by', models.TextField(null=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('status', 'pending')), fields=['tenant', 'created_at'], name='edit_state_pending'), models.Index(fields=['tenant', 'status', 'applied_at'], name='idx_edits_tenant_status')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('applied_at__isnull', False), ('status', 'approved')), models.Q(('applied_at__isnull', True), ('status__in', ['pending', 'rejected', 'withdrawn', 'expired'])), _connector='OR'), name='edit_state_applied_when_approved')],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('chain', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.chain')),
                ('seq', models.BigIntegerField()),
                ('ts', models.DateTimeField()),
                ('type', models.TextField()),
                ('retention', models.TextField(default='committed')),
                ('content_hash', models.BinaryField(max_length=32, null=True)),
                ('metadata', models.JSONField(default=dict)),
                ('prev_hash', models.BinaryField(max_length=32)),
                ('canonical', models.BinaryField()),
                ('hash', models.BinaryField(max_length=32)),
                ('signature', models.BinaryField(max_length=64)),
            ],
            options={
                'verbose_name_plural': 'entries',
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'type', '-id'], name='entry_type')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'chain', 'seq'), name='entry_seq'), models.UniqueConstraint(fields=('tenant', 'chain', 'prev_hash'), name='entry_prev_hash'), models.CheckConstraint(condition=models.Q(('retention__in', ['committed', 'relationship', 'ephemeral'])), name='entry_retention_known')],
            },
        ),
        migrations.CreateModel(
            name='ErasedContent',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('sha256', models.BinaryField(max_length=32)),
                ('erasure_id', models.UUIDField()),
                ('erased_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'verbose_name': 'erased content',
                'verbose_name_plural': 'erased contents',
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'erasure_id'], name='erased_content_erasure')],
            },
        ),
        migrations.CreateModel(
            name='Erasure',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('named_by', models.TextField(choices=[('chunk', 'Chunk'), ('event', 'Event'), ('subject', 'Subject'), ('agent', 'Agent')])),
                ('target_id', models.UUIDField(null=True)),
                ('subject_type', models.TextField(null=True)),
                ('subject_id', models.TextField(null=True)),
                ('reason', models.TextField()),
                ('proposed_by', models.UUIDField()),
                ('proposer', models.TextField()),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', '-created_at', '-id'], name='erasure_newest')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'id', 'proposed_by'), name='erasure_as_proposed'), models.CheckConstraint(condition=models.Q(models.Q(('named_by', 'subject'), ('subject_id__isnull', False), ('subject_type__isnull', False), ('target_id__isnull', True)), models.Q(('named_by__in', ['chunk', 'event', 'agent']), ('subject_id__isnull', True), ('subject_type__isnull', True), ('target_id__isnull', False)), _connector='OR'), name='erasure_names_one_thing'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='erasure_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='ErasureItem',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('erasure', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.erasure')),
                ('kind', models.TextField()),
                ('record_id', models.UUIDField()),
                ('content_id', models.UUIDField()),
                ('sha256', models.BinaryField(max_length=32)),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', 'content_id'], name='erasure_item_content'), models.Index(fields=['tenant', 'record_id'], name='erasure_item_record')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'erasure', 'record_id', 'content_id'), name='erasure_item_once')],
            },
        ),
        migrations.CreateModel(
            name='ErasureState',
            fields=[
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('erasure', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='state', serialize=False, to='governance.erasure')),
                ('status', models.TextField(choices=[('pending', 'Pending'), ('approved', 'Approved'), ('executed', 'Executed'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn')])),
                ('proposed_by', models.UUIDField()),
                ('decided_by', models.UUIDField(null=True)),
                ('decider', models.TextField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('decision_reason', models.TextField(default='')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'approved', 'executed', 'rejected', 'withdrawn'])), name='erasure_status_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', True), ('status', 'pending')), models.Q(('decided_by', models.F('proposed_by')), ('decided_by__isnull', False), ('status', 'withdrawn')), models.Q(('decided_by__isnull', False), ('status__in', ['approved', 'executed', 'rejected']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='erasure_decided_by_another')],
            },
        ),
        migrations.CreateModel(
            name='IdempotencyKey',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('actor_id', models.UUIDField()),
                ('key', models.TextField()),
                ('fingerprint', models.BinaryField(max_length=32)),
                ('status', models.SmallIntegerField(null=True)),
                ('answer', models.JSONField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'indexes': [models.Index(fields=['tenant', 'created_at'], name='idempotency_key_age')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'actor_id', 'key'), name='idempotency_key_once')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('username', models.TextField()),
                ('roles', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(choices=[('reviewer', 'Reviewer'), ('auditor', 'Auditor'), ('admin', 'Admin')]), size=None)),
                ('invited_by', models.UUIDField()),
                ('inviter', models.TextField()),
                ('status', models.TextField(choices=[('pending', 'Pending'), ('accepted', 'Accepted'), ('declined', 'Declined'), ('withdrawn', 'Withdrawn')])),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('status', 'pending')), fields=['username'], name='invitation_of_username')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'pending')), fields=('tenant', 'username'), name='invitation_pending_once'), models.CheckConstraint(condition=models.Q(('roles__contained_by', ['reviewer', 'auditor', 'admin']), ('roles__len__gt', 0)), name='invitation_roles_known'), models.CheckConstraint(condition=models.Q(models.Q(('answered_at__isnull', True), ('status', 'pending')), models.Q(('answered_at__isnull', False), ('status__in', ['accepted', 'declined', 'withdrawn'])), _connector='OR'), name='invitation_status_known')],
            },
        ),
        migrations.CreateModel(
            name='Leaf',
            fields=[
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('position', models.BigIntegerField(primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('row_id', models.UUIDField()),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'verbose_name_plural': 'leaves',
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'row_id', 'kind'), name='leaf_of_row')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('role', models.TextField(choices=[('reviewer', 'Reviewer'), ('auditor', 'Auditor'), ('admin', 'Admin')])),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'user', 'role'), name='membership_once'), models.CheckConstraint(condition=models.Q(('role__in', ['reviewer', 'auditor', 'admin'])), name='membership_role_known')],
            },
        ),
        migrations.CreateModel(
            name='MerkleTree',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('size', models.BigIntegerField(default=0)),
                ('root', models.BinaryField(max_length=32, null=True)),
                ('sealed_at', models.DateTimeField(null=True)),
                ('caught_up_at', models.DateTimeField(null=True)),
                ('swept_at', models.DateTimeField(null=True)),
                ('verified_at', models.DateTimeField(null=True)),
                ('findings', models.BigIntegerField(null=True)),
                ('alarm', models.TextField(null=True)),
                ('alarm_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant',), name='merkle_tree_once')],
            },
        ),
        migrations.CreateModel(
            name='OwedEntry',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('type', models.TextField()),
                ('mentions', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
            ],
            options={
                'verbose_name_plural': 'owed entries',
            },
        ),
        migrations.CreateModel(
            name='PolicyChange',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('preset', models.TextField()),
                ('overrides', models.JSONField(default=list)),
                ('promotion', models.JSONField(null=True)),
                ('reason', models.TextField()),
                ('proposed_by', models.UUIDField()),
                ('proposer', models.TextField()),
                ('needs_second', models.BooleanField()),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(fields=['tenant', '-created_at', '-id'], name='policy_change_newest')],
                'constraints': [models.CheckConstraint(condition=models.Q(('preset__in', ['standard', 'strict', 'open'])), name='policy_change_preset_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='policy_change_has_reason')],
            },
        ),
        migrations.CreateModel(
            name='PolicyChangeState',
            fields=[
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('change', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='state', serialize=False, to='governance.policychange')),
                ('status', models.TextField(choices=[('pending', 'Pending'), ('applied', 'Applied'), ('rejected', 'Rejected')])),
                ('proposed_by', models.UUIDField()),
                ('needs_second', models.BooleanField()),
                ('takes_effect_at', models.DateTimeField(null=True)),
                ('decided_by', models.UUIDField(null=True)),
                ('decider', models.TextField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'applied', 'rejected'])), name='policy_change_status_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', True), ('status', 'pending')), models.Q(('decided_by__isnull', False), ('status__in', ['applied', 'rejected'])), _connector='OR'), name='policy_change_decided_by_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'applied'), _negated=True), ('needs_second', False), models.Q(('decided_by__isnull', False), ('needs_second', True), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='policy_change_decided_by_another')],
            },
        ),
        migrations.CreateModel(
            name='PolicyRule',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('op', models.TextField()),
                ('proposer_kind', models.TextField()),
                ('sensitivity', models.TextField(blank=True, null=True)),
                ('approvals', models.SmallIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('tenant', 'op', 'proposer_kind', 'sensitivity'), name='policy_rule_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('op__in', ['retract', 'amend', 'quarantine', 'attenuate', 'block', 'revert', 'decide'])), name='policy_rule_op_known'), models.CheckConstraint(condition=models.Q(('proposer_kind__in', ['human', 'agent'])), name='policy_rule_proposer_known'), models.CheckConstraint(condition=models.Q(('approvals__range', (0, 2))), name='policy_rule_approvals_known')],
            },
        ),
        migrations.CreateModel(
            name='Receipt',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('at', models.DateTimeField()),
                ('kinds', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('row_ids', django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ('hashes', models.BinaryField()),
                ('public_key', models.BinaryField(max_length=32)),
                ('signature', models.BinaryField(max_length=64)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='SchemaFingerprint',
            fields=[
                ('digest', models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ('document', models.BinaryField()),
                ('signature', models.BinaryField(max_length=64)),
                ('made_at', models.DateTimeField()),
            ],
            options={
                'db_table': 'governance_schemafingerprint',
                'ordering': ['-made_at'],
            },
        ),
        migrations.CreateModel(
            name='SharedSecret',
            fields=[
                ('name', models.TextField(primary_key=True, serialize=False)),
                ('fingerprint', models.TextField()),
                ('origin', models.TextField()),
                ('noted_at', models.DateTimeField()),
            ],
            options={
                'db_table': 'governance_sharedsecret',
            },
        ),
        migrations.CreateModel(
            name='TreeNode',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('level', models.SmallIntegerField()),
                ('index', models.BigIntegerField()),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'abstract': False,
                'constraints': [models.UniqueConstraint(fields=('tenant', 'level', 'index'), name='tree_node_once')],
            },
        ),
        migrations.CreateModel(
            name='UnsealedReceipt',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Verdict',
            fields=[
                ('id', models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='governance.tenant')),
                ('edit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='verdicts', to='governance.edit')),
                ('decision', models.TextField(choices=[('approved', 'Approved'), ('rejected', 'Rejected'), ('withdrawn', 'Withdrawn'), ('expired', 'Expired')])),
                ('decider_kind', models.TextField(choices=[('human', 'Human'), ('agent', 'Agent'), ('policy', 'Policy')])),
                ('decided_by', models.UUIDField(null=True)),
                ('decider', models.TextField()),
                ('decided_at', models.DateTimeField()),
                ('reason', models.TextField(blank=True, default='')),
                ('proposed_by', models.UUIDField()),
                ('patch_sha256', models.BinaryField(max_length=32)),
            ],
            options={
                'abstract': False,
                'indexes': [models.Index(condition=models.Q(('decided_by__isnull', False)), fields=['tenant', 'decided_by', '-id'], name='verdict_of_person')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'edit', 'decided_by'), name='verdict_once_per_person'), models.CheckConstraint(condition=models.Q(('decided_by__isnull', True), models.Q(('decided_by', models.F('proposed_by')), ('decision', 'withdrawn')), models.Q(('decision__in', ['approved', 'rejected']), models.Q(('decided_by', models.F('proposed_by')), _negated=True)), _connector='OR'), name='verdict_decider_is_not_proposer'), models.CheckConstraint(condition=models.Q(('decision__in', ['approved', 'rejected', 'withdrawn', 'expired'])), name='verdict_decision_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', False), ('decider_kind', 'human')), models.Q(('decided_by__isnull', False), ('decider_kind', 'agent'), ('decision', 'withdrawn')), models.Q(('decided_by__isnull', True), ('decider_kind', 'policy'), ('decision__in', ['approved', 'expired'])), _connector='OR'), name='verdict_decider_known'), models.CheckConstraint(condition=models.Q(models.Q(('decision', 'rejected'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='verdict_rejection_has_reason')],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='receipt',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='1d42c183dbb996805846388ea8c6b39158fb730f', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_2d102', table='governance_receipt', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='receipt',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='e684fc45db1774e01f8f3c6f2c9b266cc010cc1f', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_240c0', table='governance_receipt', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='policychange',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c80efc5119e4331d72e985a7c0a31b4492e88ebb', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_9bfd0', table='governance_policychange', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='policychange',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='a9d6e758524b57d29e79098686c53ebf71278df9', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_7b837', table='governance_policychange', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='leaf',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='dc4c02dc212f5ae4d7e7e4ee8db83d0e9df62d96', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_c84e8', table='governance_leaf', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='leaf',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='13f58b3785c70422549f96d776c195d0438c2af0', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_3ad62', table='governance_leaf', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasureitem',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='56d5fadc68271e51760bceba15505d52975d11e2', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_09c6f', table='governance_erasureitem', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasureitem',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='277f47d7d86eeadb87d33cdc815b1915bb90be66', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_b9655', table='governance_erasureitem', when='BEFORE')),
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
            model_name='erasedcontent',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='5a503cea2d4d5c693f381f36bee0d625cd5016c7', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_874c5', table='governance_erasedcontent', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='erasedcontent',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c6347f32234432cae236b086a3084079a0bb0e6e', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_f3d69', table='governance_erasedcontent', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='entry',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='72f37e1389a147366f08342feef2e415090566fc', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_c312e', table='governance_entry', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='entry',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='d9cfa26cf7ad230eb1c273da2e25421d19057664', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_73409', table='governance_entry', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='edit',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='fcf439d8af88fe8440b633d72861f810d8456df1', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_10203', table='governance_edit', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='edit',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='a07c6f2ccb8a313c54537986fb9af72d677e5e53', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_44541', table='governance_edit', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='edit',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='7c1aaa9da10022c1c3caa1c4fca70732afe06caf', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4cc92', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_edit', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='content',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change_unless_erased()', func='RETURN NULL;', hash='dd1b9cb1cf30f4a41d7b993c045e44c6f6b0bf7b', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b296b', table='governance_content', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='content',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b28e425ea37ab8cc041a7805e49dda1bbabf6eaf', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_c3499', table='governance_content', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='562a171f65573b4f397353dd9d8db193274b0f66', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_111e3', table='governance_accessrecord', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='c8d2e251023b319c65559b3e04cbc2d14e7651bb', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_36068', table='governance_accessrecord', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='accessrecord',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='4148cc42adffd9ae02de08a6fa0c86c023d2efc8', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_0d792', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_accessrecord', when='AFTER')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='treenode',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='970dad5ecf4530b45ea6e78941fb322931199a4e', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_d689f', table='governance_treenode', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='treenode',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='5315a24c956b2a3816793ae17495e762667b9a7f', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_67633', table='governance_treenode', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='verdict',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='76473f94bb4e08ac90f23361335c868ab8466ba7', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_85dc8', table='governance_verdict', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='verdict',
            trigger=pgtrigger.compiler.Trigger(name='no_truncate', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_deny_change()', func='RETURN NULL;', hash='b0d26f78b3d68a9d80838c20094e1a4e26ddbeac', level='STATEMENT', operation='TRUNCATE', pgid='pgtrigger_no_truncate_d6c98', table='governance_verdict', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='verdict',
            trigger=pgtrigger.compiler.Trigger(name='note_recorded', sql=pgtrigger.compiler.UpsertTriggerSql(execute='governance_note_recorded()', func='RETURN NULL;', hash='5a0ae4ce4e469d229a198be93bbafe115c2622d5', level='STATEMENT', operation='INSERT', pgid='pgtrigger_note_recorded_4bed2', referencing='REFERENCING NEW TABLE AS recorded ', table='governance_verdict', when='AFTER')),
        ),
        # the guards of the tables above: a replica role must not disable them
        migrations.RunSQL("SELECT governance_guard_always()", migrations.RunSQL.noop),
    ]
