// One kata, as much as a person needs to decide: what it may do, how values flow, examples, checks, revision, versions, runs.
import { h, React, useState, usePoll, Loaded, Section, Button, Empty, Link, When, Mark, EffectMark, STATES, Block, Recorded, many, visible } from "./kit.js";
import { Flow } from "./flow.js";
import { Decide, Changes } from "./decide.js";
import { Try, Edit, Export, Relax, Overlaps } from "./change.js";
import { RunRow } from "./runs.js";

export function KataPage({ id }) {
  const poll = usePoll(`katas/${encodeURIComponent(id)}`);
  return h(Loaded, { poll, what: "the kata" }, (told) => h(Pinned, { now: told, again: poll.again }));
}

// A refresh may not change under a reader's eyes what is about to be approved: a new revision waits until it is asked for.
function Pinned({ now, again }) {
  const [seen, setSeen] = useState(now);
  const kata = seen.digest === now.digest ? now : seen;
  const stale = kata !== now;
  const changes = stale && now.versions.length > 1 && now.versions[1].digest === kata.digest ? now.versions[0].changes : null;
  return h(React.Fragment, null,
    stale ? h("div", { className: "kata-note kata-bad", role: "alert" },
      h("p", null, `This kata changed while you looked: it is now revision ${now.digest.slice(0, 12)}. You still see revision ${kata.digest.slice(0, 12)}.`),
      h(Changes, { changes }), h(Button, { onClick: () => setSeen(now) }, "Show the new revision")) : null,
    h(Whole, { kata, again }));
}

function Whole({ kata, again }) {
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, kata.tool || `Proposal ${kata.id}: ${visible(kata.outline)}`), h(Mark, { of: STATES, kind: kata.state })),
    h("p", { className: "kata-small" }, `${kata.taught ? `Taught from ${many(kata.taught, "example")}` : `Seen in ${many(kata.support, "conversation")} · confidence ${kata.confidence.toFixed(2)}`} · ${kata.fit.passed} of ${kata.fit.tried} held-out examples reproduced${kata.savings ? ` · ${kata.savings.verdict}: ${visible(kata.savings.numbers)}` : ""}`),
    kata.standing ? h("div", { className: "kata-note" }, h("p", null, `This version waits for your approval. What it changes against version ${kata.standing.version}, which was in use:`), h(Changes, { changes: kata.standing.changes })) : null,
    h(Overlaps, { kata, done: again, key: `overlaps-${kata.id}` }),
    kata.forced_past ? h("p", { className: "kata-note kata-bad" }, `By you, although it fails the rule ${visible(kata.forced_past.rule)}${kata.forced_past.detail ? `: ${visible(kata.forced_past.detail)}` : ""}`,
      kata.forced_past.odd ? `. Odd: step ${kata.forced_past.odd.step} was ${visible(kata.forced_past.odd.was)}; in the others ${visible(kata.forced_past.odd.others)}` : "") : null,
    kata.chance ? h("p", { className: "kata-note kata-bad" }, `Chance alone may explain it: ${visible(kata.chance)}`) : null,
    h("div", { className: "kata-columns" },
      h("div", { className: "kata-stack" },
        h(Section, { title: "What it does", id: "kata-flow" }, h(Flow, { flow: kata.flow })), h(Steps, { kata, again })),
      h("div", { className: "kata-aside" },
        h(Section, { title: kata.verbs.includes("approve") ? "Your decision" : "Change it", id: "kata-decide" }, h(Decide, { kata, done: again, key: kata.id }),
          h(Edit, { kata, done: again, key: `edit-${kata.id}` }), h(Export, { kata, key: `export-${kata.id}` })),
        h(Try, { kata, done: again, key: `try-${kata.id}` }), h(May, { kata }))),
    h(Prospect, { kata }), h(Examples, { kata }), h(Checks, { kata }), h(Schema, { kata }), h(Versions, { kata }), h(Latest, { kata }));
}

// What it would save, when it happens, and in which words it was asked for; the words are shown and never followed.
function Prospect({ kata }) {
  if (!kata.prospect.length) return null;
  return h(Section, { title: "What it would bring", id: "kata-prospect" }, h("dl", { className: "kata-facts" }, kata.prospect.map(({ title, rows }) =>
    h("div", { key: title }, h("dt", null, title), h("dd", null, rows.map((row) => h("div", { key: row }, visible(row))))))));
}

// ── What it may do ─────────────────────────────────────────────────────────────────────────────

