// What can be done beside the first decisions: a button that asks once more, running, planning, editing, sending, taking in, taking back.
import { h, React, useState, useRef, call, useTyped, Section, Button, Link, Block, visible, many } from "./kit.js";
import { Sure, Changes } from "./decide.js";

function shown(kata) {
  return { revision: kata.version, digest: kata.digest };
}

function Said({ said }) {
  return h(React.Fragment, null,
    h("div", { role: "status" }, said && said.good ? h("div", { className: "kata-note kata-good" }, h("p", null, visible(said.text)), h(Changes, { changes: said.changes })) : null),
    h("div", { role: "alert" }, said && !said.good ? h("div", { className: "kata-note kata-bad" }, h("p", null, visible(said.text)), h(Changes, { changes: said.changes })) : null));
}

// One button that changes something: it says what will happen, sends after the second yes, and tells what became of it.
export function Change({ word, label, text, danger, primary, disabled, path, sent, done, told, revision }) {
  const [asked, setAsked] = useState(false), [busy, setBusy] = useState(false), [said, setSaid] = useState(null);
  const place = useRef(null);
  const back = () => {
    setAsked(false);
    requestAnimationFrame(() => place.current && place.current.querySelector("button")?.focus());
  };
  const send = async () => {
    setBusy(true);
    setSaid(null);
    try {
      const answer = await call(path, typeof sent === "function" ? sent() : sent || {});
      setSaid({ good: !answer.error, text: told(answer), changes: answer.changes });
      setAsked(false);
      if (done) done(answer);
    } catch (error) {
      setSaid({ good: false, text: error.message, changes: error.body.changed });
      setAsked(false);
      if (done && error.code === 409) done(null);
    }
    setBusy(false);
  };
  return h("div", { ref: place, className: "kata-decide" },
    asked ? h(Sure, { text, word, digest: revision, busy, danger, yes: send, no: back })
      : h("div", { className: "kata-line" }, h(Button, { primary, danger, disabled, "aria-label": label, onClick: () => { setSaid(null); setAsked(true); } }, word)),
    h(Said, { said }));
}

// ── Two with steps in common ───────────────────────────────────────────────────────────────────

const WAYS = {
  merge: { word: "Merge", text: "One proposal stands for both, learnt from times that the whole was done in one go, and checked as any other. It is no tool until you approve it." },
  extend: { word: "Extend", text: "A proposal with the steps of both. Approved under the name of the kata in use it takes its place; until then nothing changes." },
};

// What was decided stays told when its row is gone: whoever was put into another, or is kept apart, is named here no more.
export function Overlaps({ kata, done }) {
  const [said, setSaid] = useState(null);
  if (!kata.overlaps.length && !said && !kata.merged_into) return null;
  const ended = (text) => (answer) => {
    if (answer) setSaid({ text: text(answer), id: answer.id });
    done();
  };
  return h("div", { className: "kata-note" },
    h("div", { role: "status" }, said ? h("p", null, said.text, " ", said.id === kata.id ? null : h(Link, { to: `kata/${said.id}` }, `Review proposal ${said.id}`)) : null),
    kata.merged_into ? h("p", null, "By your decision ", h(Link, { to: `kata/${kata.merged_into}` }, `proposal ${kata.merged_into}`), " stands for it.") : null,
    kata.overlaps.map((one) => h(Overlap, { key: one.kata, kata, one, ended })),
    kata.overlaps.length && kata.state === "candidate" ? h("p", { className: "kata-small" }, "You can also keep both, or reject this one. By itself nothing is done.") : null);
}

function Overlap({ kata, one, ended }) {
  const name = one.tool || `proposal ${one.kata}`, steps = (from) => `${from}–${from + one.steps - 1}`;
  const base = one.way === "extend" && kata.state === "candidate" ? one.kata : kata.id;
  const same = h("p", null, `Steps ${steps(one.here)} are steps ${steps(one.there)} of `, h(Link, { to: `kata/${one.kata}` }, name), ".");
  if (kata.extends === one.kata) return h("div", null, same, h("p", { className: "kata-small" }, `It extends ${name}: approved as ${name.replace(/^kata_/, "")} it takes its place.`));
  return h("div", null, same, h("div", { className: "kata-line" },
    one.way ? h(Change, { ...WAYS[one.way], label: `${WAYS[one.way].word} with ${name}`, path: `katas/${base}/${one.way}`, sent: { other: base === kata.id ? one.kata : kata.id },
      done: ended((answer) => `Proposal ${answer.id} is both in one.`), told: () => "" }) : null,
    h(Change, { word: "Keep apart", label: `Keep apart from ${name}`, text: "They are two things: neither is named beside the other any more.", path: `katas/${kata.id}/separate`,
      sent: { other: one.kata }, done: ended(() => `It is kept apart from ${name}.`), told: () => "" })));
}

