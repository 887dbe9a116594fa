// All katas: by state, by words, page by page.
import { h, React, useState, useEffect, usePoll, Loaded, Button, Empty, Link, Mark, STATES, When, many, visible } from "./kit.js";
import { Import } from "./change.js";

const DOES = { write: "writes", external: "acts outside this machine", unknown: "has an unknown effect" };

export function effects(kata) {
  const acts = kata.kinds.filter((kind) => DOES[kind]).map((kind) => DOES[kind]);
  const does = [...(kata.destructive ? ["destroys something"] : []), ...acts].join(", ") || "only reads";
  return `${does} · ${kata.asks ? "asks before every run" : "runs without asking"}`;
}

export function Row({ kata }) {
  const call = `${kata.tool}(${kata.inputs.join(", ")})`;
  const { runs, good, last } = kata.use;
  return h("li", { className: "kata-row" },
    h("div", { className: "kata-grow" },
      h("p", { className: "kata-line" }, h(Mark, { of: STATES, kind: kata.state }),
        h(Link, { to: `kata/${kata.id}`, className: "kata-strong kata-mono" }, kata.tool ? call : `Kata ${kata.id}`)),
      h("p", null, visible(kata.outline)),
      h("p", { className: "kata-small" }, `${many(kata.steps.length, "step")} · ${effects(kata)} · `,
        kata.tool ? h("span", null, runs ? `${many(runs, "run")}, ${good} good, last ` : "not used yet", runs ? h(When, { at: last }) : null)
          : kata.taught ? `taught from ${many(kata.taught, "example")}` : `seen in ${many(kata.support, "conversation")}`),
      kata.would_save ? h("p", { className: "kata-small" }, visible(kata.would_save.line)) : null));
}

const FILTERS = [["all", "All but rejected"], ...Object.entries(STATES).map(([state, [, word]]) => [state, word])];

export function Katas() {
  const [state, setState] = useState("all"), [typed, setTyped] = useState(""), [words, setWords] = useState(""), [page, setPage] = useState(1);
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  const poll = usePoll(`katas?state=${state}&q=${encodeURIComponent(words)}&page=${page}`);
  const change = (set) => (event) => {
    set(event.target.value);
    setPage(1);
  };
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, "Katas")),
    h("form", { className: "kata-filter", role: "search", onSubmit: (event) => event.preventDefault() },
      h("div", null, h("label", { htmlFor: "kata-state" }, "State"),
        h("select", { id: "kata-state", className: "kata-input", value: state, onChange: change(setState) }, FILTERS.map(([value, word]) => h("option", { key: value, value }, word)))),
      h("div", { className: "kata-grow" }, h("label", { htmlFor: "kata-words" }, "Words in name, steps or inputs"),
        h("input", { id: "kata-words", type: "search", className: "kata-input", value: typed, onChange: change(setTyped), autoComplete: "off" }))),
    h(Loaded, { poll, what: "the katas" }, (told) => h(React.Fragment, null,
      h("p", { role: "status", className: "kata-small" }, many(told.total, "kata")),
      told.katas.length ? h("ul", { className: "kata-card kata-rows" }, told.katas.map((kata) => h(Row, { key: kata.id, kata })))
        : h("div", { className: "kata-card" }, h(Empty, null, words || state !== "all" ? "No kata is like that. Try other words, or another state."
          : "No katas yet. Kata proposes a routine once it was seen often enough.")),
      told.pages > 1 ? h("nav", { className: "kata-line", "aria-label": "Pages" },
        h(Button, { disabled: told.page <= 1, onClick: () => setPage(told.page - 1) }, "Earlier"),
        h("span", null, `Page ${told.page} of ${told.pages}`),
        h(Button, { disabled: told.page >= told.pages, onClick: () => setPage(told.page + 1) }, "Later")) : null)),
    h(Import, { done: poll.again }));
}
