"""Secrets that are known by what is before them: the name of a field, a header, a user in a URL."""

from __future__ import annotations

from suture_client.text.secret_rule import Rule
from suture_client.text.secret_values import (
    EQUALS,
    FORM,
    IN_TEXT,
    PAIR,
    PASSWORD_NAME,
    SHOWN,
    SUFFIX,
    TOKEN_BARE,
    code,
    is_login,
    is_owned,
    is_password,
    is_random,
    is_secret,
    is_token,
    value_of,
)

RULES: tuple[Rule, ...] = (
    Rule(
        "basic auth credentials",
        ("://",),
        r"://[^\s:/@\"'<>]{0,200}+:(?!\d{1,5}/)(?P<secret>[^\s@/\"'<>]{1,500}+(?:/[^\s@/\"'<>.]{1,200}+|@[^\s@/\"'<>]{1,200}+(?=@))?)@",
        holds=lambda secret: code().match(secret) is None and secret.lower() not in SHOWN,
    ),
    Rule(
        "basic auth credentials",
        ("://",),
        r"://(?P<secret>[^\s:/@\"'<>\x00]{16,500}+)(?::(?:x-oauth-basic)?)?@",
        holds=is_random,
    ),
    Rule(
        "basic auth credentials",
        ("@",),
        r"@(?=(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b|localhost\b|[A-Za-z0-9.-]{1,63}:[0-9]{2,5}\b"
        r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b|[A-Za-z][A-Za-z0-9-]{1,40}(?![\w.@:-])|tcp\("
        r"|unix\(|\[)"
        r"(?!sha(?:256|512|1):)",
        before=r"(?<![\w.@/:+%-])(?!(?i:mailto|sips?|xmpp|acct|e?-?mail|from|to|cc|bcc|contact|by|author|npm|reply-to"
        r"|maintainer|git|ssh|image|docker|https?)['\"]?:)[A-Za-z][\w.+-]{0,40}:(?P<secret>"
        r"[^\s:/\"'<>,;\x00]{6,80})\Z",
        is_before=True,
        holds=is_login,
    ),
    Rule(
        "password",
        ("pass", "pwd", "psw", "pw"),
        rf"(?:{PASSWORD_NAME}|(?<![A-Za-z]{{2}})(?i:pass|pw)|(?<=[a-z])Pass){SUFFIX}(?:{EQUALS}|{PAIR}|{FORM})"
        rf"(?![A-Za-z][a-z]{{0,30}}[ \t][a-z]{{1,30}}[ \t][a-z]){value_of(5)}",
        at_needle=True,
        holds=is_password,
    ),
    Rule(
        "password",
        ("passphrase", "password", "passwort", "passcode"),
        r"(?i:password|passphrase|passwort|passcode)(?:[ \t]{1,3}(?i:for|of)[ \t][\w@.-]{1,40})?[ \t]{1,3}(?i:is"
        r"|was|to|ist|lautet)"
        r"[ \t:]{1,3}[\"'`]?(?P<secret>[^\s\"'`,;<>\x00]{5,100})",
        at_needle=True,
        holds=lambda secret: is_password(secret) and is_random(secret.rstrip(".")),
    ),
    Rule(
        "password",
        ("openssl",),
        r"(?<=[\s\"'])(?:pass|file-pass):(?P<secret>[^\s\"'`<>\x00]{3,200})",
        before=r"-(?:passin|passout|pass|passwd)[ \t]{1,3}[\"']?\Z",
        holds=is_password,
    ),
    Rule(
        "password",
        ("password", "passwd", "pwd", "pass"),
        r"(?i:password|passwd|pwd|pass)(?:[\"'][ \t]{0,3},)?[ \t]{1,3}(?:\"(?P<double>[^\"\n\x00]{5,200})\"|'"
        r"(?P<single>[^'\n\x00]{5,200})')",
        at_needle=True,
        also=("'", '"'),
        holds=is_login,  # PASSWORD 'x' in SQL, ('DB_PASSWORD', 'x') in code
    ),
    Rule(
        "secret keyword",
        ("auth",),
        rf"[_\"']auth{EQUALS}{value_of(16, TOKEN_BARE)}",
        holds=is_token,
    ),
    Rule(
        "honeycomb key",
        ("x-honeycomb-team",),
        r"(?i:x-honeycomb-team)[\"']?[:=]\s{0,5}[\"']?(?P<secret>[A-Za-z0-9]{22,64})",
    ),
    Rule(
        "password",
        ('", "', "', '", '","', "','"),
        r"\([ \t]{0,3}[rbu]?[\"'][^\"'\n]{1,80}[\"'][ \t]{0,3},[ \t]{0,3}[rbu]?[\"'](?P<secret>"
        r"[^\"'\n\x00]{4,200})[\"'][ \t]{0,3}\)",
        also=("auth", "login", "credential"),
        before=r"(?i:auth|login|authenticate|credentials?)[ \t]{0,3}=?[ \t]{0,3}\Z",
        holds=is_password,
    ),
    Rule(
        "password",
        ("</",),
        r"<(?:[\w.-]{1,30}:)?[\w.-]{0,40}(?i:password|passwd|passphrase|pwd|pass)>[ \t]{0,5}(?:<!\[CDATA\[)?"
        r"(?P<secret>[^<>\n\x00\]]{4,300})(?=\]|</)",
        holds=is_password,
    ),
    Rule(
        "secret keyword",
        ("</",),
        r"<(?:[\w.-]{1,30}:)?[\w.-]{0,40}(?i:token|secret|key)>[ \t]{0,5}(?:<!\[CDATA\[)?"
        r"(?P<secret>[^<>\s\x00\]]{12,500})(?=\]|</)",
        holds=is_secret,
    ),
    Rule(
        # in HTML, in a property list, in a table
        "password",
        ("password", "passwd", "passphrase", "pwd", "pass"),
        r"(?i:password|passwd|passphrase|pwd|pass)[*_]{0,2}(?:[\"']?[ \t]?(?:</[\w:.-]{1,20}>\s{0,10}<"
        r"[\w:.-]{1,20}>|>)|[ \t]{0,9}\|[ \t]{0,9})"
        r"[`*_]{0,2}(?P<secret>[^\s<>|`*\x00]{5,300})",
        at_needle=True,
        holds=is_login,
    ),
    Rule(
        "secret keyword",
        ("key", "token", "secret"),
        r"(?i:key|token|secret)[*_]{0,2}(?:[\"']?[ \t]?(?:</[\w:.-]{1,20}>\s{0,10}<[\w:.-]{1,20}>|>)|"
        r"[ \t]{0,9}\|[ \t]{0,9})"
        r"[`*_]{0,2}(?P<secret>[A-Za-z0-9+/=_.-]{16,500})",
        at_needle=True,
        holds=is_token,
    ),
    Rule(
        "password",
        ("login", "credential", "creds", "user"),
        r"(?i:login|credentials?|creds|user(?:name)?)[ \t]{0,3}[:=][ \t]{0,3}[\w.@+-]{1,60}[ \t]{1,3}/[ \t]{1,3}"
        r"(?P<secret>[^\s\"'`,;<>\x00]{6,100})",
        at_needle=True,
        holds=lambda secret: is_password(secret) and is_random(secret),
    ),
    Rule(
        "secret keyword",
        ("token", "secret"),
        # a long word, in quotes as in JSON, in a line of a file, or for a variable of the environment
        r"(?i:token|secret)(?:[\"'][ \t]{0,3}:[ \t]{0,3}[\"']|(?<=TOKEN)=[\"']?|(?<=SECRET)=[\"']?)"
        r"(?P<secret>[A-Za-z0-9]{12,500})(?=[\"'\s]|\Z)",
        at_needle=True,
        holds=is_secret,
    ),
    Rule(
        "secret keyword",
        ("token", "secret"),
        r"(?im)^[ \t]{0,20}[\w.-]{0,40}(?:token|secret)(?:=|:[ \t][\"'])(?P<secret>[a-z0-9]{12,500})[\"']?\r?$",
        holds=is_secret,
    ),
    Rule(
        "cookie",
        ("cookie", "-b "),
        r"(?:[cC](?i:ookies?)[\"']?\]?[ \t]{0,5}[:=][ \t]{0,5}[\"'`]?|(?<=[ \t])(?:-b|--cookie)[ \t=]{1,3}[\"']?)"
        r"(?P<secret>[^\n\r\"'`{]{8,4000})",
        each=r"(?<![^\s;,:=\"'`])[^\s=;,\x00]{1,80}=(?P<secret>[^\s;,\"'\x00]{8,}+)",
        holds=is_random,
    ),
    Rule(
        "authorization header",
        ("authorization",),
        r"(?i:authorization)[\"'`]?\]?\)?[ \t]{0,5}(?:=>|[:=,])\s{0,5}[rbuf]?[\"'`]?"
        r"(?:(?i:basic|bearer|token|apikey|api-key|ssws|digest|negotiate|ntlm|key|hmac|splunk|genie-?key|pve"
        r"[a-z]{0,8}|"
        r"bot|dpop|oauth|zoho-oauthtoken|klaviyo-api-key|apikey-v1|snowflake|jwt|splunk)[ \t=:]{1,5}(?i:token=)?"
        r"[\"']?)"
        r"(?P<secret>[A-Za-z0-9+/=._~:|!@-]{6,}+)",
        at_needle=True,
        holds=lambda secret: is_password(secret) and not secret.isalpha(),
    ),
    Rule(
        "authorization header",
        ("authorization",),
        r"(?i:authorization)[\"'`]?\]?[ \t]{0,5}(?:=>|[:=])[ \t]{0,5}[\"'`]?(?P<secret>[A-Za-z0-9+/=._~-]{12,}+)",
        at_needle=True,
        holds=is_token,
    ),
    Rule(
        "authorization header",
        ("bearer ",),
        r"(?i:bearer)[ \t]{1,3}(?P<secret>[A-Za-z0-9+/=._~-]{16,}+)",
        at_needle=True,
        holds=is_token,
    ),
    Rule(
        "signature",
        ("sig=", "signature=", "-token="),
        r"(?<=[?&;,\s\"'])(?i:sig|signature|x-(?:amz|goog|ms|oss)-(?:signature|security-token)|hmac)=(?P<secret>"
        r"[A-Za-z0-9%+/=_-]{20,}+)",
        holds=is_random,
    ),
    Rule(
        "secret keyword",
        ("token", "secret", "credential"),
        rf"(?i:token|secret|credentials?){SUFFIX}(?:{EQUALS}|{PAIR}|{FORM}|{IN_TEXT}){value_of(10, TOKEN_BARE)}",
        at_needle=True,
        holds=is_token,
    ),
    Rule(
        "secret keyword",
        ("key",),
        rf"(?i:key){SUFFIX}(?:{EQUALS}|{PAIR}|{FORM}|{IN_TEXT}){value_of(12, TOKEN_BARE)}",
        at_needle=True,
        holds=is_token,
        name=is_owned,
    ),
)
