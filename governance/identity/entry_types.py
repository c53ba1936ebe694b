"""The entries about tenants, agents, people, roles and keys."""

from governance.ledger.entry_types import FLAG, HASH, ID, LIST, MOMENT, NUMBER, OBJECT, TEXT, EntryType, Field, Presence

_AGENT = (Field("agent", ID, "the agent"), Field("slug", TEXT, "its slug"))
_PERSON = (Field("user", ID, "the person"), Field("name", TEXT, "their username"))
_ROLE = (Field("user", ID, "the person"), Field("role", TEXT, "the role"))
_INVITATION = (Field("invitation", ID, "the invitation"), Field("name", TEXT, "the username that it is for"))
_KEY = (Field("key", ID, "the API key"), Field("prefix", TEXT, "the public part of the key"))


TYPES = (
    EntryType("agent.activated", "Agent activated", "an admin activates an agent", _AGENT, ("agent",)),
    EntryType(
        "agent.created",
        "Agent created",
        "an agent is created",
        (*_AGENT, Field("channels", LIST, "the channels that it can read and write")),
        ("agent",),
    ),
    EntryType("agent.deactivated", "Agent deactivated", "an admin deactivates an agent", _AGENT, ("agent",)),
    EntryType(
        "agent.quarantine_allowed",
        "Agent may read quarantined memory",
        "an admin allows an agent to read quarantined memory",
        _AGENT,
        ("agent",),
    ),
    EntryType(
        "agent.quarantine_refused",
        "Agent may not read quarantined memory",
        "an admin withdraws that permission",
        _AGENT,
        ("agent",),
    ),
    EntryType(
        "invitation.accepted",
        "Invitation accepted",
        "the owner of an account accepts an invitation; their roles follow",
        (*_INVITATION, Field("user", ID, "the person")),
        ("invitation", "user"),
    ),
    EntryType(
        "invitation.withdrawn",
        "Invitation withdrawn",
        "an admin withdraws an invitation",
        _INVITATION,
        ("invitation",),
    ),
    EntryType(
        "key.issued",
        "API key issued",
        "an API key is issued",
        (
            *_KEY,
            Field("owner", TEXT, "the slug of the agent or the username of the person who owns it"),
            Field("agent", ID, "the agent who owns it", Presence.OPTIONAL),
            Field("user", ID, "the person who owns it", Presence.OPTIONAL),
            Field("digest", HASH, "the SHA-256 of the key, as the server stores it"),
            Field("expires_at", MOMENT, "when it expires; absent if it never does", Presence.OPTIONAL),
            Field("speaks_for", LIST, "the principals for whom it may speak; absent: nobody", Presence.OPTIONAL),
            Field("must_speak_for", FLAG, "whether it must name one; absent: false", Presence.OPTIONAL),
        ),
        ("key",),
    ),
    EntryType("key.revoked", "API key revoked", "an API key is revoked", _KEY, ("key",)),
    EntryType("person.activated", "Account activated", "a superuser activates an account", _PERSON, ("user",)),
    EntryType("person.added", "Person added", "a person is added to the tenant", _PERSON, ("user",)),
    EntryType("person.deactivated", "Account deactivated", "a superuser deactivates an account", _PERSON, ("user",)),
    EntryType(
        "person.invited",
        "Person invited",
        "an admin invites the owner of an account to the tenant",
        (
            *_INVITATION,
            Field("roles", LIST, "the roles that they get if they accept"),
            Field("expires_at", MOMENT, "until when it can be accepted"),
        ),
        ("invitation",),
    ),
    EntryType(
        "person.password_given",
        "One-time password given",
        "an admin gives a person a one-time password",
        _PERSON,
        ("user",),
    ),
    EntryType("person.removed", "Person removed", "a person is removed from the tenant", _PERSON, ("user",)),
    EntryType(
        "person.second_factor_off",
        "Second factor turned off",
        "a person turns off their second factor, or an admin does",
        _PERSON,
        ("user",),
    ),
    EntryType(
        "person.second_factor_on",
        "Second factor turned on",
        "a person turns on their second factor",
        _PERSON,
        ("user",),
    ),
    EntryType("role.granted", "Role granted", "a person gets a role", _ROLE, ("user",)),
    EntryType("role.withdrawn", "Role withdrawn", "a person loses a role", _ROLE, ("user",)),
    EntryType(
        "superuser.made",
        "Superuser created",
        "the operator creates a superuser, in every tenant whose ledger takes an entry",
        (Field("user", ID, "the superuser"),),
        ("user",),
    ),
    EntryType(
        "tenant.changed",
        "Tenant changed",
        "an admin changes the tenant's settings",
        (
            Field("pending_edit_days", NUMBER, "the number of days after which a pending edit expires"),
            Field("default_sensitivities", OBJECT, "the default sensitivity of new records, by channel"),
            Field("search_language", TEXT, "the language in which words are searched"),
            Field("hybrid_alpha", TEXT, "how much meaning counts in a search, a number from 0 to 1"),
            Field("ephemeral_hours", NUMBER, "the number of hours after which an agent's ephemeral memory expires"),
            Field(
                "agent_edits_per_hour",
                NUMBER,
                "how many edits of others' memory an agent makes at once in an hour",
                Presence.OPTIONAL,
            ),
            Field("agent_pending_edits", NUMBER, "how many pending edits an agent may have", Presence.OPTIONAL),
            Field("before", OBJECT, "all settings before"),
        ),
    ),
    EntryType(
        "tenant.created",
        "Tenant created",
        "the tenant is created",
        (
            Field("slug", TEXT, "the tenant's slug"),
            Field("superusers", LIST, "the ids of the server's superusers at that time"),
        ),
    ),
    EntryType(
        "tenant.entered",
        "Tenant entered",
        "a superuser without a role in the tenant opens it in the admin",
        (Field("user", ID, "the superuser"),),
        ("user",),
    ),
)
