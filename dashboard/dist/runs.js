// Runs: the list, and one run with its waterfall, every call, and what the agent was told.
import { h, React, usePoll, Loaded, Section, Empty, Link, When, Mark, RESULTS, Block, Recorded, seconds, many, visible } from "./kit.js";
import { After } from "./change.js";
import { Waterfall } from "./waterfall.js";

function lasted(run) {
  return run.finished ? seconds(run.finished - run.started) : "end not seen";
}

export function RunRow({ run }) {
  const done = run.steps.filter((step) => step.status === "ok").length;
  return h("li", { className: "kata-row" }, h("div", { className: "kata-grow" },
    h("p", { className: "kata-line" }, h(Mark, { of: RESULTS, kind: run.status }), h(Link, { to: `run/${run.run}`, className: "kata-mono kata-strong" }, `${run.tool} ${run.run}`), h(When, { at: run.started })),
    h("p", { className: "kata-small" }, `${done} of ${many(run.steps.length, "step")} done · ${lasted(run)}`, run.reason ? ` · ${visible(run.reason)}` : "")));
}

export function Runs({ kata }) {
  const poll = usePoll(kata ? `runs?kata=${encodeURIComponent(kata)}` : "runs");
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, kata ? `Runs of kata ${kata}` : "Runs"), kata ? h(Link, { to: "runs" }, "All runs") : null),
    h(Loaded, { poll, what: "the runs" }, (told) => told.runs.length === 0
      ? h("div", { className: "kata-card" }, h(Empty, null, "No runs yet. A run appears here when the agent calls a kata."))
      : h("ul", { className: "kata-card kata-rows" }, told.runs.map((run) => h(RunRow, { key: run.run, run })))));
}

export function RunPage({ id }) {
  const poll = usePoll(`runs/${encodeURIComponent(id)}`);
  return h(Loaded, { poll, what: "the run" }, (run) => h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, "Run ", h("span", { className: "kata-mono" }, run.run)), h(Mark, { of: RESULTS, kind: run.status })),
    h("dl", { className: "kata-card kata-facts" }, facts(run).map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))),
    run.reason ? h("p", { className: "kata-note kata-bad" }, visible(run.reason)) : null,
    h(Section, { title: "Time", id: "kata-time" }, run.steps.length ? h(Waterfall, { run }) : h(Empty, null, run.finished ? "No step is kept." : "No step was begun."),
      run.steps.some((step) => step.began) ? null : h("p", { className: "kata-small" }, "The times of these steps were not kept.")),
    run.next ? h(Section, { title: "Comes next, by hand", id: "kata-next" }, h(Block, { text: run.next, label: "The next call" })) : null,
    h(After, { run, done: poll.again }),
    h(Section, { title: "Steps", id: "kata-steps" }, h("ol", { className: "kata-rows" }, run.steps.map((step) => h(Step, { key: step.step, step })))),
    run.answer ? h(Section, { title: "What the agent was told", id: "kata-told" }, h(Block, { text: spread(run.answer), label: "What the agent was told" })) : null));
}

function facts(run) {
  const inputs = run.inputs.map((one) => h("div", { key: one.name }, `${one.name} = `, h(Recorded, { text: one.text })));
  return [
    ["Kata", h(Link, { to: `kata/${run.kata}`, className: "kata-mono" }, run.tool)],
    ["Version", `${run.version}, revision ${run.digest.slice(0, 12)}`],
    ["Began", h("span", null, new Date(run.started * 1000).toLocaleString())],
    ["Took", lasted(run)],
    ["Conversation", run.session ? h(Recorded, { text: run.session }) : "not known"],
    ["Inputs", inputs.length ? inputs : "none"],
  ];
}

function Step({ step }) {
  const acts = step.arguments || [];
  return h("li", { className: "kata-row" }, h("div", { className: "kata-grow" },
    h("p", { className: "kata-line" }, h("strong", null, `${step.step} ${visible(step.tool)}`), h(Mark, { of: RESULTS, kind: step.status }),
      step.attempts > 1 ? h("span", null, `tried ${step.attempts} times`) : null, step.may_be_running ? h("strong", null, "may still be running: find out what it did before you repeat it") : null),
    step.reason ? h("p", null, visible(step.reason)) : null,
    acts.map((one) => h("div", { key: one.name }, h("p", { className: "kata-small" }, visible(one.name)), h(Block, { text: one.text, label: `Step ${step.step}, ${one.name}` }))),
    step.result !== null ? h("div", null, h("p", { className: "kata-small" }, "gave"), h(Block, { text: step.result, label: `Step ${step.step}, result` })) : null));
}

function spread(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}
