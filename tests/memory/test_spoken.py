"""Secrets that are said in words, and their harmless twins."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from agentmem.domain.claim import Claim
from agentmem.domain.clock import Clock
from agentmem.domain.desk import Desk
from agentmem.domain.message import Reply, Text, ToolCall
from agentmem.domain.places import Places
from agentmem.domain.tool import ToolResult
from agentmem.memory.claims import extract_from, propose_in
from agentmem.memory.manage import noting
from agentmem.memory.memory import new_session, without_secrets
from agentmem.memory.write import gate
from agentmem.memory.write.description import describes
from agentmem.memory.write.redact import Redactor, said, spans
from agentmem.memory.write.secrecy import secret

# What was said, and what of it is the secret.
SECRETS = [
    ("the password is correcthorsebattery", "correcthorsebattery"),
    ("The password for staging is swordfish.", "swordfish"),
    ("the password of the db is hunter, use it", "hunter"),
    ("the password is swordfish for the staging server", "swordfish"),
    ("the password is still shadow", "shadow"),
    ("my password was swordfish", "swordfish"),
    ("db password: hunter", "hunter"),
    ("**Password:** sunshine", "sunshine"),
    ("Password - sunshine", "sunshine"),
    ("password: 123456", "123456"),
    ("pw: hunter", "hunter"),
    ("pwd=letmein", "letmein"),
    ("root password = dragon", "dragon"),
    ('{"password": "hunter"}', "hunter"),
    ("the db password is `letmein`", "letmein"),
    ("our wifi password is 'Sommer regen'", "Sommer regen"),
    ("the wifi key is Sommerregen", "Sommerregen"),
    ("my PIN is 4711", "4711"),
    ("use PIN 4711", "4711"),
    ("PIN for the door: 47 11", "47 11"),
    ("ok:\nPIN: 4711", "4711"),
    ("the door code is 4711", "4711"),
    ("the verification code is 918273", "918273"),
    ("passphrase: correct horse battery staple", "correct horse battery staple"),
    ("the passphrase is correct horse battery staple", "correct horse battery staple"),
    ("seed phrase: legal winner thank year wave", "legal winner thank year wave"),
    ("the password is correct-horse-battery-staple", "correct-horse-battery-staple"),
    ("the password is purple monkey dishwasher banana", "purple monkey dishwasher banana"),
    ("set the password to swordfish", "swordfish"),
    ("change my password to monkey", "monkey"),
    ("the password for the router is set to opensesame", "opensesame"),
    ("swordfish is the password", "swordfish"),
    ("hunter is my wifi password", "hunter"),
    ("4711 is my PIN", "4711"),
    ("login is admin / swordfish", "swordfish"),
    ("login: admin/swordfish", "swordfish"),
    ("credentials are bob:hunter", "hunter"),
    ("log in as admin / swordfish", "swordfish"),
    ("log in as admin with password swordfish", "swordfish"),
    ("user admin, password swordfish", "swordfish"),
    ("the api key is swordfishy", "swordfishy"),
    ("the client secret is opensesame", "opensesame"),
    ("the password (staging): swordfish", "swordfish"),
    ("db_password: tulip", "tulip"),
    ("the password's swordfish", "swordfish"),
    ("the password we use is swordfish", "swordfish"),
    ("the master password is mypreciousring", "mypreciousring"),
    ("the safe combination is 12-34-56", "12-34-56"),
    ("basic auth: bob/builder", "builder"),
    ("das Passwort ist Sommerregen", "Sommerregen"),
    ("le mot de passe est sommeil", "sommeil"),
]
HARMLESS = """
the password is stored in 1Password
the password is in 1Password
the password is kept in Vault
the password is required
the password is wrong
the password is hashed with bcrypt
the password is empty
the password is optional
the password is case-sensitive
the password is base64-encoded
the password is at least 12 characters
the password is different from the user name
the password is the same as on staging
the password is never logged
the password is not set
the password is visible in the logs
the password is John's responsibility
the password must be 12 characters long
the password field is required
the password reset is broken
the password column is varchar
password policy: 12 characters
password manager: Bitwarden
password: required
password: string
password: see 1Password
passwords: never in the repo
passwords are salted and hashed
passphrase: the one from 1Password
reset the password weekly
set the password to null
change the password to something stronger
change your passwords to reduce the risk
Vault is our password manager
bcrypt is the password hash
this is the password
what is the password
api key lives in .env
API key: see .env
the api key is required
the access token is short-lived
the token expires after 30 minutes
the token is opaque
the session token is refreshed on login
token: Identifier
access token: Identifier
the key is that we cache early
the secret is consistency
the primary key is id
the private key is on the server
the deploy key is read-only
password = os.environ["X"]
password = getpass()
password=$DB_PASSWORD
password: ${DB_PASSWORD}
password=<your password>
password: "changeme"
password = user_input
if password == expected
pwd=/home/ana
the PIN is required
the exit code is 1234
the door code module is done
test results: pass
second pass: codegen
login: redirects to /home
the password's length is checked
the password is a required field
the secret key is loaded from env
the pin is 13
pin the version to 2024
pin numpy: 1.26
the 2fa code is six digits
the login is slow
login is slow and buggy
login: SSO/SAML
login with Google / GitHub
login with email / password
login is via /login
credentials are in Vault / 1Password
log in with username and password
log in as a user with password authentication
"""
IN_CODE = "```\npassword: hunter\n```\n"


def marked(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in said(text)]


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_a_secret_that_is_said_in_words_is_one(text: str, value: str) -> None:
    assert marked(text) == [value]
    assert secret(text)


@pytest.mark.parametrize("text", [*HARMLESS.strip().split("\n"), IN_CODE])
def test_what_speaks_of_secrets_and_tells_none_is_left_alone(text: str) -> None:
    assert marked(text) == []
    assert not secret(text)


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_what_a_program_prints_or_holds_is_not_read_as_speech(text: str, value: str) -> None:
    assert spans(text) == []


def test_a_secret_that_a_rule_finds_too_is_marked_once() -> None:
    token = "ghp_" + "a1B2" * 9
    assert marked(f"the password is {token} today") == [token]


@pytest.mark.parametrize(("word", "says"), [("stored", True), ("swordfish", False), ("abc", True), ("1" * 13, True)])
def test_words_that_describe_a_secret(word: str, says: bool) -> None:
    assert describes(word) is says


@pytest.mark.parametrize(("text", "value"), SECRETS)
def test_the_gate_refuses_it_and_says_why(places: Places, clock: Clock, text: str, value: str) -> None:
    verdict = gate.propose(Claim(text), gate.Source(typed=True), Desk(places, clock))
    assert (verdict.outcome, verdict.text) == ("refused", None)
    assert verdict.reason.startswith("it holds a secret")


def every_byte(*folders: Path) -> bytes:
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "text", ["the staging password is correcthorsebattery", "our login is ana / correcthorsebattery"]
)
def test_its_words_are_in_no_file(places: Places, clock: Clock, text: str) -> None:
    (places.root / "memory").mkdir()
    session = new_session(places, clock, "0")
    session.record_user([Text(f"We use pnpm. And {text}!", "person")])
    call = ToolCall("t1", "remember", {"text": text, "quote": text})
    session.record_reply(Reply((Text(f"Noted: {text}", "agent"), call), "tool_use"))
    verdict = propose_in(session, Claim(text, quote=text))
    session.record_result(call, ToolResult(verdict.reason, error=True), 1)
    session.record_reply(Reply((Text("I do not keep correcthorsebattery.", "agent"),), "end"))
    kept = extract_from(session, lambda: True)
    session.close()
    noting.close(session, clock)
    assert verdict.outcome == "refused"
    assert [one.text for one in kept] == ["We use pnpm."]
    log = every_byte(places.sessions).decode()
    assert log.count("[redacted: password ") == 5
    assert "[withheld: a claim that was refused]" in every_byte(places.inbox).decode()
    assert b"correcthorsebattery" not in every_byte(places.root, places.home)
    assert json.loads((places.root / "memory" / "ledger.jsonl").read_text())["text"] == "We use pnpm."


def test_a_password_that_was_told_is_known_again() -> None:
    redactor = Redactor(lambda: b"k" * 32)
    told = redactor.said("the password is opensesame")
    mark = told.removeprefix("the password is ")
    assert redactor.said("is opensesame right? opensesames") == f"is {mark} right? opensesames"
    assert redactor.said("the password is hunter") != "the password is hunter"
    assert redactor.said("a hunter came") == "a hunter came"


def test_what_was_typed_is_marked_under_the_persons_own_key(places: Places) -> None:
    first, again = (without_secrets(f"{who} password is swordfish", places.home) for who in ("my", "your"))
    assert first.startswith("my password is [redacted: password ")
    assert first.removeprefix("my") == again.removeprefix("your")
    assert without_secrets("my test is red", places.home) == "my test is red"


HOSTILE = ["the password is ", "password: a ", "pin 1", "login ana / ", "set the ", "aaaa is the ", "user a ", "a/"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_no_time(piece: str) -> None:
    text = (piece * 20_000)[:60_000]
    begun = time.process_time()
    said(text)
    assert time.process_time() - begun < 2
