// What every page uses: React as the host hands it out, the calls to the plugin's addresses, polling, and recorded text made visible.
const sdk = window.__HERMES_PLUGIN_SDK__;
export const { React } = sdk;
export const h = React.createElement;
export const { useState, useEffect, useRef, useCallback, useMemo, useLayoutEffect } = React;

// ── Asking the server ──────────────────────────────────────────────────────────────────────────

export class Failure extends Error {
  constructor(code, message, body) {
    super(message);
    this.code = code;
    this.body = body || {};
  }
}

// The host does not send the chosen profile to plugins, so every address carries it.
export function profile() {
  return (sdk.profileScope && sdk.profileScope.profile) || new URLSearchParams(location.search).get("profile") || "";
}

function address(path) {
  const chosen = profile();
  return `/api/plugins/kata/${path}` + (chosen ? `${path.includes("?") ? "&" : "?"}profile=${encodeURIComponent(chosen)}` : "");
}

// `authedFetch` carries the host's sign-in and, unlike `fetchJSON`, does not reload the page (and lose what was typed) on a 401.
async function fetched(path, init) {
  if (sdk.authedFetch) return sdk.authedFetch(address(path), init);
  try {
    const told = await sdk.fetchJSON(address(path), init);
    return { ok: true, status: 200, text: async () => JSON.stringify(told) };
  } catch (error) {
    const [, code, body] = /^(\d{3}): ?([^]*)$/.exec(error.message) || [];
    if (!code) throw error;
    return { ok: false, status: Number(code), text: async () => body };
  }
}

export async function call(path, sent) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent) };
  let answer, text;
  try {
    answer = await fetched(path, sent === undefined ? {} : post);
    text = await answer.text();
  } catch {
    throw new Failure(0, "The dashboard does not answer; it may be starting again. What you see is from before.");
  }
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    // The host answers a fault with plain text; the sentence below says it better.
  }
  if (answer.ok && told) return told;
  const otherwise = answer.status === 401 ? "You are not signed in any more. Sign in again and reload; what you see is from before."
    : `Kata could not answer (${answer.status}).`;
  throw new Failure(answer.status, (told && typeof told.error === "string" && told.error) || otherwise, told);
}

// ── Polling ────────────────────────────────────────────────────────────────────────────────────

const EVERY = 4000;

