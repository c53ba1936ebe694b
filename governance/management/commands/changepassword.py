from django.contrib.auth.management.commands import changepassword
from django.core.management.base import CommandParser


class Command(changepassword.Command):
    """Django's changepassword, by default as the owner of the tables, because the web role may not write accounts."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")
