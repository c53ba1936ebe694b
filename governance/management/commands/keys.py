from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import system
from governance.identity import identities
from governance.management.expiry import HELP, expiry
from governance.models import ApiKey
from governance.refusals import Refusal


class Command(BaseCommand):
    help = "List, revoke or rotate the API keys of a tenant."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for name, text in (
            ("list", "every key with its owner, newest first"),
            ("revoke", "revoke a key now"),
            ("rotate", "revoke a key and print a new one for its owner, once"),
        ):
            action = actions.add_parser(name, help=text)
            action.add_argument("--tenant", required=True, metavar="SLUG")
            if name != "list":
                action.add_argument("prefix", metavar="PREFIX", help="the public prefix, as `keys list` shows it")
            if name == "rotate":
                kept = HELP.replace("never", "when the old key expires")
                action.add_argument("--expires", type=expiry, metavar="WHEN", help=kept)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant_id = identities.tenant_id_of(options["tenant"])
            actor = system(tenant_id, "keys")
            with gate.tenant(tenant_id):
                if options["action"] == "list":
                    for one in identities.list_keys(tenant_id):
                        self.stdout.write(_line(one))
                elif options["action"] == "revoke":
                    identities.revoke_key(options["prefix"], actor=actor)
                    self.stdout.write(f"revoked {options['prefix']}")
                else:
                    self.stdout.write(
                        identities.rotate_key(options["prefix"], actor=actor, expires_at=options["expires"])
                    )
        except Refusal as refusal:
            raise CommandError(refusal.for_operator) from None


def _line(key: ApiKey) -> str:
    owner = f"agent {key.agent.slug}" if key.agent else f"user {key.user.username}" if key.user else ""
    has_expired = key.expires_at is not None and key.expires_at <= timezone.now()
    state = "revoked" if key.revoked_at else "expired" if has_expired else "active"
    until = f"expires {key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else "no expiry"
    used = f"last used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
    return f"{key.prefix}  {owner:<30} {state:<8} {until}, {used}"
