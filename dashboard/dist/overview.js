// The first page: what waits for a decision, what is in use, what needs attention, and whether anything is recorded.
import { h, React, useState, useEffect, usePoll, call, Loaded, Section, Button, Empty, Link, When, STATES, many, visible } from "./kit.js";
import { Row, effects } from "./katas.js";

const SOON = 400;

export function Overview() {
  const poll = usePoll("overview");
  const left = poll.told && poll.told.savings ? poll.told.savings.left : 0;
  // One request reckons few accounts, so that none takes long; while some are due the next comes soon.
  useEffect(() => {
    if (!left) return undefined;
    const timer = setTimeout(() => (document.visibilityState === "hidden" ? undefined : poll.again()), SOON);
    return () => clearTimeout(timer);
  }, [left, poll.again]);
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, "Overview"), h(Look, { after: poll.again })),
    h(Loaded, { poll, what: "the overview" }, (told) => h(React.Fragment, null,
      h(Recording, { told }),
      h(Attention, { told }),
      h(Waiting, { told }),
      h(Use, { told }),
      h(Savings, { told }),
      h(Facts, { told }))));
}

// Looks for routines a few families at a time, so that no request takes long, until nothing waits or the person leaves.
function Look({ after }) {
  const [busy, setBusy] = useState(false), [said, setSaid] = useState("");
  const look = async () => {
    setBusy(true);
    let found = 0, turns = 0;
    try {
      for (let left = true, round = 0; left && round < 200; round++) {
        const told = await call("mine", {});
        [left, found, turns] = [told.left, found + told.proposed.length, turns + told.turns];
        setSaid(left ? `Looked at ${many(turns, "turn")}; more wait…` : `Looked at ${many(turns, "turn")}: ${many(found, "new or better proposal")}.`);
        if (told.busy) break;
      }
    } catch (error) {
      setSaid(error.message);
    }
    setBusy(false);
    after();
  };
  return h("div", { className: "kata-side" }, h("span", { role: "status", className: "kata-small" }, said),
    h(Button, { onClick: look, disabled: busy }, busy ? "Looking…" : "Look for routines now"));
}

function Recording({ told }) {
  const { on, why } = told.recording;
  return h("p", { className: "kata-line" }, h("span", { className: `kata-mark kata-${on ? "active" : "suspended"}` },
    h("span", { "aria-hidden": true }, on ? "●" : "■"), on ? " Recording" : " Not recording"),
  on ? (told.facts.last_event ? h("span", null, "last call ", h(When, { at: told.facts.last_event })) : "nothing has arrived yet")
    : `${why}; approved katas go on working`);
}

// What each kata in use saved or cost, in the words and numbers of its verdict.
function Savings({ told }) {
  const rows = told.savings ? told.savings.katas : [];
  if (!rows.length) return null;
  return h(Section, { title: "What they save", id: "kata-savings" }, h("ul", { className: "kata-rows" }, rows.map((one) =>
    h("li", { key: one.kata, className: "kata-row" }, h("div", { className: "kata-grow" },
      h("p", { className: "kata-line" }, h(Link, { to: `kata/${one.kata}`, className: "kata-mono" }, visible(one.tool)), h("span", { className: "kata-strong" }, one.verdict)),
      h("p", { className: "kata-small" }, visible(`${one.numbers} · ${one.saved ? `saved ${saved(one.saved)}` : "never measured by hand"}`)))))));
}

function Attention({ told }) {
  if (!told.attention.length && !told.broken.length) return null;
  return h(Section, { title: "Needs attention", id: "kata-attention" }, h("ul", { className: "kata-rows" },
    told.attention.map((kata) => h(Row, { key: kata.id, kata })),
    told.broken.map((one) => h("li", { key: `b${one.id}`, className: "kata-row" },
      h("span", { className: "kata-mark kata-suspended" }, h("span", { "aria-hidden": true }, "■"), ` Kata ${one.id} refused`), h("p", null, visible(one.reason))))));
}

// What a list does not hold, because it is only its first page.
function Rest({ told, list, filter }) {
  const more = told.counts[list] - told[list].length;
  return more > 0 ? h("p", { className: "kata-small" }, `${more} more are under `, h(Link, { to: "katas" }, "Katas"), `, state “${filter}”.`) : null;
}

function Waiting({ told }) {
  const none = h(Empty, null, `Nothing waits for you. A routine is proposed when it was seen in ${told.min_support} conversations.`);
  return h(Section, { title: `Waiting for you (${told.counts.waiting})`, id: "kata-waiting" }, told.waiting.length === 0 ? none
    : h("ul", { className: "kata-rows" }, told.waiting.map((kata) => h("li", { key: kata.id, className: "kata-row" },
      h("div", { className: "kata-grow" },
        h("p", { className: "kata-strong" }, visible(kata.outline)),
        h("p", { className: "kata-small" }, `${many(kata.steps.length, "step")} · ${kata.taught ? `taught from ${many(kata.taught, "example")}` : `seen in ${many(kata.support, "conversation")} · confidence ${kata.confidence.toFixed(2)}`} · ${effects(kata)}`)),
      h(Link, { to: `kata/${kata.id}`, className: "kata-button kata-primary", "aria-label": `Review proposal ${kata.id}` }, "Review")))),
  h(Rest, { told, list: "waiting", filter: STATES.candidate[1] }));
}

function Use({ told }) {
  const none = h(Empty, null, "No kata is in use yet. What you approve becomes one tool for the agent.");
  return h(Section, { title: `In use (${told.counts.active})`, id: "kata-use" }, told.active.length === 0 ? none
    : h("ul", { className: "kata-rows" }, told.active.map((kata) => h(Row, { key: kata.id, kata }))),
  h(Rest, { told, list: "active", filter: STATES.active[1] }));
}

// The sum in words; what cost more than it brought has a minus.
function saved(sum) {
  if (!sum) return "not measured yet";
  const signed = (value, digits) => `${value < 0 ? "−" : "+"}${Math.abs(value).toLocaleString(undefined, { maximumFractionDigits: digits })}`;
  return `${signed(sum.requests, 1)} model requests, ${signed(sum.tokens, 0)} tokens, ${signed(sum.seconds, 0)} s`;
}

function Facts({ told }) {
  const { facts } = told;
  const lost = Object.values(told.counters).reduce((sum, n) => sum + n, 0);
  const rows = [
    ["Kept", `${many(facts.calls, "call")} of ${many(facts.turns, "turn")} in ${many(facts.conversations, "conversation")}`],
    ["Seen, not proposed", told.near ? h(Link, { to: "near" }, many(told.near, "routine")) : "none"],
    ["File", `${Math.ceil(facts.bytes / 1024)} KiB on this machine`],
    ["Not kept", lost ? `${many(lost, "record")}; “/kata status” says why` : "nothing"],
    ["Saved", saved(told.savings.saved)],
    ["Profile", told.profile],
  ];
  return h(Section, { title: "What Kata keeps", id: "kata-facts" },
    h("dl", { className: "kata-facts" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value)))));
}

