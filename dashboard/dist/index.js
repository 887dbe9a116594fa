// The entry that the host loads: registers the tab at once, brings the pages in, and keeps a fault of ours out of the rest of the dashboard.
(function () {
  "use strict";
  const sdk = window.__HERMES_PLUGIN_SDK__, host = window.__HERMES_PLUGINS__;
  if (!sdk || !host) return;
  const { React } = sdk;
  const h = React.createElement;
  const here = document.currentScript ? document.currentScript.src : new URL("/dashboard-plugins/kata/dist/index.js", location.href).href;

  // The host has no boundary of its own: an exception while drawing would leave the whole dashboard blank.
  class Boundary extends React.Component {
    constructor(props) {
      super(props);
      this.state = { error: null };
    }
    static getDerivedStateFromError(error) {
      return { error };
    }
    render() {
      if (!this.state.error) return this.props.children;
      return h("div", { className: "kata" }, h("div", { className: "kata-note kata-bad", role: "alert" },
        h("p", null, "The Kata tab has a fault and could not be drawn. Nothing was decided; “/kata” in a chat and “hermes kata” in a shell go on working."),
        h("p", { className: "kata-small" }, String((this.state.error && this.state.error.message) || this.state.error)),
        h("button", { type: "button", className: "kata-button", onClick: () => this.setState({ error: null }) }, "Draw it again")));
    }
  }

  const loading = h("div", { className: "kata" }, h("p", { role: "status", className: "kata-empty" }, "Loading Kata…"));
  const Page = React.lazy(() => import(new URL("page.js", here).href));
  host.register("kata", () => h(Boundary, null, h(React.Suspense, { fallback: loading }, h(Page))));
})();
