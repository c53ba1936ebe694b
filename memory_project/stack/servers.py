"""The servers of a stack, embedded or the operator's, and the variables with their URLs."""

import os
from collections.abc import Mapping

from memory_project import environment
from memory_project.stack import roles, sizing
from memory_project.stack.home import Home
from memory_project.stack.postgres import EPHEMERAL_SETTINGS, EmbeddedPostgres
from memory_project.stack.processes import StackError, Tell, ignore_progress
from memory_project.stack.progress import Steps
from memory_project.stack.supervisor import Supervisor
from memory_project.stack.valkey import EmbeddedValkey

#: Used to create the roles; passed to no process.
SUPERUSER_VARIABLE = "DATABASE_SUPERUSER_URL"
#: Maximum consecutive failures to restart the embedded PostgreSQL: nothing works without it. Valkey has no limit.
POSTGRES_TRIES = 5


def start_embedded(
    supervisor: Supervisor, home: Home, *, ephemeral: bool = False, may_move: bool = False
) -> dict[str, str]:
    """Start PostgreSQL, with its roles, and Valkey; return their variables. Raises StackError."""
    return {
        **_embedded_database(supervisor, home, ephemeral=ephemeral, may_move=may_move),
        **_embedded_broker(supervisor, home),
    }


def require_usable(given: Mapping[str, str]) -> None:
    """Raise StackError if the environment names only some of the roles' URLs, and no superuser's URL."""
    named = [variable for variable in roles.VARIABLES.values() if given.get(variable)]
    if named and len(named) < len(roles.VARIABLES) and not given.get(SUPERUSER_VARIABLE):
        missing = " and ".join(sorted(set(roles.VARIABLES.values()) - set(named)))
        raise StackError(f"{named[0]} is set: set {missing} too, or {SUPERUSER_VARIABLE} to have all roles created.")


def start_missing(
    supervisor: Supervisor,
    home: Home,
    given: Mapping[str, str],
    steps: Steps,
    *,
    may_move: bool = False,
    resets_roles: bool = False,
) -> dict[str, str]:
    """Start each server that the environment does not name, in two of `steps`, and return the variables of all.
    `resets_roles` gives new passwords to roles that another node created in an external server. Raises StackError."""
    require_usable(given)
    variables = {name: given[name] for name in environment.SERVER_VARIABLES if given.get(name)}
    if all(variables.get(variable) for variable in roles.VARIABLES.values()):
        with steps.step("Using the PostgreSQL that the environment names"):
            pass
    elif superuser := given.get(SUPERUSER_VARIABLE):
        with steps.step("Creating the roles in the PostgreSQL that the environment names"):
            variables |= made_roles(superuser, home, resets=resets_roles)
    else:
        is_new = not (home.path / "pg18").exists()
        with steps.step("Creating a PostgreSQL database and starting it" if is_new else "Starting PostgreSQL"):
            variables |= _embedded_database(supervisor, home, may_move=may_move, tell=steps.tell)
    own_broker = "REDIS_URL" not in variables
    with steps.step("Starting Valkey" if own_broker else "Using the Redis that the environment names"):
        if own_broker:
            variables |= _embedded_broker(supervisor, home, tell=steps.tell)
    return variables


def made_roles(superuser_url: str, home: Home, *, resets: bool) -> dict[str, str]:
    """Create the roles and the database in an external server, and return the roles' URLs. Raises StackError."""
    try:
        return roles.create_roles(superuser_url, home.role_passwords(roles.VARIABLES), resets=resets)
    except roles.RolesOfOthers as role:
        names = ", ".join(roles.VARIABLES.values())
        raise StackError(
            f"The role {role} of this PostgreSQL server has a different password than this node's"
            f" ({home.path / 'secrets' / home.PASSWORDS}): another node created the roles. Nothing was changed."
            f" Set {names} to the connection strings of that node, or copy secrets/{home.PASSWORDS} from its"
            " SUTURE_HOME. To give the roles new passwords, which disconnects all other nodes until they have them, run"
            " `make up RESET_ROLES=yes`."
        ) from None


def _embedded_database(
    supervisor: Supervisor,
    home: Home,
    *,
    ephemeral: bool = False,
    may_move: bool = False,
    tell: Tell = ignore_progress,
) -> dict[str, str]:
    settings = EPHEMERAL_SETTINGS if ephemeral else sizing.sizes(sizing.memory_of_machine())
    settings |= sizing.adjusted(os.environ)
    postgres = EmbeddedPostgres(home.path, settings=settings, may_move=may_move)
    supervisor.start_server("PostgreSQL", postgres, tries=POSTGRES_TRIES, excused=postgres.lacks_space, tell=tell)
    passwords = home.role_passwords(roles.VARIABLES)
    variables = roles.urls(postgres.address, passwords)
    if not postgres.has_password and not roles.are_made(variables["DATABASE_OWNER_URL"], passwords):
        postgres.stop()
        postgres.set_password()
        postgres.start()
    if postgres.has_password:
        roles.create_roles(postgres.url(), passwords, own_server=True)
        postgres.drop_password()
    postgres.probe(variables["DATABASE_OWNER_URL"])
    return variables


def _embedded_broker(supervisor: Supervisor, home: Home, tell: Tell = ignore_progress) -> dict[str, str]:
    valkey = EmbeddedValkey(home.path)
    supervisor.start_server("Valkey", valkey, tell=tell)
    return {"REDIS_URL": valkey.url}
