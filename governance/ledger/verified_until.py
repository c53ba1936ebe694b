"""How far each tenant's ledger was confirmed: signed notes outside the database, in `SUTURE_HOME/confirmed/`.

A verification that finds nothing writes the note, and one that finds something deletes it: until the ledger verifies
from its beginning again, no verification begins later.
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
    """How far a tenant's ledger was confirmed last; None where it was not, or the note is not signed by its ledger's
    key."""
    try:
        return from_note(path_of(tenant_id).read_text(), tenant_id)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, NotVerifiedError) as error:
        logger.warning("the note of how far the ledger of %s was confirmed is not used: %s", tenant_id, error)
        return None


def keep(tenant_id: uuid.UUID, reached: VerifiedUntil | None) -> None:
    """Keep how far a ledger was confirmed; None: it is not, and a verification has to begin with its first entry.

    Keeps what was there where the key that signs the ledger is not here, or the file cannot be written.
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
        written.chmod(0o644)  # the web server shows it; the folder is closed to others
        written.replace(path)
    except (OSError, Halted) as error:
        logger.warning("how far the ledger of %s was confirmed could not be kept: %s", tenant_id, error)
