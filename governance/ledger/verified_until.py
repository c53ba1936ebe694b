"""The confirmed extent of each tenant's ledger: signed notes outside the database, in `SUTURE_HOME/confirmed/`.

A verification without findings writes the note, and one with findings deletes it: then every verification starts at the
beginning until the ledger verifies again.
"""

import logging
import os
import uuid
from pathlib import Path

from django.conf import settings

from governance.ledger import keyring
from governance.refusals import Halted
from suture_verify.verified_until import NotVerifiedError, VerifiedUntil, from_note, to_note

logger = logging.getLogger("suture.verification")


def path_of(tenant_id: uuid.UUID) -> Path:
    """The file of a tenant's note."""
    return Path(settings.SUTURE_HOME) / "confirmed" / f"{tenant_id}.txt"


def last(tenant_id: uuid.UUID) -> VerifiedUntil | None:
    """The confirmed extent of a tenant's ledger; None without a note that is signed by its ledger's key."""
    try:
        return from_note(path_of(tenant_id).read_text(), tenant_id)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, NotVerifiedError) as error:
        logger.warning("the note of the confirmed extent of the ledger of %s is ignored: %s", tenant_id, error)
        return None


def keep(tenant_id: uuid.UUID, reached: VerifiedUntil | None) -> None:
    """Store the confirmed extent of a ledger; None: the next verification must start with its first entry.

    Leaves the old note if the ledger's signing key is not here, or the file cannot be written.
    """
    path = path_of(tenant_id)
    try:
        if reached is None:
            path.unlink(missing_ok=True)
            return
        note = to_note(reached, keyring.signer_of(reached.key).private)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_text(note)
        written.chmod(0o644)  # for the web server, which shows it; others cannot enter the folder
        written.replace(path)
    except (OSError, Halted) as error:
        logger.warning("the confirmed extent of the ledger of %s could not be stored: %s", tenant_id, error)
