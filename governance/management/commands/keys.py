from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import system
from governance.identity import agents, identities
from governance.management.expiry import HELP, expiry
from governance.models import ApiKey
from governance.refusals import Refusal


class Command(BaseCommand):
    help = "List, issue, revoke or rotate the API keys of a tenant."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        for name, text in (
            ("list", "every key with its owner, newest first"),
            ("issue", "print a new key of an agent, once"),
            ("revoke", "revoke a key now"),
            ("rotate", "revoke a key and print a new one for its owner, once, which speaks for the same principals"),
        ):
            action = actions.add_parser(name, help=text)
            action.add_argument("--tenant", required=True, metavar="SLUG")
            if name in ("revoke", "rotate"):
                action.add_argument("prefix", metavar="PREFIX", help="the public prefix, as `keys list` shows it")
            if name == "issue":
                action.add_argument("agent", metavar="AGENT")
                action.add_argument("--expires", type=expiry, metavar="WHEN", help=HELP)
                action.add_argument(
                    "--speaks-for",
                    action="append",
                    default=[],
                    metavar="PRINCIPAL",
                    help="on whose behalf its requests may ask: *, TYPE:* or TYPE:ID; repeat it for several",
                )
                action.add_argument(
                    "--must-speak-for", action="store_true", help="each of its requests must name a principal"
                )
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
                elif options["action"] == "issue":
                    self.stdout.write(
                        identities.issue_key(
                            actor=actor,
                            agent=agents.find_agent(options["agent"], tenant_id),
                            expires_at=options["expires"],
                            speaks_for=options["speaks_for"],
                            must_speak_for=options["must_speak_for"],
                        )
                    )
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
    speaks = (
        f", {'must speak' if key.must_speak_for else 'speaks'} for {' '.join(key.speaks_for)}" if key.speaks_for else ""
    )
    return f"{key.prefix}  {owner:<30} {state:<8} {until}, {used}{speaks}"
