"""What is typed for each command, in one table, and what is said to a word that fits none; it carries nothing out.

A module of its own, because the table grows with every command and is read for help, errors and options, where nothing may happen."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from . import switches
from .asking import Answer, Ask
from .model import PREFIX, Usage

MOST_WORDS, MOST_VALUES = 20, 60
NONE, ONE, SOME = (0, 0), (1, 1), (0, 1)


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: what is typed after the lead, what it does in a few words, what more a person may want to know, an example, and how many
    words it takes."""

    usage: str
    what: str
    more: str
    example: str
    words: tuple[int, int]


def unknown(word: str, ask: Ask) -> Usage:
    """The error of a word that is no command."""
    return Usage(f"There is no command {word[:40]!r}.{_nearest(word, ask)} Commands: {', '.join(VERBS)}.")


def _nearest(word: str, ask: Ask) -> str:
    """What may have been meant by a word that is no command: one that is spelt alike, or a kata to be shown."""
    if re.fullmatch(rf"[0-9]{{1,9}}|{PREFIX}[a-z0-9_]+", word):
        return f" Did you mean '{ask.lead} show {word[:60]}'?"
    near = difflib.get_close_matches(word[:40], VERBS, 1, 0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def misused(verb: str, ask: Ask) -> Usage:
    """The error of a command with too few or too many words, or with others than it takes."""
    one = VERBS[verb]
    if not one.words[1]:
        return Usage(f"Expected: {ask.lead} {verb}, and no word after it")
    where = f" '{ask.lead} list' shows the numbers." if "N" in one.usage.split() else ""
    return Usage(f"Expected: {ask.lead} {one.usage}; for example: {ask.lead} {one.example}.{where}")


def number(verb: str, word: str, ask: Ask) -> int:
    """A version's number as it is typed, `2` or `v2`."""
    found = re.fullmatch(r"[vV]?([0-9]{1,9})", word, re.ASCII)
    if found is None:
        raise misused(verb, ask)
    return int(found[1])


def explained(ask: Ask) -> Answer:
    """All commands, or more about the one that was named."""
    if not ask.words:
        return Answer(page(ask.lead), {name: verb.what for name, verb in VERBS.items()})
    word = ask.words[0].lower()
    if word not in VERBS:
        raise unknown(word, ask)
    verb = VERBS[word]
    what = f"  {verb.what[0].upper()}{verb.what[1:]}."
    taken = switches.shown({**switches.OPTIONS.get(word, {}), **switches.EVERYWHERE})
    lines = [f"{ask.lead} {verb.usage}", what, f"  {verb.more}", f"  For example: {ask.lead} {verb.example}", f"  Options: {taken}"]
    return Answer("\n".join(lines), {"usage": verb.usage, "what": verb.what, "more": verb.more, "example": verb.example})


def page(lead: str) -> str:
    """All commands, each in a line."""
    lines = ["Kata finds routines that you repeat; each that you approve becomes one tool.", ""]
    lines += [f"  {lead} {verb.usage:<20} {' ' * (len(verb.usage) > 20)}{verb.what}" for verb in VERBS.values()]
    lines += ["", f"N is a number of the list, or a name. --json gives JSON. More about one: {lead} help VERB"]
    return "\n".join(lines)


VERBS: Mapping[str, Verb] = {
    "list": Verb("list", "proposals and katas", "It is what you get without any command, too.", "list", NONE),
    "review": Verb(
        "review N [all]",
        "all about one: effects, data flow, checks",
        "It counts as shown: 'approve' then takes exactly this revision, in the place where you looked at it. With 'all' it names "
        "everything that is expected of the answers, and what each value was in every example.",
        "review 2",
        (1, 2),
    ),
    "approve": Verb(
        "approve N as NAME",
        "make it the tool kata_NAME for the agent",
        "It takes the revision that you reviewed last in the same place; without a review it shows the page and approves nothing. "
        "A name has small letters, digits and _; a kata that has one keeps it without 'as NAME'. What can destroy something is approved "
        "with its name typed twice: approve N as NAME confirm NAME. A script in a shell names the revision with --digest instead.",
        "approve 2 as deploy_preview",
        (0, MOST_WORDS),
    ),
    "reject": Verb("reject N", "never propose it again", "It is for proposals; 'disable' is for what is a tool already.", "reject 2", ONE),
    "snooze": Verb(
        "snooze N",
        "put a proposal away for 30 days",
        "It is not listed and not told about meanwhile; then it is told about once more.",
        "snooze 2",
        ONE,
    ),
    "edit": Verb(
        "edit N WHAT …",
        "change texts, inputs or steps under review",
        "edit N help TEXT; edit N input NAME name|help|default|choices VALUE ('none' takes it away); edit N drop STEP. It is the next "
        "version, checked again, and waits for an approval; mining puts nothing in its place. What is active is disabled first.",
        "edit 2 input branch help 'the branch to show'",
        (2, MOST_VALUES),
    ),
    "merge": Verb(
        "merge N with M",
        "one proposal for two that overlap",
        "For proposals that have steps in a row in common. What comes of it is learnt from times that the whole was done in one go, is "
        "checked as any other, and waits for an approval; the two are not told about while it stands.",
        "merge 2 with 3",
        (2, 3),
    ),
    "extend": Verb(
        "extend NAME with N",
        "add the further steps of a proposal",
        "For a kata in use and what overlaps it: a proposal with the steps of both. Approved under the same name it takes the place of the "
        "kata, which is disabled then and keeps its versions as NAME_before; until then nothing changes.",
        "extend deploy_preview with 3",
        (2, 3),
    ),
    "separate": Verb(
        "separate N from M",
        "keep two that overlap apart",
        "They are two things: neither is named beside the other any more.",
        "separate 2 from 3",
        (2, 3),
    ),
    "undo": Verb(
        "undo",
        "take the last decision back, for a day",
        "The last approve, reject, snooze, disable, enable, rollback, rename, edit, wrong, trust, forget, merge, extend, separate or "
        "'near … review', from wherever it was made, unless something else happened to that kata since.",
        "undo",
        NONE,
    ),
    "show": Verb(
        "show N",
        "what one does, versions, latest runs",
        "Any kata, by number or name; unlike 'review' it is no ground for an approval.",
        "show kata_deploy_preview",
        ONE,
    ),
    "disable": Verb(
        "disable NAME",
        "take the tool away from the agent",
        "Also what is stale or suspended stays away then. It holds in running chats from the next message on; 'enable' gives it back.",
        "disable deploy_preview",
        ONE,
    ),
    "enable": Verb(
        "enable NAME",
        "give it back, checked again",
        "What is disabled, suspended or stale comes back when it passes all checks with the tools as they are today.",
        "enable deploy_preview",
        ONE,
    ),
    "trust": Verb(
        "trust NAME",
        "let it run unasked everywhere",
        "For what only reads and writes locally: it is not asked about in a folder that is new to it, nor where the setting 'ask' is "
        "always. It holds for this revision; what acts elsewhere, destroys or is not known asks on every run and cannot be trusted.",
        "trust deploy_preview",
        ONE,
    ),
    "bind": Verb(
        "bind NAME INPUT VAR",
        "take a secret from the environment",
        "For an input that is a secret: when the kata runs it is read from that variable of the environment of Hermes, unless the caller "
        "gives one. Write its name without '$', or your shell puts the secret there. The name is kept, the secret is not, and no answer, "
        "page or log shows it. 'none' in place of VAR takes that back.",
        "bind deploy_preview token DEPLOY_TOKEN",
        (3, 3),
    ),
    "untrust": Verb(
        "untrust NAME",
        "take that trust back",
        "From the next message on it asks again where it would have asked before.",
        "untrust deploy_preview",
        ONE,
    ),
    "rename": Verb(
        "rename NAME NEW",
        "give it another name",
        "The tool has the new name in running chats from the next message on.",
        "rename deploy_preview preview",
        (2, 3),
    ),
    "rollback": Verb(
        "rollback NAME V",
        "go back to version V, checked again",
        "Any version that was approved before; it must pass all checks with the tools as they are today. 'show' lists the versions.",
        "rollback deploy_preview 1",
        (2, 2),
    ),
    "diff": Verb(
        "diff NAME [V1 V2]",
        "what changed between two versions",
        "Without numbers: the version in use against the one that waits, else the last two. What is gone and what is new is marked.",
        "diff deploy_preview 1 2",
        (1, 3),
    ),
    "relax": Verb(
        "relax N CHECK",
        "let one expected thing not count",
        "CHECK is a step and a letter, as 'review' names what is expected of answers. It is the next version of the kata, and stays "
        "relaxed when the routine is learnt anew.",
        "relax deploy_preview 2c",
        (2, 2),
    ),
    "forget": Verb(
        "forget N",
        "lift a rejection",
        "What you rejected is a proposal again, as far as what is recorded still speaks for it.",
        "forget 2",
        ONE,
    ),
    "runs": Verb(
        "runs [NAME or RUN]",
        "what recent runs did, step by step",
        "With the id of a run it shows that one whole: calls, reasons, answers, and what may still be running.",
        "runs deploy_preview",
        SOME,
    ),
    "run": Verb(
        "run NAME [KEY=VALUE]",
        "run one yourself, without a model",
        "Each input as KEY=VALUE. In a shell you are asked before each step that does more than read; without a terminal such a kata is "
        "refused, and no option says yes. In a chat only what reads runs. --dry-run shows what it would do and does nothing; "
        "--on-change says nothing where it ends well with the result of the last time; --cron '0 9 * * 1' prints the line for a timetable "
        "and installs nothing.",
        "run deploy_preview branch=main --dry-run",
        (1, MOST_VALUES),
    ),
    "resume": Verb(
        "resume RUN",
        "go on with a run that stopped",
        "In a shell, where you are asked before each step that does something; --with NAME=VALUE gives a value that was not kept. In a "
        "chat it tells what is left, and the agent goes on.",
        "resume 1f2e3d4c5b6a",
        (1, 3),
    ),
    "savings": Verb(
        "savings [NAME]",
        "what katas saved or cost, and a verdict",
        "Model requests, tokens and seconds against the measured times by hand; searches for the tool, failed runs and the line in the "
        "prompt are subtracted, so it may be less than nothing. For one kata also its uses, and when the agent did its work by hand.",
        "savings deploy_preview",
        SOME,
    ),
    "what-if": Verb(
        "what-if NAME [TURN]",
        "what it would have called in a past turn",
        "Nothing is run: the recorded calls are compared with those that the kata would have made. Without TURN every time by hand since "
        "its revision was proposed; three equal ones in a row prove it.",
        "what-if deploy_preview",
        (1, 2),
    ),
    "wrong": Verb(
        "wrong RUN",
        "what that run did was wrong",
        "Its kata is a proposal again and no tool, until you approve it once more; the run counts as failed.",
        "wrong 1f2e3d4c5b6a",
        ONE,
    ),
    "export": Verb(
        "export NAME",
        "print it for somebody else",
        "--format json (with a digest, for 'import'), skill (a SKILL.md that any agent can follow) or shell (a script, where every step "
        "is a command); --to FOLDER writes it there, a skill as a folder of its own. What tells of you or of this machine is named "
        "first, and leaves with --yes only.",
        "export deploy_preview --format skill",
        (1, 2),
    ),
    "import": Verb(
        "import FILE",
        "take one in as a proposal",
        "In a shell. Its digest is checked, its effects are judged here, and folders, hosts and names of others are bound with --bind "
        "OLD=NEW. It is a proposal until you approve it.",
        "import deploy.json --bind /home/ann=/home/ben",
        ONE,
    ),
    "stop": Verb(
        "stop RUN",
        "end a run before its next step",
        "A run by its id, or a kata that runs by its name, of any process.",
        "stop 1f2e3d4c5b6a",
        ONE,
    ),
    "near": Verb(
        "near [ID [review]]",
        "routines seen but not proposed, and why",
        "Each with the one rule that it fails, the one odd example if there is one, and the smallest change that would do. With 'review' "
        "one becomes a proposal all the same, marked with that rule; what protects a run cannot be passed over.",
        "near 3f9a12cd review",
        (0, 2),
    ),
    "mine": Verb(
        "mine [all]",
        "look for routines now",
        "Every turn is looked at when it ends; this takes those that still wait, and with 'all' everything that is kept once more.",
        "mine all",
        SOME,
    ),
    "teach": Verb(
        "teach [N] [--vary NAME=TEXT]",
        "make the last calls one tool",
        "The calls of the last turn, or the last N calls, become a proposal at once. What stands as TEXT in them becomes the input NAME; "
        "--vary may be said several times. Taught once more, with other values, it learns from both.",
        "teach --vary branch=feature-x",
        (0, MOST_WORDS),
    ),
    "learn": Verb(
        "learn [--since DAYS] [--preview]",
        "learn from what Hermes kept",
        "It reads the conversations of the last days that Hermes has in its own history, as many as 'retention_days' says unless you say "
        "otherwise, and changes nothing there. What counts already does not count again; with --preview it only tells what it would find.",
        "learn --since 90 --preview",
        (0, 3),
    ),
    "audit": Verb(
        "audit [N|verify]",
        "who decided what when",
        "All decisions or those about one kata; 'verify' tells whether the log is as it was written.",
        "audit verify",
        SOME,
    ),
    "purge": Verb(
        "purge KIND WORD",
        "erase what holds WORD; lists it first",
        "KIND is conversation, tool, path or text. Turns, runs, examples and katas that hold it are listed; with 'yes' at the end they go.",
        "purge path /srv/secret-project",
        (2, 3),
    ),
    "cleanup": Verb(
        "cleanup",
        "erase all that Kata keeps; lists it first",
        "With 'yes' it is done, and the file is gone. With --purge you are asked at the terminal, once you have seen the list. The note of "
        "what was hidden or erased before goes too: a later 'learn' reads that in Hermes' own history like all else.",
        "cleanup --purge",
        (0, 2),
    ),
    "repair": Verb(
        "repair",
        "save what a damaged file still holds",
        "What can be read goes into a new file, and the old one is kept beside it. A file that is sound is left as it is.",
        "repair",
        NONE,
    ),
    "incognito": Verb(
        "incognito",
        "the next message here is not recorded",
        "It holds in the chat in which it is typed, for one message and all that is done for it, and ends by itself. Runs of katas are "
        "written down all the same, so that they can be resumed.",
        "incognito",
        NONE,
    ),
    "record": Verb(
        "record on|off",
        "resume or pause the recording",
        "It holds everywhere from the next message on; approved katas go on working.",
        "record off",
        ONE,
    ),
    "status": Verb(
        "status",
        "whether it records, and what it keeps",
        "It names the file, the settings, what could not be kept and why, and what is odd about the host.",
        "status",
        NONE,
    ),
    "help": Verb("help [VERB]", "all commands, or more about one", "Every command also takes --json.", "help approve", SOME),
}
