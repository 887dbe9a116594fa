"""The decisions of a person about proposals and katas: teach, approve, reject, name, trust, roll back, erase and the others; nothing is
decided that nobody asked for. A module of its own, because every way into use leads through it, and so what is asked of each stands in one
place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import books, checks, consent, editing, lifecycle, miner, secrecy, teaching
from .decisions import UNDO_S
from .model import PREFIX, Check, Erasure, Kata, Proposal, Refused, Spec, State, Step, Version, Wanted, parsed
from .reading import Reading, binding, revised
from .rows import NAME

RESERVED = frozenset(
    "list resume review approve reject runs status help show disable enable rollback mine near record run forget teach purge learn "
    "stop rename diff audit cleanup repair trust untrust bind export import relax savings what-if snooze undo wrong edit run "
    "incognito merge extend separate".split()
)


FROM, BY_CALLER = " from $", " is given by the caller"
"""How the log says where a secret input is taken from."""
SEEN = "programs"
"""The note that says where each program was found; an erasure empties it, and the next run fills it again."""


class Unseen(Refused):
    """What is to be approved was not shown on that surface, or changed since."""


class Unconfirmed(Refused):
    """What is to be approved destroys something, and its name was not typed once more."""


class Deciding(Reading):
    """The verbs that change what a kata is; each is one transition of the table in lifecycle, written down with who did it."""

    def teach(self, session: str, last: int, vary: Mapping[str, str]) -> tuple[Kata, tuple[str, ...]]:
        """Make a candidate of the calls of the last turn of a session (empty: of the newest turn), or of the `last` calls where that is not
        0, and what was left out; taught before, it is refined by this example. Refused, with the reason, when it cannot be one (T22)."""
        turns = self.store.recent(session, max(1, last))
        events = [event for turn in reversed(turns) for event in turn.events][-last:] if last else list(turns[0].events) if turns else []
        if not events:
            raise Refused("No call is recorded here yet: let the agent do it once, then teach it")
        found = teaching.lesson(turns[0].conversation, turns[0].id, events)
        known = self.store.alike(miner.fingerprint(found.keys))
        if known and (known.state is not State.CANDIDATE or not known.version.fit.taught):
            does = "a proposal already" if known.state is State.CANDIDATE else f"{known.state} {known.tool}".strip()
            raise Refused(f"These steps are kata {known.id}, {does}: look at it with 'show {known.id}'")
        version = known.version if known else None
        before = Proposal(version.spec, known.fingerprint, version.fit, tuple(version.exhibits)) if known and version else None
        made = teaching.taught(found, vary, before)
        checks = self.validated(made.spec, made.exhibits, taught=True)
        if failed := [check for check in checks if not check.passed]:
            raise Refused(f"These calls cannot be one tool: {'; '.join(check.reason for check in failed)}")
        kata = self.store.propose(replace(made, checks=checks), self.door.clock(), miner.window_id(made.keys)) or known
        if kata is None:
            raise Refused("These steps were decided about just now; nothing was taught")
        return kata, found.left

    def adopt(self, made: Proposal) -> Kata:
        """Keep what came from somebody else as a candidate, its effects judged and its tools as they are here (T71). Refused, with the
        reason, when it fails a check or is known already."""
        here = tuple(
            replace(step, effect=miner.judged(step.tool, step.arguments), schema=self.door.schema(step.tool) or "")
            for step in made.spec.steps
        )
        keys = miner.spelled(made.exhibits[0])
        made = replace(made, spec=replace(made.spec, steps=here), keys=keys, fingerprint=miner.fingerprint(keys))
        if known := self.store.alike(made.fingerprint):
            raise Refused(f"These steps are kata {known.id} already: look at it with 'show {known.id}'")
        checks = self.validated(made.spec, made.exhibits, taught=True)
        if failed := [check for check in checks if not check.passed]:
            raise Refused(f"It cannot be a kata here: {'; '.join(check.reason for check in failed)}")
        kata = self.store.propose(replace(made, checks=checks), self.door.clock(), miner.window_id(keys))
        if kata is None:
            raise Refused("These steps were decided about just now; nothing was imported")
        return kata

    def approve(self, word: str, name: str, surface: str, digest: str = "", confirm: str = "") -> Kata:
        """Make the revision that was shown last a tool (K4, K19, K90). `digest` stands for a review where a script
        approves; it may be shortened to 8 characters or more. `confirm` is the name once more, where a step destroys something (T44)."""
        kata = self.find(word)
        lifecycle.after("approve", kata)
        base = self.extended(kata)
        takes = base is not None and name.removeprefix(PREFIX) == base.name
        wanted = base.name if base and takes else self.chosen(name or kata.name, kata)
        shown = self._agreed(kata, surface, digest)
        self._confirmed(kata, wanted, confirm)
        self._passes(kata, kata.version)
        books.keep(self.store, kata)
        with self.store.bundle():
            if base and takes:
                self._make_way(base, kata, surface)
            also = parsed(self.store.noted("undo")) if takes else None
            done = self._decide(kata, "approve", surface, shown, name=wanted, approved=True)
            if also:
                self.store.remember(also=also)
        return done

    def _make_way(self, base: Kata, kata: Kata, surface: str) -> None:
        """Take a kata away from the agent whose name and place another gets; it keeps its versions under a name of its own."""
        names = (f"{base.name[:50]}_before{number or ''}" for number in range(1_000))
        aside = next(name for name in names if self.store.named(name) is None and not self.door.taken(PREFIX + name))
        verb = "rename" if base.state is State.DISABLED else "disable"
        self._decide(base, verb, surface, name=aside, detail=f"kata {kata.id} takes its place")

    def _confirmed(self, kata: Kata, wanted: str, confirm: str) -> None:
        """Refuse to approve what destroys something unless its name was typed twice (T44)."""
        numbers = [str(at) for at, step in enumerate(kata.version.spec.steps, 1) if destroys(step)]
        if numbers and confirm.removeprefix(PREFIX) != wanted:
            steps = f"Step{'s' * (len(numbers) > 1)} {', '.join(numbers)} of kata {kata.id} can destroy something"
            got = f", got {confirm[:60]!r}" if confirm else ""
            raise Unconfirmed(f"{steps}. If you want that, type its name once more: approve {kata.id} as {wanted} confirm {wanted}{got}")

    def _agreed(self, kata: Kata, surface: str, digest: str) -> str:
        """The whole digest of what was shown, which must be what is there now."""
        now = kata.version.spec.digest
        shown = self.store.shown(surface, kata.id) if not digest else now if len(digest) >= 8 and now.startswith(digest.lower()) else digest
        if not shown:
            raise Unseen(f"Kata {kata.id} was not reviewed here yet")
        if shown != now:
            raise Unseen(f"Kata {kata.id} is now revision {now[:12]}, not {shown[:12]}")
        return shown

    def chosen(self, name: str, kata: Kata) -> str:
        """The name without prefix, when it may be used for `kata`; Refused says what a name looks like."""
        wanted = name.removeprefix(PREFIX)
        if wanted.startswith(PREFIX):
            raise Refused(f"Every kata is called {PREFIX} and its name, so a name does not begin with {PREFIX} itself, got {name[:60]!r}")
        if wanted in RESERVED:
            raise Refused(f"The name {wanted!r} is a command of Kata; choose another")
        if not NAME.fullmatch(wanted):
            raise Refused(f"Expected a name of small letters, digits and _ that begins with a letter, at most 59 characters, got {name!r}")
        secrecy.unspoken(wanted)
        other = self.store.named(wanted)
        if other is not None and other.id != kata.id:
            raise Refused(f"The name {wanted!r} is taken by kata {other.id}; choose another")
        if other is None and self.door.taken(PREFIX + wanted):
            raise Refused(f"A tool {PREFIX + wanted} exists already and is not ours; choose another name")
        return wanted

    def reject(self, word: str, surface: str) -> Kata:
        """Decline a proposal for good (K88)."""
        return self._decide(self.find(word), "reject", surface)

    def snooze(self, word: str, surface: str) -> Kata:
        """Put a proposal away for 30 days; then it is told about once more (T68)."""
        kata = self._decide(self.find(word), "snooze", surface, detail="for 30 days")
        self.store.note("told", " ".join(one for one in self.store.noted("told").split() if one != str(kata.id)))
        return kata

    def wrong(self, word: str, surface: str) -> Kata:
        """Say that a run did what was wrong: its kata is a proposal again (T68). Refused where the kata was changed since."""
        run = self.store.run(word)
        kata = self.store.kata(run.kata) if run else None
        if run is None or kata is None:
            raise Refused(f"There is no run {word[:40]!r} of a kata that is still there")
        lifecycle.after("wrong", kata)
        if run.digest != kata.version.spec.digest:
            now = kata.version.spec.digest[:12]
            raise Refused(f"Run {run.id} was of revision {run.digest[:12]}; {kata.tool} is {now} now, of which no run was called wrong")
        return self._decide(kata, "wrong", surface, detail=f"run {run.id} did what was wrong")

    def edit(self, word: str, words: Sequence[str], surface: str) -> Kata:
        """Change what a kata under review is like (T69): its next version, after every check, which waits for an approval. Mining puts
        nothing in its place."""
        kata = self.find(word)
        lifecycle.after("edit", kata)
        secrecy.unspoken(" ".join(words[3:] if words[0].lower() == "input" else words[1:]))
        spec, exhibits = editing.edited(kata.version.spec, kata.version.exhibits, words)
        if (spec, exhibits) == (kata.version.spec, kata.version.exhibits):
            raise Refused("That is how it is already")
        found = self.validated(spec, exhibits, revised(kata, kata.version), **stood(kata.version))
        self._all_passed(kata, kata.version, found)
        proposal = Proposal(spec, kata.fingerprint, kata.version.fit, exhibits, found)
        digest, now = kata.version.spec.digest, self.door.clock()
        return self.store.edit(kata.id, proposal, digest=digest, actor=surface, now=now, detail=words[0].lower())

    def undo(self, surface: str) -> tuple[Kata, str]:
        """Take back the last decision of a person, up to a day later (T68): the kata as it was before, and the verb. Refused where that
        decision cannot be taken back, or its kata was changed since; what comes back into use passes every check first."""
        found = self.store.last()
        if found is None:
            raise Refused("There is no decision to take back")
        row, before = found
        if before is None:
            raise Refused(f"The last decision was {row.verb!r}, which cannot be taken back")
        if self.door.clock() - row.at > UNDO_S:
            raise Refused(f"The last decision, {row.verb!r}, is more than 24 hours old; it stays")
        kata = self.store.kata(before["kata"])
        version = self.store.version(before["kata"], before["version"])
        if kata is None or version is None:
            raise Refused(f"What was decided about by {row.verb!r} is not there any more")
        if before["state"] == State.ACTIVE.value and row.before != row.after:
            self._passes(kata, version)
        if before["name"]:
            self.chosen(before["name"], kata)
        also = before.get("also") or {}
        base = self.store.kata(also["kata"]) if also else None
        if base and also["state"] == State.ACTIVE.value:
            self._passes(base, base.version)
        with self.store.bundle():
            done = self.store.undo(before, surface, self.door.clock())
            if row.verb == "bind":
                self._rebound(done)
        self._stir(done, row.verb)
        return done, row.verb

    def _rebound(self, kata: Kata) -> None:
        """Take the secret inputs of a kata from where the newest decision that holds says."""
        told = self.store.beside(kata.id, "bind")
        for field in secrecy.fields(kata.version.spec):
            ends = (detail.removeprefix(field.name) for detail in told if detail.startswith((field.name + FROM, field.name + BY_CALLER)))
            self.store.note(binding(kata, field.name), next(ends, BY_CALLER).removeprefix(FROM).removeprefix(BY_CALLER))

    def disable(self, word: str, surface: str) -> Kata:
        """Take a kata away from the agent (K87)."""
        return self._decide(self.find(word), "disable", surface)

    def enable(self, word: str, surface: str) -> Kata:
        """Give a kata back that is disabled, suspended or stale, after every check (K87, A28)."""
        kata = self.find(word)
        lifecycle.after("enable", kata)
        if not self.store.approved(kata.id, kata.version.spec.digest):
            raise Refused(f"Nobody approved version {kata.version.number} of kata {kata.id} yet: {self._ways(kata)}")
        self._passes(kata, kata.version)
        return self._decide(kata, "enable", surface)

    def _ways(self, kata: Kata) -> str:
        """What can be done about a version that waits for an approval."""
        earlier = [one.number for one in self.versions(kata) if one.number != kata.version.number and self._usable(kata, one)]
        back = f"; or 'rollback {kata.name} {earlier[0]}' takes the one before" if earlier else ""
        return f"'review {kata.id}', then 'approve {kata.id}'{back}"

    def _usable(self, kata: Kata, version: Version) -> bool:
        """Whether a person approved that version, as the row and the audit log say (T42)."""
        return version.approved is not None and self.store.approved(kata.id, version.spec.digest)

    def rollback(self, word: str, number: int, surface: str) -> Kata:
        """Go back to an approved version, after every check with the tools as they are today (K91, A30)."""
        kata = self.find(word)
        lifecycle.after("rollback", kata)
        version = self.version(kata, number)
        if kata.state is State.ACTIVE and version.number == kata.version.number:
            raise Refused(f"{kata.tool} is at version {number} already")
        if not self._usable(kata, version):
            usable = ", ".join(str(one.number) for one in self.versions(kata) if self._usable(kata, one)) or "none"
            raise Refused(f"Version {number} of kata {kata.id} was never approved; approved: {usable}")
        self._passes(kata, version)
        return self._decide(kata, "rollback", surface, version=number, detail=f"from version {kata.version.number} to {number}")

    def rename(self, word: str, name: str, surface: str) -> Kata:
        """Give a kata another name; running chats know it by that from their next message on."""
        kata = self.find(word)
        lifecycle.after("rename", kata)
        wanted = self.chosen(name.lower(), kata)
        if wanted == kata.name:
            raise Refused(f"{kata.tool} has that name already")
        return self._decide(kata, "rename", surface, name=wanted)

    def trust(self, word: str, surface: str) -> Kata:
        """Let this revision run without asking, where the setting `ask` or another folder would ask (T40); Refused for all that does more
        than read and write locally."""
        kata = self.find(word)
        if kata.state is not State.ACTIVE:
            raise Refused(f"Kata {kata.id} is {kata.state}; only a kata that the agent may call can be trusted")
        if why := consent.barred(kata):
            raise Refused(f"{kata.tool} {why}")
        if self.trusted(kata):
            raise Refused(f"{kata.tool} is trusted already")
        return self._marked(kata, "trust", surface)

    def untrust(self, word: str, surface: str) -> Kata:
        """Take that trust back."""
        kata = self.find(word)
        if not self.trusted(kata):
            raise Refused(f"{kata.tool or f'Kata {kata.id}'} is not trusted; there is nothing to take back")
        return self._marked(kata, "untrust", surface)

    def bind(self, word: str, field: str, variable: str, surface: str) -> Kata:
        """Name the variable of the environment from which a secret input of a kata is taken when it runs (T43); an empty `variable` takes
        that back. The name is kept, never what the variable holds; what is no variable here is refused and not repeated, because a shell
        puts the secret itself in the place of `$NAME`."""
        kata = self.find(word)
        known = [one.name for one in secrecy.fields(kata.version.spec)]
        if field not in known:
            raise Refused(f"{kata.tool or f'Kata {kata.id}'} has no secret input {field!r}; it has {', '.join(known) or 'none'}")
        if variable and (not secrecy.VARIABLE.fullmatch(variable) or self.door.secret(variable) is None):
            raise Refused("Nothing was kept: expected the name of a variable that is set in the environment of Hermes, without '$'")
        with self.store.bundle():
            done = self._marked(kata, "bind", surface, f"{field}{FROM}{variable}" if variable else f"{field}{BY_CALLER}")
            self.store.note(binding(kata, field), variable)
        return done

    def _marked(self, kata: Kata, verb: str, surface: str, detail: str = "") -> Kata:
        """Write a decision down that leaves the kata in its state."""
        state, digest, now = kata.state, kata.version.spec.digest, self.door.clock()
        left = self.store.transition
        return left(kata.id, before=(state,), after=state, digest=digest, actor=surface, verb=verb, now=now, detail=detail)

    def relax(self, word: str, check: str, surface: str) -> Kata:
        """Let one learnt check of a kata not count any more (T50): its next version, after every check of the validator. What is in use
        goes on with it; all else waits for an approval. What is mined later keeps it relaxed."""
        kata = self.find(word)
        if kata.state is State.REJECTED:
            raise Refused(f"Kata {kata.id} is rejected; nothing is expected of it")
        spec = _relaxed(kata, check)
        found = self.validated(spec, kata.version.exhibits, revised(kata, kata.version), **stood(kata.version))
        self._all_passed(kata, kata.version, found)
        digest, now = kata.version.spec.digest, self.door.clock()
        return self.store.relax(kata.id, spec, found, digest=digest, actor=surface, now=now, detail=f"check {check}")

    def forget(self, word: str, surface: str) -> Kata:
        """Lift a rejection: it is a proposal again, as far as what is recorded still speaks for it (A29)."""
        return self._decide(self.find(word), "forget", surface)

    def erasable(self, kind: str, word: str) -> Erasure:
        """What `purge` would take: what belongs to a "conversation", or uses a "tool", or holds a "path" or a "text"."""
        return self.store.erasable(Wanted(kind, word))

    def purge(self, kind: str, word: str, surface: str) -> Erasure:
        """Erase what `erasable` lists, the examples in proposals and katas with it; what is left is looked at again."""
        done = self.store.purge(Wanted(kind, word), surface, self.door.clock(), self.settings.min_support)
        self.store.note(SEEN, "")
        return done

    def _passes(self, kata: Kata, version: Version) -> None:
        checks = self.validated(version.spec, version.exhibits, revised(kata, version), **stood(version))
        self._all_passed(kata, version, checks)

    def _all_passed(self, kata: Kata, version: Version, checks: Sequence[Check]) -> None:
        failed = [check for check in checks if not check.passed]
        if failed:
            reasons = "; ".join(f"{check.name}: {check.reason}" for check in failed)
            which = f"Version {version.number} of kata" if version.number != kata.version.number else "Kata"
            raise Refused(f"{which} {kata.id} does not pass every check any more: {reasons}")

    def _decide(
        self,
        kata: Kata,
        verb: str,
        surface: str,
        digest: str = "",
        *,
        name: str | None = None,
        approved: bool = False,
        version: int | None = None,
        detail: str = "",
    ) -> Kata:
        """Make the transition of the table; of two that decide at once one wins."""
        done = self.store.transition(
            kata.id,
            before=(kata.state,),
            after=lifecycle.after(verb, kata),
            digest=digest or kata.version.spec.digest,
            actor=surface,
            verb=verb,
            now=self.door.clock(),
            name=name,
            approved=approved,
            version=version,
            detail=detail,
        )
        self._stir(kata, verb)
        return done

    def _stir(self, kata: Kata, verb: str) -> None:
        """Let what a decision bears on be looked at again."""
        known = self.known().values()
        keys = next((one.keys for one in known if miner.fingerprint(one.keys) == kata.fingerprint), ())
        own = {miner.window_id(keys): len(keys)} if verb == "forget" and keys else {}
        self.store.again({**miner.neighbours(keys, known), **own}, self.settings.min_support)


def stood(version: Version) -> dict[str, bool]:
    """On what word of a person a version rests."""
    return {"taught": bool(version.fit.taught), "forced": bool(version.fit.forced)}


def _relaxed(kata: Kata, name: str) -> Spec:
    """The spec with that check relaxed; Refused names those that count."""
    spec = kata.version.spec
    for index, step in enumerate(spec.steps):
        traits = checks.relaxed(index, step.traits, name)
        if traits is not None and traits == step.traits:
            raise Refused(f"Check {name} of kata {kata.id} is relaxed already")
        if traits is not None:
            return replace(spec, steps=(*spec.steps[:index], replace(step, traits=traits), *spec.steps[index + 1 :]))
    known = [checks.label(index, at) for index, step in enumerate(spec.steps) for at, one in enumerate(step.traits) if not one.relaxed]
    raise Refused(f"Kata {kata.id} has no check {name[:20]!r}; it has {', '.join(known) or 'none'}")


def destroys(step: Step) -> bool:
    """Whether a step can destroy something, by what is approved or by what we think of it today."""
    return step.effect.destructive or miner.judged(step.tool, step.arguments).destructive
