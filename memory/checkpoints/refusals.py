"""Refusals of the checkpoint services."""

from governance.refusals import Conflict, Forbidden, Invalid, NotFound, TooLarge, Unavailable, register_constraint


class NoSuchSession(NotFound):
    """You have no session with this id that has checkpoints or reported turns. `GET /sessions?offered=true` lists the
    sessions that other agents offer to you: to use one, name its owner with `?owner=`."""


class SessionDeleted(NotFound):
    """This session was deleted. Nothing can be added to it, and its id cannot be reused: choose another id."""


class OwnerMissing(Invalid):
    """Several agents may have a session with this id: name the agent with `?owner=`."""


class NoSuchCheckpoint(NotFound):
    """This checkpoint does not exist."""


class CheckpointRemoved(NotFound):
    """This checkpoint was removed: it was deleted, it was pruned because of newer ones, or text that it could repeat
    was erased."""


class SessionOfAnother(Forbidden):
    """This session belongs to another agent that does not offer it to you. Its owner can share it with you."""


class OwnerNotNamed(Forbidden):
    """This checkpoint belongs to another agent's session. To use a session that is offered to you, name its owner with
    `?owner=`."""


class SharedWithItself(Invalid):
    """A session cannot be shared with its owner."""


class OnlyAgents(Forbidden):
    """Only agents have sessions with checkpoints. Admins can list and delete them; nobody else can read a state."""


class TurnGoesBack(Conflict):
    """The turn is lower than the session's current turn."""


class TurnRepeated(Conflict):
    """The turn was already reported with a different state."""


class StateIsDue(Invalid):
    """A checkpoint is due at this turn: send the state with it."""


class IncompatibleFormat(Conflict):
    """This server does not read the format of this state."""


class CheckpointDamaged(Conflict):
    """The file of this checkpoint was changed or damaged. Nothing was restored: choose another checkpoint."""


class CheckpointTooLarge(TooLarge):
    """A state may have at most 64 MiB of JSON."""


class CheckpointQuotaReached(TooLarge):
    """The checkpoint would exceed the tenant's quota."""


class CheckpointStoreFailed(Unavailable):
    """Checkpoints cannot be stored or read at the moment. Retry the request."""


class PathOutsideRoot(Invalid):
    """Send the `path` of a checkpoint, relative to the root: no absolute path, and no `..`."""


class OperationUnknown(NotFound):
    """The checkpoint has no pending operation with this id."""


register_constraint("session_of_another", SessionOfAnother)
register_constraint("session_was_deleted", SessionDeleted)
register_constraint("checkpoint_was_removed", CheckpointRemoved)