function May({ kata }) {
  const { tools, asks, folders, unlimited, remark } = kata.permissions;
  const acting = kata.effects.filter((one) => one.kind !== "read" || one.destructive);
  const rows = [
    ["Asks", kata.trusted ? "never: you trust it" : asks ? "before every run" : "never: it runs without asking"],
    ["Tools", tools.map((tool) => visible(tool)).join(", ")],
    ["Folders", folders.length ? h(React.Fragment, null, `seen in ${many(folders.length, "folder")}: `, folders.slice(0, 3).map((one) => h("div", { key: one }, h(Recorded, { text: one })))) : "not known"],
    ...(unlimited.length ? [["Time", `${unlimited.join(", ")}: ${remark}`]] : []),
  ];
  return h(Section, { title: "What it may do", id: "kata-may" },
    acting.length === 0 ? h("p", null, "Every step only reads.") : h("ul", { className: "kata-plain" }, acting.map((one) => h("li", { key: one.step },
      h("span", null, `Step ${one.step} `), h(EffectMark, { one }), one.why ? h("span", null, ` ${visible(one.why)}`) : null))),
    h("dl", { className: "kata-facts" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))));
}

// ── Steps and examples ─────────────────────────────────────────────────────────────────────────

export function Pieces({ pieces }) {
  return h("span", { className: "kata-mono kata-pieces", dir: "ltr" }, pieces.map((piece, index) => piece.source
    ? h("mark", { key: index, title: source(piece.source) }, visible(piece.text)) : h("span", { key: index }, visible(piece.text))));
}

function source(name) {
  const [kind, ...rest] = name.split(":");
  return kind === "input" ? `the agent gives ${rest.join(":")}` : kind === "step" ? `out of step ${rest[0]}: ${rest.slice(1).join(":")}` : "made of several values";
}

const LONG = 600;

// What is long scrolls, and can then be reached by keyboard; all else is no stop on the way.
function Arguments({ list }) {
  return h("ul", { className: "kata-arguments" }, list.map((one) => {
    const size = one.pieces.reduce((sum, piece) => sum + piece.text.length, 0);
    const scrolls = { tabIndex: 0, className: "kata-scroll", role: "group", "aria-label": `${visible(one.name)}, ${size} characters` };
    const key = h("span", { className: "kata-key" }, visible(one.name));
    if (size <= LONG) return h("li", { key: one.name }, key, h("div", null, h(Pieces, { pieces: one.pieces })));
    return h("li", { key: one.name }, key, h("div", null, h("p", { className: "kata-small" }, `${size.toLocaleString()} characters; scroll to read them all`),
      h("div", scrolls, h(Pieces, { pieces: one.pieces }))));
  }));
}

function Steps({ kata, again }) {
  return h(Section, { title: "Every step, whole", id: "kata-whole" }, h("ol", { className: "kata-rows" }, kata.flow.steps.map((step) => h("li", { key: step.step, className: "kata-row" },
    h("div", { className: "kata-grow" }, h("p", { className: "kata-line" }, h("strong", null, `${step.step} ${visible(step.tool)}`), h(EffectMark, { one: step }), step.why ? h("span", { className: "kata-small" }, visible(step.why)) : null),
      h(Arguments, { list: step.arguments }), h(Expected, { kata, again, list: kata.expected.filter((one) => one.step === step.step) }))))));
}

// What the answer of a step has to be, by the names under which a check is relaxed.
function Expected({ kata, again, list }) {
  if (!list.length) return null;
  const loose = list.filter((one) => one.relaxed).length, left = list.length - loose;
  return h("details", null, h("summary", null, `Its answer passes ${many(left, "check")}, or nothing more acts${loose ? `; ${loose} relaxed` : ""}`),
    h("ul", { className: "kata-expected" }, list.map((one) => h("li", { key: one.check },
      h("span", { className: "kata-strong" }, one.check), h("span", null, visible(one.expected), one.relaxed ? " (relaxed)" : ""),
      one.relaxed || !kata.offers.relax ? null : h(Relax, { kata, one, done: again })))));
}

const AT_ONCE = 3;

