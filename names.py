"""Says what a name announces of the value beside it, a password, a token, a key or nothing; it never sees a value.

A module of its own, because the lists of words grow with every tool that names its secrets in its own way; what reads them does not."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from .looks import PLACEHOLDER


class Name(NamedTuple):
    """What a name announces: a kind of secret, and whether any value counts (`sure`) or only one that looks drawn at random."""

    kind: str
    sure: bool = True


_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TRAILERS = frozenset(
    "0 1 2 3 4 5 6 7 8 9 64 prod production dev development stage staging test testing live old new base value plain plaintext raw "
    "string confirm confirmation b64 base64 hex encoded default main backup data current previous".split()
)
"""Words after the telling one that change nothing: SECRET_KEY_BASE, password2, client-key-data."""
_LAST: dict[str, Name] = {
    **dict.fromkeys(
        "password passwords passwd passphrase passcode pwd pw psk passwort kennwort senha contrasena mnemonic requirepass "
        "masterauth".split(),
        Name("password"),
    ),
    **dict.fromkeys("secret".split(), Name("secret")),
    **dict.fromkeys("token jwt bearer".split(), Name("token")),
    "oauth": Name("token", sure=False),
    **dict.fromkeys("apikey accesskey secretkey privatekey authkey accountkey encryptionkey signingkey masterkey".split(), Name("key")),
    **dict.fromkeys("authorization".split(), Name("auth")),
    **dict.fromkeys("cookie cookies".split(), Name("cookie")),
    **dict.fromkeys("credential credentials cred creds".split(), Name("credential")),
    **dict.fromkeys("auth sig pat".split(), Name("auth", sure=False)),
    **dict.fromkeys("jsessionid phpsessid sessid sessionid aspxauth".split(), Name("session", sure=False)),
    **dict.fromkeys("pass".split(), Name("password", sure=False)),
}
_ENDINGS = ("password", "passwd", "passphrase", "pwd", "secret", "apikey", "token")
_PASS_BEFORE = frozenset(
    "db user smtp pg my mysql root admin ftp http https proxy mail imap redis ldap ssh app store key srcstore srckey deststore "
    "destkey wifi".split()
) | {"sudo"}
_SURE_KEYS = frozenset(
    "api access secret private priv auth encryption encrypt signing sign master account shared subscription functions rapidapi hmac "
    "jwt preshared unseal".split()
)
_MAYBE_KEYS = frozenset("session storage webhook integration consumer service client app server admin root deploy ssh aes rsa".split())
_NO_KEYS = frozenset("PUBLIC PRIMARY FOREIGN SORT CACHE PARTITION".split())
_PHRASES = frozenset("seed recovery secret pass mnemonic backup".split())
_MANY = frozenset("access api auth refresh client secret bearer session private".split())
_NO_TOKEN = frozenset(
    "next page continuation sync cursor expected unexpected end start eos bos pad unk sep cls mask stop special image audio per first last "
    "prev max min n num total prompt completion input output cached reasoning each every byte word sub no non".split()
)
"""Words before `token` that make it a unit of text or a page mark."""
_FOLDERS = frozenset(("PWD", "OLDPWD"))
_VAULTS = ("BW_SESSION", "OP_SESSION_")
"""Variables that hold the key of a password manager while it is open."""
_FOREIGN = re.compile(r"(?:contraseña|mot[ _-]de[ _-]passe|密码|密碼|口令|パスワード|пароль)(?!\w)", re.IGNORECASE)
"""`password` where its letters are not those of English."""


@lru_cache(maxsize=4096)
def named(name: str) -> Name | None:
    """What a name announces; None for an ordinary one, and for one that was masked."""
    name = name if name.isascii() else unicodedata.normalize("NFKC", name)  # letters of full width and the like
    if name.startswith(_VAULTS):
        return Name("session", sure=False)
    words = [
        word.lower() for word in _PARTS.findall(name[:200] if name.isascii() and " " not in name else _FOREIGN.sub("password", name[:200]))
    ]
    while len(words) > 1 and words[-1] in _TRAILERS:
        words.pop()
    if not words or name in _FOLDERS or PLACEHOLDER.search(name):
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last == "oauth" and not before:  # the user of an address: `https://oauth2:…@host`
        return None
    if last in ("tokens", "secrets", "keys"):
        return Name(last[:-1], before in _MANY) if before in _MANY or last == "secrets" else None
    if last == "key":
        return _key(name, before)
    if last == "token" and before in _NO_TOKEN or last == "phrase" and before not in _PHRASES:
        return None
    if last == "pass" and before:
        return Name("password")
    return Name("password") if last == "phrase" else _LAST.get(last) or _spelled(last)


def _key(name: str, before: str) -> Name | None:
    if before in _SURE_KEYS:
        return Name("key")
    upper = name.isupper() and before and before.upper() not in _NO_KEYS
    return Name("key", sure=False) if before in _MAYBE_KEYS or upper else None


def _spelled(last: str) -> Name | None:
    """What a word announces that ends like a listed one: `PGPASSWORD`, `githubtoken`, `dbpass`."""
    for ending in _ENDINGS:
        if last.endswith(ending):
            return _LAST[ending]
    stem = last.removesuffix("pass").removesuffix("pw")
    return Name("password") if stem != last and stem in _PASS_BEFORE else None
