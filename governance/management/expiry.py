"""The option `--expires` of the commands that create keys."""

import re
from argparse import ArgumentTypeError
from datetime import datetime, timedelta

from django.utils import timezone

from governance.inputs import moment

HELP = "when the new keys expire: a time such as 2027-01-31T12:00:00Z, or a number of days such as 90d (default: never)"


def expiry(text: str) -> datetime:
    """Parse the option as a time in UTC. Raises ArgumentTypeError unless it is in the future."""
    if days := re.fullmatch(r"([1-9][0-9]{0,4})d", text):
        return timezone.now() + timedelta(days=int(days[1]))
    try:
        found = moment(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{error} A number of days, such as 90d, works too.") from None
    if found <= timezone.now():
        raise ArgumentTypeError(f"{text} is in the past: such a key would never work.")
    return found