function Examples({ kata }) {
  const [all, setAll] = useState(false);
  const shown = all ? kata.exhibits : kata.exhibits.slice(0, AT_ONCE);
  const more = kata.exhibits.length - AT_ONCE;
  const aside = more > 0 ? h(Button, { onClick: () => setAll(!all), "aria-expanded": all }, all ? "Fewer" : `${more} more`) : null;
  return h(Section, { title: `Recorded examples, side by side (${kata.exhibits.length})`, id: "kata-examples", aside },
    h("p", { className: "kata-small" }, "What differs from one to the next is ", h("mark", null, "marked"), "; all else is the same each time."),
    kata.flow.steps.map((step, index) => h("div", { key: step.step, className: "kata-step" },
      h("h4", null, `${step.step} ${visible(step.tool)}`),
      h("div", { className: "kata-beside" }, shown.map((one, at) => h(Example, { key: at, one, row: one.steps[index], number: at + 1, first: index === 0 }))))));
}

function Example({ one, row, number, first }) {
  if (!row) return null;
  return h("div", { className: "kata-example" },
    h("p", { className: "kata-small" }, `Example ${number}`, first ? h(React.Fragment, null, ", ", h(When, { at: one.at })) : null, one.fits ? "" : " · set aside: it does not fit"),
    h(Arguments, { list: row.arguments }),
    h("details", null, h("summary", null, "Result"), h(Block, { text: row.result, label: `Result in example ${number}` })));
}

// ── Checks, schema, versions, runs ─────────────────────────────────────────────────────────────

function Checks({ kata }) {
  const done = kata.checks.filter((check) => check.done), good = done.filter((check) => check.passed).length;
  return h(Section, { title: `Checks: ${good} of ${done.length} passed`, id: "kata-checks" }, h("ul", { className: "kata-checks" }, kata.checks.map((check) => {
    const [kind, glyph, word] = !check.done ? ["skipped", "–", "not asked"] : check.passed ? ["ok", "✓", "passed"] : ["error", "✕", "failed"];
    return h("li", { key: check.name }, h("span", { className: `kata-mark kata-${kind}` }, h("span", { "aria-hidden": true }, glyph), ` ${word}`),
      h("div", null, h("span", { className: "kata-strong" }, check.name.replaceAll("_", " ")), check.reason ? h("p", { className: "kata-small" }, visible(check.reason)) : null));
  })));
}

function Schema({ kata }) {
  return h(Section, { title: "Inputs and revision", id: "kata-schema" },
    kata.flow.sources.some((one) => one.kind === "input") ? h("dl", { className: "kata-facts" }, kata.flow.sources.filter((one) => one.kind === "input").map((one) => h("div", { key: one.label },
      h("dt", { className: "kata-mono" }, `${one.label}: ${one.type}`), h("dd", null, visible(one.description), one.default !== undefined ? ` Else ${visible(one.default)}.` : "")))) : h("p", null, "No inputs."),
    h("details", null, h("summary", null, "Input schema as the agent sees it"), h(Block, { text: JSON.stringify(kata.schema, null, 1), label: "Input schema" })),
    h("details", null, h("summary", null, "The whole spec"), h(Block, { text: JSON.stringify(kata.spec, null, 1), label: "Spec" })),
    h("p", { className: "kata-small" }, `Version ${kata.version}, SHA-256 of what is approved and run:`), h("p", { className: "kata-mono kata-wrap" }, kata.digest));
}

function Versions({ kata }) {
  return h(Section, { title: `Versions (${kata.versions.length})`, id: "kata-versions" }, h("ol", { className: "kata-rows" }, kata.versions.map((one) => h("li", { key: one.version, className: "kata-row" },
    h("div", { className: "kata-grow" }, h("p", { className: "kata-line" }, h("strong", null, `Version ${one.version}`), h("span", { className: "kata-mono" }, one.digest.slice(0, 12)), one.current ? h("span", { className: "kata-mark kata-active" }, kata.state === "active" ? "in use" : "this one") : null),
      h("p", { className: "kata-small" }, "found ", h(When, { at: one.created }), one.approved ? h("span", null, " · approved ", h(When, { at: one.approved })) : " · not approved", ` · ${many(one.support, "conversation")}`),
      one.changes && one.changes.length ? h(Changes, { changes: one.changes }) : one.changes ? h("p", { className: "kata-small" }, "Does the same as the one before; more evidence.") : null)))));
}

function Latest({ kata }) {
  if (!kata.tool) return null;
  const aside = h(Link, { to: `runs/${kata.id}` }, "All runs of it");
  return h(Section, { title: "Latest runs", id: "kata-latest", aside }, kata.runs.length ? h("ul", { className: "kata-rows" }, kata.runs.map((run) => h(RunRow, { key: run.run, run })))
    : h(Empty, null, "Not used yet."));
}
