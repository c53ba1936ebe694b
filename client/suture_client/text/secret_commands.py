"""Secrets in command lines: values of options, and passwords that a command takes in a place of its own."""

from __future__ import annotations

from suture_client.text.secret_rule import Rule
from suture_client.text.secret_values import TOKEN_BARE, is_argument, is_password, is_random, is_token, value_of

#: The text before an option, up to the command in the same line.
_AFTER_COMMAND = r"(?<![\w-])(?:%s)[ \t](?:[^\n|;&]{0,110}[ \t])?\Z"
_SHORT = r"[ \t=]{0,3}" + value_of(3)


def _command(names: tuple[str, ...], option: str) -> Rule:
    """Return a rule for the option with a password of some commands."""
    lead = "|".join(names).replace(" ", "[ \t]")
    return Rule(
        "password",
        (f"-{option.lower()}",),
        rf"-{option}{_SHORT}",
        also=tuple(name.partition(" ")[0] for name in names),
        before=_AFTER_COMMAND.replace("%s", lead),
        holds=is_argument,
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "password",
        ("--",),
        r"--(?<![^\s\"'`(\[,]--)(?i:[a-z]{1,20}-){0,3}(?i:password|passwd|passphrase|pass|pwd)(?:=|[\"']?,?\s{1,5})"
        rf"(?!-|[a-z]{{1,30}} [a-z]){value_of(4)}",
        holds=is_password,
    ),
    Rule(
        "secret keyword",
        ("--",),
        r"--(?<![^\s\"'`(\[,]--)(?i:[a-z]{1,20}-){0,3}(?i:token|secret|apikey|key|credentials?|auth)(?:=|"
        r"[\"']?,?\s{1,5})"
        rf"(?!-){value_of(8, TOKEN_BARE)}",
        holds=lambda value: is_token(value) or (value.isalnum() and not value.isalpha() and not value.isdigit()),
    ),
    _command(
        (
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mariadb",
            "mariadb-dump",
            "sshpass",
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "docker login",
            "podman login",
            "helm registry login",
            "nerdctl login",
            "skopeo login",
            "oras login",
            "az login",
            "az acr login",
            "oc login",
            "cf login",
            "7z a",
            "7z x",
            "7za x",
            "rabbitmqadmin",
            "influx",
            "couchbase-cli",
            "pgcli",
            "mycli",
            "cqlsh",
            "snowsql",
        ),
        "p",
    ),
    _command(("redis-cli", "valkey-cli", "keydb-cli"), "a"),
    _command(("ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldapdelete", "ldappasswd"), "w"),
    _command(("sqlcmd", "bcp", "unzip", "zip", "isql", "ipmitool"), "P"),
    Rule(
        "password",
        (" -u", " -a", " --user", " --auth", " --proxy-user"),
        r"-(?<=[ \t]-)(?:u|a|U|-user|-auth|-proxy-user)[ \t=]{0,3}[\"']?[\w.%+@$\\\x00-]{0,80}:(?P<secret>"
        r"[^\s\"'`<>\x00]{3,200})",
        also=("curl", "wget", "http", "xh ", "ab "),
        before=_AFTER_COMMAND.replace("%s", "curl|wget|https?|xh|ab"),
        holds=is_password,
    ),
    Rule(
        "password",
        ("-u",),
        r"-U[ \t=]{0,3}[\"']?[\w.\\-]{1,80}%(?P<secret>[^\s\"'`<>\x00]{3,200})",
        also=("smbclient", "rpcclient", "net rpc", "smbmap"),
    ),
    Rule(
        "password",
        ("echo ",),
        r"\becho[ \t]{1,3}(?:-n[ \t])?[\"']?(?:[\w.-]{1,40}:)?(?P<secret>[^\s\"'`|<>\x00]{4,300})[\"']?"
        r"[ \t]{0,3}\|[ \t]{0,3}"
        r"(?=[^\n|]{0,160}(?:--password-stdin|sudo[ \t]+-S|--with-token|--stdin|chpasswd|login|secret[ \t]create))",
        also=("--password-stdin", "sudo -s", "--with-token", "login", "--stdin", "chpasswd", "secret create"),
        holds=is_password,
    ),
    Rule(
        "password",
        (
            "htpasswd",
            "user_add",
            "add_user",
            "useradd",
            "change_password",
            "smbpasswd",
            "identified by",
            "user/password",
        ),
        r"(?:htpasswd[ \t]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]\S{1,100}[ \t]\S{1,60}|(?:add_user|change_password)"
        r"[ \t]\S{1,60}"
        r"|(?i:identified[ \t]by(?:[ \t]password)?)(?=[ \t]{1,3}[\"']))[ \t]{1,3}[\"']?(?P<secret>"
        r"[^\s\"'`<>;\x00]{4,200})",
        holds=is_password,
    ),
    Rule(
        "password",
        ("password",),
        r"(?i:password|pass)[ \t]{1,3}(?P<secret>[^\s\"'`<>\x00]{4,200})",
        before=r"(?i)(?:\blogin|\bmachine[ \t]\S{1,60}|\buser)[ \t]{1,3}\S{1,60}\s{1,20}\Z",  # .netrc
        holds=is_password,
    ),
    Rule(
        "password",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r":(?:543[0-9]|6432|\*):[^:\s]{1,63}:[^:\s]{1,63}:(?P<secret>[^\s:@\"'<>\x00]{4,200})(?=\s|\Z)",  # .pgpass
        holds=is_password,
    ),
    Rule(
        "password",
        ("-storepass", "-keypass", "-srcstorepass", "-deststorepass", "-password", "-passwd", "-passphrase", "-pw "),
        r"(?<=[ \t])-(?i:(?:src|dest)?storepass|keypass|password|passwd|passphrase|pw)[ \t=]{1,3}(?!-)"
        rf"{value_of(5)}",
        at_needle=True,
        holds=is_argument,
    ),
    Rule(
        "password",
        (
            "requirepass ",
            "masterauth ",
            "convertto-securestring ",
            "sqlplus ",
            "net use ",
            "lftp ",
            "secret set ",
            "snmp",
        ),
        r"(?i:(?:requirepass|masterauth|convertto-securestring)[ \t]{1,3}(?:-String[ \t])?|sqlplus[ \t]"
        r"(?:-\w{1,8}[ \t]){0,3}\w{1,40}/"
        r"|net use[ \t][^\n]{1,80}/user:\S{1,60}[ \t]|lftp[ \t]{1,3}-u[ \t]{1,3}[\w.@-]{1,60},"
        r"|secret set[ \t][\w-]{1,60}[ \t](?:--body|-b)[ \t=]{1,3}|snmp[a-z]{1,10}[ \t][^\n]{0,60}?-[AX][ \t])"
        r"[\"']?(?P<secret>[^\s\"'`<>@\x00]{4,300})",
        at_needle=True,
        holds=is_password,
    ),
    Rule(
        "password", ("auth ",), r"(?<![^\s>\"'])AUTH[ \t]{1,3}[\"']?(?P<secret>[^\s\"'`<>\x00]{6,300})", holds=is_random
    ),
    Rule(
        "password",
        ("-k", "-pass"),
        r"-(?:k|pass)[ \t]{1,3}[\"']?(?P<secret>[^\s\"'`<>\x00-][^\s\"'`<>\x00]{3,200})",
        also=("openssl enc",),
        before=_AFTER_COMMAND.replace("%s", "openssl"),
        holds=is_argument,
    ),
    Rule(
        "snmp password",
        ("-x ",),
        r"-X[ \t]{1,3}[\"']?(?P<secret>[^\s\"'`<>\x00]{4,200})",
        also=("snmp",),
        before=_AFTER_COMMAND.replace("%s", "snmp[a-z]{1,10}"),
    ),
)
