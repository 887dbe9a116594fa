// The tab: its own small navigation, and which page stands under which address.
import { h, React, useEffect, useRef, useRoute, Link, profile } from "./kit.js";
import { Overview } from "./overview.js";
import { Katas } from "./katas.js";
import { KataPage } from "./kata.js";
import { Runs, RunPage } from "./runs.js";
import { Near, Audit } from "./logs.js";

const PAGES = [["", "Overview"], ["katas", "Katas"], ["runs", "Runs"], ["near", "Near misses"], ["audit", "Audit"]];
const PARENT = { kata: "katas", run: "runs" };

function shown([name, id]) {
  switch (name) {
    case "katas": return h(Katas);
    case "kata": return h(KataPage, { id, key: id });
    case "runs": return h(Runs, { kata: id || "", key: id });
    case "run": return h(RunPage, { id, key: id });
    case "near": return h(Near);
    case "audit": return h(Audit);
    default: return h(Overview);
  }
}

export default function Page() {
  const route = useRoute();
  const place = useRef(null), before = useRef(route.join("/"));
  const at = route.join("/");
  const current = PARENT[route[0]] || (PAGES.some(([name]) => name === route[0]) ? route[0] : "");
  // Who goes to another page by keyboard goes on reading there.
  useEffect(() => {
    if (before.current !== at && place.current) place.current.focus();
    before.current = at;
  }, [at]);
  return h("div", { className: "kata" },
    h("nav", { "aria-label": "Kata", className: "kata-nav" },
      PAGES.map(([name, label]) => h(Link, { key: name, to: name, "aria-current": current === name ? "page" : undefined }, label)),
      profile() ? h("span", { className: "kata-profile" }, `profile ${profile()}`) : null),
    h("div", { ref: place, tabIndex: -1, className: "kata-page", "data-view": at }, h(React.Fragment, { key: at }, shown(route))));
}
