// Deciding: every change is asked once more in place, with what it will do; nothing is sent before the second yes.
import { h, React, useState, useRef, useEffect, call, useTyped, Button, visible, many } from "./kit.js";

const VERBS = {
  approve: { word: "Approve", primary: true },
  reject: { word: "Reject", danger: true },
  disable: { word: "Disable", danger: true },
  enable: { word: "Enable", primary: true },
  rollback: { word: "Go back" },
  forget: { word: "Lift the rejection" },
  snooze: { word: "Snooze" },
  trust: { word: "Trust" },
  untrust: { word: "End the trust" },
};

function tool(name) {
  return `kata_${name.replace(/^kata_/, "")}`;
}

function consequence(verb, kata, name) {
  const asks = kata.permissions.asks ? "It asks you before every run." : "It runs without asking.";
  const whole = `${tool(name)}(${kata.inputs.join(", ")})`;
  switch (verb) {
    case "approve": return `The agent can call ${whole} from the next message on, in every chat. ${asks}`;
    case "reject": return "This routine is never proposed again.";
    case "disable": return `The agent cannot call ${kata.tool} any more, in running chats from the next message on. You can enable it again.`;
    case "enable": return `It is checked again; then the agent can call ${whole} from the next message on. ${asks}`;
    case "snooze": return "It is put away for 30 days, and then told about once more.";
    case "trust": return `${kata.tool}, as it is here, runs without asking, in other folders too, until it is changed.`;
    case "untrust": return `${kata.tool} asks again in folders that are new to it.`;
    case "forget": return "It is a proposal again, as far as what is recorded still speaks for it.";
    default: return `It is checked again; then ${kata.tool} does what the version that you choose says.`;
  }
}

function destroying(kata) {
  return kata.effects.filter((one) => one.destructive).map((one) => ({ number: one.step, line: kata.steps[one.step - 1], why: one.why }));
}

export function Decide({ kata, done }) {
  const [verb, setVerb] = useState(""), [said, setSaid] = useState(null), [busy, setBusy] = useState(false);
  const [name, setName] = useTyped(`name:${kata.id}`), [confirm, setConfirm] = useTyped(`confirm:${kata.id}`), [version, setVersion] = useState("");
  const place = useRef(null);
  const back = (from) => {
    setVerb("");
    requestAnimationFrame(() => place.current && place.current.querySelector(`[data-verb="${from}"]`)?.focus());
  };
  const send = async () => {
    setBusy(true);
    setSaid(null);
    const sent = { name: name.trim(), revision: kata.version, digest: kata.digest, confirm: confirm.trim(), ...(verb === "rollback" ? { version: Number(version) } : {}) };
    try {
      const told = await call(`katas/${kata.id}/${verb}`, sent);
      setSaid({ good: true, text: answered(verb, told) });
      setName("");
      setConfirm("");
      setVerb("");
    } catch (error) {
      setSaid({ good: false, text: error.message, changed: error.body.changed });
      setVerb("");
    }
    setBusy(false);
    done();
  };
  const proposal = kata.verbs.includes("approve");
  const named = (proposal && name.trim()) || kata.tool || "";
  return h("div", { ref: place, className: "kata-decide" },
    proposal ? h(Name, { name, setName, before: kata.tool }) : null,
    proposal ? h(Confirm, { kata, wanted: named ? tool(named) : "", confirm, setConfirm }) : null,
    kata.verbs.includes("rollback") ? h(Earlier, { kata, version, setVersion }) : null,
    verb ? h(Sure, { text: consequence(verb, kata, named), word: VERBS[verb].word, digest: verb === "approve" ? kata.digest : "", busy, danger: VERBS[verb].danger, yes: send, no: () => back(verb) })
      : h("div", { className: "kata-line" }, kata.verbs.map((one) => h(Button, {
        key: one, "data-verb": one, primary: VERBS[one].primary, danger: VERBS[one].danger, onClick: () => { setSaid(null); setVerb(one); },
        disabled: (one === "approve" && !named) || (one === "rollback" && !version),
      }, VERBS[one].word))),
    proposal && !named ? h("p", { className: "kata-small" }, "Give it a name to approve it.") : null,
    kata.verbs.length === 0 ? h("p", { className: "kata-small" }, kata.state === "rejected" ? "You rejected it; it is never proposed again." : "Nothing can be decided about it here.") : null,
    h("div", { role: "status" }, said && said.good ? h("p", { className: "kata-note kata-good" }, said.text) : null),
    h("div", { role: "alert" }, said && !said.good ? h("div", { className: "kata-note kata-bad" }, h("p", null, visible(said.text)), h(Changes, { changes: said.changed })) : null));
}