// ── Running ────────────────────────────────────────────────────────────────────────────────────

export function Try({ kata, done }) {
  const inputs = kata.flow.sources.filter((one) => one.kind === "input");
  const [given, setGiven] = useState({}), [plan, setPlan] = useState(null), [said, setSaid] = useState(null), [busy, setBusy] = useState(false), [run, setRun] = useState(null);
  if (!kata.offers.plan) return null;
  const type = (name) => (event) => {
    setGiven({ ...given, [name]: event.target.value });
    setPlan(null);
  };
  const look = async () => {
    setBusy(true);
    setSaid(null);
    try {
      setPlan(await call(`katas/${kata.id}/plan`, { inputs: given }));
    } catch (error) {
      setPlan(null);
      setSaid({ good: false, text: error.message });
    }
    setBusy(false);
  };
  const ended = (answer) => {
    setRun(answer && answer.run);
    done();
  };
  return h(Section, { title: "Run it", id: "kata-try" },
    h("form", { className: "kata-decide", onSubmit: (event) => { event.preventDefault(); look(); } },
      inputs.map((one) => h("div", { key: one.label }, h("label", { htmlFor: `kata-in-${one.label}` }, `${one.label}${one.default !== undefined ? `, else ${visible(one.default)}` : ""}`),
        h("input", { id: `kata-in-${one.label}`, className: "kata-input kata-mono", value: given[one.label] || "", maxLength: 2000, autoComplete: "off", spellCheck: false,
          type: one.type === "secret" ? "password" : "text", onChange: type(one.label) }))),
      h("div", { className: "kata-line" }, h("button", { type: "submit", className: "kata-button", disabled: busy }, "Dry run"))),
    kata.offers.refused ? h("p", { className: "kata-small" }, `It does not run here: ${visible(kata.offers.refused)}.`)
      : h(Change, { word: "Run", primary: true, revision: kata.digest, text: `Every step of ${kata.tool} only reads. It runs at once, in ${plan && plan.folder ? visible(plan.folder) : "the folder of this dashboard"}, and nobody is asked again.`,
        path: `katas/${kata.id}/run`, sent: () => ({ ...shown(kata), inputs: given }), done: ended, told: (answer) => answer.error || `${kata.tool} came to its end.` }),
    run ? h("p", null, h(Link, { to: `run/${run}` }, `Look at run ${run}`)) : null,
    h(Said, { said }), plan ? h(Plan, { plan }) : null);
}

function Plan({ plan }) {
  return h("div", { className: "kata-stack", role: "group", "aria-label": "What it would call" },
    h("p", { className: "kata-strong" }, "Dry run: nothing was called."),
    h("ol", { className: "kata-rows" }, plan.steps.map((one) => h("li", { key: one.step, className: "kata-row" }, h("div", { className: "kata-grow" },
      h("p", { className: "kata-mono kata-wrap", dir: "ltr" }, `${one.step} ${visible(one.line)}`), h("p", { className: "kata-small" }, one.destructive ? "destroys something" : one.effect === "read" ? "reads" : `effect: ${one.effect}`))))),
    plan.problems.length ? h("div", { className: "kata-note kata-bad" }, h("p", { className: "kata-strong" }, "In the way"), plan.problems.map((one) => h("p", { key: one }, visible(one)))) : null,
    h("p", { className: "kata-small" }, `Asked: ${plan.questions.map((one) => visible(one)).join("; ")}.`));
}

// ── Editing ────────────────────────────────────────────────────────────────────────────────────

const KINDS = [["name", "name of an input"], ["help", "help of an input"], ["default", "default of an input"], ["choices", "choices of an input, with commas"], ["about", "what it is for"], ["drop", "take a step out"]];

