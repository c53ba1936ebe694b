"""What the services of checkpoints refuse."""

from governance.refusals import Conflict, Forbidden, Invalid, NotFound, TooLarge, Unavailable, register_constraint


class NoSuchSession(NotFound):
    """You have no session of this id with checkpoints or reported turns. `GET /sessions?offered=true` lists those that
    other agents offer you: to take one, name its owner with `?owner=`."""


class SessionDeleted(NotFound):
    """This session was deleted. Nothing can be added to it, and its id is not used again: choose another id."""


class OwnerMissing(Invalid):
    """Several agents may have a session of this id: name the agent with `?owner=`."""


class NoSuchCheckpoint(NotFound):
    """There is no such checkpoint."""


class CheckpointRemoved(NotFound):
    """This checkpoint was removed: it was deleted, newer ones took its place, or words that it could repeat were
    erased."""


class SessionOfAnother(Forbidden):
    """This session is another agent's, which does not offer it to you. Its owner can share it with you."""


class OwnerNotNamed(Forbidden):
    """This checkpoint is of another agent's session. To take what it offers you, name the owner with `?owner=`."""


class SharedWithItself(Invalid):
    """A session cannot be shared with the agent that owns it."""


class OnlyAgents(Forbidden):
    """Only an agent has sessions with checkpoints. Admins can list and delete them, and nobody else reads a state."""


class TurnGoesBack(Conflict):
    """The turn is below the one that the session has reached."""


class TurnRepeated(Conflict):
    """The turn was reported before with another state."""


class StateIsDue(Invalid):
    """A checkpoint is due at this turn: send the state with it."""


class IncompatibleFormat(Conflict):
    """The format of this state is one that this server does not read."""


class CheckpointDamaged(Conflict):
    """The file of this checkpoint is not what was stored. Nothing was restored: choose another checkpoint."""


class CheckpointTooLarge(TooLarge):
    """A state has at most 64 MiB of JSON."""


class CheckpointQuotaReached(TooLarge):
    """The tenant's checkpoints have no room for this one."""


class CheckpointStoreFailed(Unavailable):
    """Checkpoints cannot be stored or read at the moment. Retry the request."""


class PathOutsideRoot(Invalid):
    """The path of a checkpoint is the one that its description names, below the root: no absolute path, and no `..`."""


class OperationUnknown(NotFound):
    """The checkpoint has no pending operation of this id."""


register_constraint("session_of_another", SessionOfAnother)
register_constraint("session_was_deleted", SessionDeleted)
register_constraint("checkpoint_was_removed", CheckpointRemoved)