function answered(verb, kata) {
  const words = {
    approve: `Approved: ${kata.tool}, revision ${kata.digest.slice(0, 12)}. The agent can call it from the next message on.`,
    reject: "Rejected. It is never proposed again.",
    disable: `Disabled: the agent cannot call ${kata.tool} any more.`,
    enable: `Enabled: the agent can call ${kata.tool} again.`,
    forget: "The rejection is lifted.",
    snooze: kata.until ? `Snoozed until ${new Date(kata.until * 1000).toLocaleDateString()}.` : "Snoozed.",
    trust: `Trusted: ${kata.tool} runs without asking.`,
    untrust: `${kata.tool} is not trusted any more.`,
  };
  return words[verb] || `Done: ${kata.tool} is version ${kata.version} now.`;
}

function Name({ name, setName, before }) {
  return h("div", null, h("label", { htmlFor: "kata-name" }, "Name of the tool"),
    h("div", { className: "kata-joined" }, h("span", { className: "kata-mono", "aria-hidden": true }, "kata_"),
      h("input", { id: "kata-name", className: "kata-input kata-mono", value: name, maxLength: 64, autoComplete: "off", spellCheck: false, autoCapitalize: "none",
        "aria-describedby": "kata-name-hint", onChange: (event) => setName(event.target.value) })),
    h("p", { id: "kata-name-hint", className: "kata-small" }, before ? `Leave it empty to keep ${before}` : "Small letters, digits and _, for example deploy_preview"));
}

function Confirm({ kata, wanted, confirm, setConfirm }) {
  const steps = destroying(kata);
  if (!steps.length) return null;
  return h("div", { className: "kata-note kata-bad" },
    steps.map((one) => h("p", { key: one.number }, `✖ Step ${one.number} destroys: `, h("span", { className: "kata-mono", dir: "ltr" }, visible(one.line)), ` (${visible(one.why)})`)),
    h("label", { htmlFor: "kata-confirm" }, wanted ? `Type ${wanted} to confirm` : "Give it a name first, then type the whole name here"),
    h("input", { id: "kata-confirm", className: "kata-input kata-mono", value: confirm, autoComplete: "off", spellCheck: false, autoCapitalize: "none", onChange: (event) => setConfirm(event.target.value) }));
}

function Earlier({ kata, version, setVersion }) {
  const earlier = kata.versions.filter((one) => one.approved && !one.current);
  return h("div", null, h("label", { htmlFor: "kata-version" }, "Earlier approved version"),
    h("select", { id: "kata-version", className: "kata-input", value: version, onChange: (event) => setVersion(event.target.value) },
      h("option", { value: "" }, "choose one"), earlier.map((one) => h("option", { key: one.version, value: one.version }, `Version ${one.version}, revision ${one.digest.slice(0, 12)}`))));
}

let asked = 0;

// The second yes. The focus comes here, Escape goes back to the button that it came from.
export function Sure({ text, word, digest, busy, danger, yes, no }) {
  const first = useRef(null), [id] = useState(() => `kata-sure-${++asked}`);
  useEffect(() => first.current && first.current.focus(), []);
  return h("div", { className: "kata-note", role: "group", "aria-labelledby": id, onKeyDown: (event) => event.key === "Escape" && no() },
    h("p", { id, ref: first, tabIndex: -1 }, visible(text)),
    h("div", { className: "kata-line" },
      h(Button, { primary: !danger, danger, disabled: busy, onClick: yes }, busy ? "Sending…" : `Yes, ${word.toLowerCase()}${digest ? ` revision ${digest.slice(0, 8)}` : ""}`),
      h(Button, { disabled: busy, onClick: no }, "No, back")));
}

export function Changes({ changes }) {
  if (!changes || !changes.length) return null;
  return h("ul", { className: "kata-changes", "aria-label": many(changes.length, "difference") }, changes.map((one, index) => h("li", { key: index },
    h("p", { className: "kata-small" }, visible(one.what)),
    one.before ? h("p", { dir: "ltr" }, h("span", { className: "kata-was" }, "was"), h("del", { className: "kata-mono" }, visible(one.before))) : null,
    one.after ? h("p", { dir: "ltr" }, h("span", { className: "kata-was" }, "now"), h("ins", { className: "kata-mono" }, visible(one.after))) : null)));
}