export function Edit({ kata, done }) {
  const inputs = kata.flow.sources.filter((one) => one.kind === "input").map((one) => one.label);
  const kinds = KINDS.filter(([kind]) => inputs.length || kind === "about" || kind === "drop");
  const [kind, setKind] = useState(kinds[0][0]), [input, setInput] = useState(inputs[0] || ""), [step, setStep] = useState("1"), [text, setText] = useTyped(`edit:${kata.id}`);
  if (!kata.offers.edit) return null;
  const own = inputs.includes(input) ? input : inputs[0] || "";
  const words = kind === "drop" ? ["drop", step] : kind === "about" ? ["help", text.trim()] : ["input", own, kind, text.trim()];
  const what = kind === "drop" ? `Step ${step} goes.` : kind === "about" ? `It is for: ${text.trim()}` : `The ${kind} of ${own} becomes: ${text.trim()}`;
  return h("details", null, h("summary", null, "Edit it"), h("div", { className: "kata-decide" },
    h("div", null, h("label", { htmlFor: "kata-edit" }, "What to change"), h("select", { id: "kata-edit", className: "kata-input", value: kind, onChange: (event) => setKind(event.target.value) }, kinds.map(([value, word]) => h("option", { key: value, value }, word)))),
    kind === "drop" ? h("div", null, h("label", { htmlFor: "kata-edit-step" }, "Which step"), h("select", { id: "kata-edit-step", className: "kata-input", value: step, onChange: (event) => setStep(event.target.value) },
      kata.flow.steps.map((one) => h("option", { key: one.step, value: one.step }, `${one.step} ${visible(one.tool)}`)))) : null,
    kind !== "drop" && kind !== "about" ? h("div", null, h("label", { htmlFor: "kata-edit-input" }, "Of which input"), h("select", { id: "kata-edit-input", className: "kata-input", value: own, onChange: (event) => setInput(event.target.value) }, inputs.map((one) => h("option", { key: one, value: one }, one)))) : null,
    kind !== "drop" ? h("div", null, h("label", { htmlFor: "kata-edit-text" }, "New text; none takes it away"), h("input", { id: "kata-edit-text", className: "kata-input", value: text, maxLength: 400, autoComplete: "off", onChange: (event) => setText(event.target.value) })) : null,
    h(Change, { word: "Edit", disabled: kind !== "drop" && !text.trim(), text: `${what} Every check is made again, and it waits for your approval.`, path: `katas/${kata.id}/edit`, revision: kata.digest,
      sent: () => ({ ...shown(kata), words }), done: (answer) => { if (answer) setText(""); done(); }, told: (answer) => `Edited: it is version ${answer.version} now, and waits for your approval.` })));
}

export function Relax({ kata, one, done }) {
  return h(Change, { word: "Relax", label: `Relax check ${one.check}`, text: `Check ${one.check} does not count any more: ${one.expected}. ${kata.state === "active" ? "The kata stays in use." : ""}`,
    path: `katas/${kata.id}/relax`, revision: kata.digest, sent: () => ({ ...shown(kata), check: one.check }), done, told: () => `Check ${one.check} does not count any more.` });
}

// ── In and out ─────────────────────────────────────────────────────────────────────────────────

export function Export({ kata }) {
  const [form, setForm] = useState(kata.offers.export[0]), [told, setTold] = useState(null), [said, setSaid] = useState(null), [busy, setBusy] = useState(false);
  if (!kata.offers.export.length) return null;
  const ask = async (yes) => {
    setBusy(true);
    setSaid(null);
    try {
      setTold(await call(`katas/${kata.id}/export`, { format: form, yes }));
    } catch (error) {
      setTold(null);
      setSaid({ good: false, text: error.message });
    }
    setBusy(false);
  };
  return h("details", null, h("summary", null, "Export it"), h("div", { className: "kata-decide" },
    h("div", null, h("label", { htmlFor: "kata-form" }, "Form"), h("select", { id: "kata-form", className: "kata-input", value: form, onChange: (event) => { setForm(event.target.value); setTold(null); } },
      kata.offers.export.map((one) => h("option", { key: one, value: one }, { json: "JSON, which Kata takes in", skill: "a skill, for any agent", shell: "a shell script" }[one])))),
    h("div", { className: "kata-line" }, h(Button, { disabled: busy, onClick: () => ask(false) }, "Export")),
    told && told.text === null ? h("div", { className: "kata-note kata-bad", role: "alert" }, h("p", null, "It holds what tells of you or of this machine; nothing has left yet:"),
      h("ul", { className: "kata-plain" }, told.personal.map((one) => h("li", { key: one.text }, `${one.kind}: `, h("span", { className: "kata-mono", dir: "ltr" }, visible(one.text))))),
      h("div", { className: "kata-line" }, h(Button, { danger: true, disabled: busy, onClick: () => ask(true) }, "Yes, that may leave"), h(Button, { onClick: () => setTold(null) }, "No, back"))) : null,
    told && told.text !== null ? h("div", { role: "status" }, h("p", null, h("a", { download: told.file.split("/").pop(), href: `data:text/plain;charset=utf-8,${encodeURIComponent(told.text)}` }, `Save ${told.file}`)),
      h(Block, { text: told.text, label: "The exported text" })) : null,
    h(Said, { said })));
}