// What an address says now, asked again every few seconds while the page can be seen. What is shown stays while it is asked again.
export function usePoll(path) {
  const [now, setNow] = useState({ path: null, told: null, error: null });
  const asking = useRef({ turn: 0, text: "" });
  const ask = useCallback(async () => {
    const turn = ++asking.current.turn;
    try {
      const told = await call(path);
      if (turn !== asking.current.turn) return;
      const text = path + JSON.stringify(told);
      if (text !== asking.current.text || asking.current.failed) setNow({ path, told, error: null });
      Object.assign(asking.current, { text, failed: false });
    } catch (error) {
      if (turn !== asking.current.turn) return;
      asking.current.failed = true;
      setNow((before) => ({ path, told: before.told && !(error.code === 404) ? before.told : null, error }));
    }
  }, [path]);
  useEffect(() => {
    let timer = 0;
    const tick = async () => {
      clearTimeout(timer);
      if (document.visibilityState === "hidden") return;
      await ask();
      timer = setTimeout(tick, EVERY);
    };
    tick();
    document.addEventListener("visibilitychange", tick);
    return () => {
      asking.current.turn++;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [ask]);
  return { told: now.told, error: now.error, fresh: now.path === path, again: ask };
}

// ── Going from page to page ────────────────────────────────────────────────────────────────────

export function useRoute() {
  const read = () => location.hash.replace(/^#/, "").split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const change = () => setRoute(read());
    window.addEventListener("hashchange", change);
    return () => window.removeEventListener("hashchange", change);
  }, []);
  return route;
}

export function Link({ to, children, ...more }) {
  return h("a", { href: `${location.pathname}${location.search}#${to}`, ...more }, children);
}

// ── What a person typed outlives a refresh ─────────────────────────────────────────────────────

export function useTyped(key) {
  const name = `kata:${profile()}:${key}`;
  const [text, setText] = useState(() => stored(name));
  useEffect(() => setText(stored(name)), [name]);
  const type = (value) => {
    setText(value);
    try {
      if (value) sessionStorage.setItem(name, value);
      else sessionStorage.removeItem(name);
    } catch {
      // A browser that keeps nothing still keeps the text on the page.
    }
  };
  return [text, type];
}

function stored(name) {
  try {
    return sessionStorage.getItem(name) || "";
  } catch {
    return "";
  }
}

// ── Recorded text ──────────────────────────────────────────────────────────────────────────────

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

// Recorded text as it is, but nothing in it hides or turns the reading direction: such characters are written out.
export function visible(text, lines = false) {
  return String(text).replace(UNSEEN, (one) => {
    if (one === "\n") return lines ? "\n" : " ⏎ ";
    if (one === "\t") return lines ? "\t" : " ";
    return `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

export function Recorded({ text, className = "" }) {
  return h("span", { className: `kata-mono ${className}`, dir: "ltr" }, visible(text));
}

export function Block({ text, label }) {
  return h("pre", { className: "kata-block", dir: "ltr", tabIndex: 0, role: "group", "aria-label": label }, visible(text, true));
}

// ── Small pieces ───────────────────────────────────────────────────────────────────────────────

export const STATES = {
  candidate: ["◇", "Proposal"], active: ["●", "Active"], stale: ["△", "Stale"],
  suspended: ["■", "Suspended"], disabled: ["○", "Disabled"], rejected: ["✕", "Rejected"],
};
export const RESULTS = {
  ok: ["✓", "done"], error: ["✕", "failed"], timeout: ["◷", "timed out"], refused: ["⊘", "refused"],
  interrupted: ["‖", "interrupted"], skipped: ["–", "skipped"], unknown: ["?", "not known"],
};
const EFFECTS = { read: ["○", "reads"], write: ["●", "writes"], external: ["▲", "acts outside"], unknown: ["?", "unknown effect"] };

export function effect(one) {
  const [glyph, word] = EFFECTS[one.kind] || ["?", one.kind];
  return one.destructive ? { glyph: "✖", word: "destroys", kind: "destructive" } : { glyph, word, kind: one.kind };
}

export function Mark({ of, kind, tone }) {
  const [glyph, word] = of[kind] || ["?", String(kind)];
  return h("span", { className: `kata-mark kata-${tone || kind}` }, h("span", { "aria-hidden": true }, glyph), " ", word);
}

export function EffectMark({ one }) {
  const { glyph, word, kind } = effect(one);
  return h("span", { className: `kata-mark kata-${kind}` }, h("span", { "aria-hidden": true }, glyph), " ", word);
}

export function When({ at }) {
  if (!at) return h("span", null, "never");
  const date = new Date(at * 1000);
  return h("time", { dateTime: date.toISOString(), title: date.toLocaleString() }, ago(at));
}

function ago(at) {
  const seconds = Math.max(0, Date.now() / 1000 - at);
  if (seconds < 60) return "just now";
  const [size, word] = seconds < 3600 ? [60, "min"] : seconds < 86400 ? [3600, "h"] : [86400, "d"];
  return seconds > 30 * 86400 ? new Date(at * 1000).toLocaleDateString() : `${Math.floor(seconds / size)} ${word} ago`;
}

export function seconds(value) {
  return value < 0.0995 ? `${Math.round(value * 1000)} ms` : value < 60 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function many(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function Button({ children, primary, danger, ...more }) {
  const look = `kata-button${primary ? " kata-primary" : ""}${danger ? " kata-danger" : ""}`;
  return h("button", { type: "button", className: look, ...more }, children);
}

export function Section({ title, children, aside, id }) {
  return h("section", { className: "kata-card", "aria-labelledby": id },
    h("div", { className: "kata-head" }, h("h3", { id }, title), aside), children);
}

// A page while its first answer is on its way, when it failed, and otherwise.
export function Loaded({ poll, what, children }) {
  const trouble = poll.error && h("div", { className: "kata-note kata-bad", role: "alert" },
    h("span", null, poll.error.message), h(Button, { onClick: poll.again }, "Try again"));
  if (poll.told) return h(React.Fragment, null, trouble, children(poll.told));
  return trouble || h("div", { className: "kata-card kata-empty", role: "status" },
    h("p", null, `Loading ${what}…`), h("span", { className: "kata-bone", "aria-hidden": true }), h("span", { className: "kata-bone", "aria-hidden": true }));
}

export function Empty({ children }) {
  return h("p", { className: "kata-empty" }, children);
}

// The width of an element, for drawings that have to know it.
export function useWidth() {
  const place = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!place.current) return undefined;
    setWidth(Math.floor(place.current.clientWidth));
    if (typeof ResizeObserver === "undefined") return undefined;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return [place, width];
}
