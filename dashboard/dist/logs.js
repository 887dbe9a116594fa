// Two lists to read: near misses with the rule that failed, and every decision with who took it.
import { h, React, useState, usePoll, Loaded, Empty, Button, Link, When, many, visible, Recorded } from "./kit.js";
import { Change, Undo } from "./change.js";

export function Near() {
  const poll = usePoll("near");
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, "Near misses")),
    h("p", { className: "kata-small" }, "Routines that were seen but are not proposed, each with the one rule that failed."),
    h(Loaded, { poll, what: "the near misses" }, (told) => told.near.length === 0
      ? h("div", { className: "kata-card" }, h(Empty, null, "None: nothing was seen that is nearly a routine."))
      : h("ul", { className: "kata-card kata-rows" }, told.near.map((miss, index) => h("li", { key: index, className: "kata-row" }, h("div", { className: "kata-grow" },
        h("ol", { className: "kata-chain" }, miss.names.map((name, at) => h("li", { key: at }, h(Recorded, { text: name })))),
        h("dl", { className: "kata-facts" },
          h("div", null, h("dt", null, "Seen in"), h("dd", null, many(miss.support, "conversation"))),
          h("div", null, h("dt", null, "Fails the rule"), h("dd", null, h("strong", null, miss.rule), miss.detail ? `: ${visible(miss.detail)}` : "")),
          miss.needs ? h("div", null, h("dt", null, "Needs"), h("dd", null, visible(miss.needs))) : null),
        miss.barred ? h("p", { className: "kata-small" }, `It cannot be forced into review: ${visible(miss.barred)}.`)
          : h(Change, { word: "Review it all the same", label: `Review ${miss.id} all the same`, path: `near/${miss.id}/review`, told: () => "",
            text: "It becomes a proposal, marked with the rule that it fails. It is no tool until you approve it; 'undo' makes it a near miss again.",
            done: (answer) => (answer ? (location.hash = `kata/${answer.id}`) : poll.again()) })))))));
}

const WHERE = { dashboard: "here", chat: "in a chat", cli: "in a shell" };

export function Audit() {
  const [limit, setLimit] = useState(50);
  const poll = usePoll(`audit?limit=${limit}`);
  return h(React.Fragment, null,
    h("div", { className: "kata-title" }, h("h2", null, "Audit")),
    h("p", { className: "kata-small" }, "Every change of a kata: who made it, when, from which state to which, and of which revision. What you decided stands out; the rest Kata did itself."),
    h(Loaded, { poll, what: "the audit log" }, (told) => h(React.Fragment, null,
      told.broken ? h("p", { className: "kata-note kata-bad", role: "alert" }, `This log was changed outside Kata: decision ${told.broken} is missing, or not as it was written.`)
        : h("p", { className: "kata-small" }, `The log is whole: ${many(told.decisions, "decision")}, each chained to the one before it.`),
      h(Undo, { last: told.last, done: poll.again }),
      told.audit.length === 0 ? h("div", { className: "kata-card" }, h(Empty, null, "Nothing happened yet."))
        : h("ul", { className: "kata-card kata-rows" }, told.audit.map((row, index) => h("li", { key: index, className: "kata-row" }, h("div", { className: "kata-grow" },
          h("p", { className: "kata-line" }, row.actor === "system" ? h("span", null, row.verb) : h("span", { className: "kata-mark kata-active kata-strong" }, row.verb), h(Link, { to: `kata/${row.kata}`, className: "kata-mono" }, row.tool || `kata ${row.kata}`),
            h("span", null, row.actor === "system" ? "by Kata itself" : `by you, ${WHERE[row.actor] || row.actor}`), h(When, { at: row.at })),
          h("p", { className: "kata-small" }, row.before === row.after ? row.after : `${row.before || "new"} → ${row.after}`, " · revision ", h("span", { className: "kata-mono" }, row.digest.slice(0, 12))),
          row.detail ? h("p", { className: "kata-small" }, visible(row.detail)) : null)))),
      told.more && limit < 500 ? h(Button, { onClick: () => setLimit(Math.min(500, limit * 3)) }, "Show earlier ones") : null)));
}
