import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.edits import policies
from governance.identity import identities
from governance.management.expiry import HELP, expiry
from governance.refusals import Refusal


class Command(BaseCommand):
    help = "Create or extend a tenant. Prints the new keys and passwords, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("--agent", action="append", default=[], metavar="NAME[:CHANNEL,...]")
        parser.add_argument(
            "--quarantine-reader",
            action="append",
            default=[],
            metavar="NAME",
            help="an agent that may read quarantined memory; by default none",
        )
        for role in ("reviewer", "auditor", "admin"):
            parser.add_argument(f"--{role}", action="append", default=[], metavar="NAME")
        parser.add_argument("--policy", choices=list(policies.PRESETS), help="the default for a new tenant is standard")
        parser.add_argument(
            "--default-sensitivity",
            action="append",
            default=[],
            metavar="CHANNEL:LEVEL",
            help="the default sensitivity of new records in this channel; the default is none",
        )
        parser.add_argument(
            "--search-language",
            metavar="LANGUAGE",
            help="the language of the words, such as german; simple for any other language; the default is english",
        )
        parser.add_argument(
            "--hybrid-alpha",
            type=float,
            metavar="WEIGHT",
            help="the weight of meaning in a search, from 0 (words alone) to 1 (meaning alone); the default is 0.5",
        )
        parser.add_argument(
            "--ephemeral-hours",
            type=int,
            metavar="HOURS",
            help="hours until ephemeral memory that an agent commits expires; the default is 24",
        )
        parser.add_argument("--expires", type=expiry, metavar="WHEN", help=HELP)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        agents = []
        for text in options["agent"]:
            name, _, channels = text.partition(":")
            agents.append((name, list(filter(None, channels.split(",")))))
        people = [(name, role) for role in ("reviewer", "auditor", "admin") for name in options[role]]
        levels = {
            channel: level for channel, _, level in (one.partition(":") for one in options["default_sensitivity"])
        }
        try:
            made = identities.provision(
                options["slug"],
                agents=agents,
                people=people,
                quarantine_readers=options["quarantine_reader"],
                policy=options["policy"],
                default_sensitivities=levels,
                search_language=options["search_language"],
                hybrid_alpha=options["hybrid_alpha"],
                ephemeral_hours=options["ephemeral_hours"],
                expires_at=options["expires"],
            )
        except Refusal as refusal:
            raise CommandError(refusal.for_operator) from None
        if options["json"]:
            self.stdout.write(json.dumps({"tenant": made.tenant, "agents": made.agents, "users": made.users}))
            return
        self.stdout.write(f"tenant {made.tenant}")
        for kind, named in (("agent", made.agents), ("user", made.users)):
            for name, secrets_made in named.items():
                for what, value in secrets_made.items():
                    self.stdout.write(f"{kind} {name} {what} {value}")
        if not (made.agents or made.users):
            self.stdout.write("nothing to create: all agents and people already exist")