export function Import({ done }) {
  const [text, setText] = useState(""), [bind, setBind] = useState(""), [made, setMade] = useState(null);
  const pairs = () => Object.fromEntries(bind.split("\n").filter((line) => line.includes("=")).map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()]));
  const ended = (answer) => {
    if (!answer) return;
    setMade(answer);
    setText("");
    done();
  };
  return h("details", { className: "kata-card" }, h("summary", null, "Import one"), h("div", { className: "kata-decide" },
    h("div", null, h("label", { htmlFor: "kata-file" }, "File"), h("input", { id: "kata-file", className: "kata-input", type: "file", accept: ".json,application/json", onChange: async (event) => event.target.files[0] && setText(await event.target.files[0].text()) })),
    h("div", null, h("label", { htmlFor: "kata-text" }, "Or the exported text"), h("textarea", { id: "kata-text", className: "kata-input kata-mono", rows: 4, value: text, spellCheck: false, onChange: (event) => setText(event.target.value) })),
    h("div", null, h("label", { htmlFor: "kata-bind" }, "What belongs to others, and what it is here: OLD=NEW, one a line"), h("textarea", { id: "kata-bind", className: "kata-input kata-mono", rows: 2, value: bind, spellCheck: false, onChange: (event) => setBind(event.target.value) })),
    h(Change, { word: "Import", disabled: !text.trim(), text: "It is checked, its effects are judged here, and it becomes a proposal. It is no tool until you approve it.", path: "import",
      sent: () => ({ text, bind: pairs() }), done: ended, told: (answer) => `Imported: proposal ${answer.id}${answer.called ? `, which was called ${answer.called}` : ""}.` }),
    made ? h("p", null, h(Link, { to: `kata/${made.id}` }, `Review proposal ${made.id}`)) : null));
}

// ── Taking back ────────────────────────────────────────────────────────────────────────────────

export function Undo({ last: now, done }) {
  const kept = useRef(now);  // what was said about it stays when there is nothing more to take back
  if (now) kept.current = now;
  const last = kept.current;
  if (!last) return null;
  const what = `${last.verb} of ${last.tool || `kata ${last.kata}`}`;
  return h(Change, { word: "Undo", disabled: !now, label: `Undo: ${what}`, text: `Your last decision is taken back: ${what}. What comes back into use is checked first.`, path: "undo",
    sent: { at: last.at, kata: last.kata }, done, told: (answer) => `Taken back: ${answer.undone}. ${answer.tool || `Kata ${answer.id}`} is ${answer.state} again.` });
}

export function After({ run, done }) {
  const [once] = useState(run.may_be_wrong);
  if (!run.left && !run.may_be_wrong && !once) return null;
  return h(Section, { title: "What you can do", id: "kata-after" },
    run.left ? h("div", null, h("p", null, "It can go on where it stopped. Here nobody could ask you before a step, so do it in a shell, or ask the agent:"), h(Block, { text: run.left.line, label: "The command" }),
      h("details", null, h("summary", null, "What is left"), h(Block, { text: run.left.question, label: "What is left" }))) : null,
    run.may_be_wrong || once ? h(Change, { word: "It was wrong", disabled: !run.may_be_wrong, danger: true, text: `${run.tool} becomes a proposal again, and the agent cannot call it any more.`, path: `runs/${encodeURIComponent(run.run)}/wrong`, done,
      told: (answer) => `Noted. ${run.tool} is a proposal again, under review as kata ${answer.id}.` }) : null);
}
