// Draws one run as a waterfall: when each step began and how long it took. It only draws.
import { h, useWidth, seconds, RESULTS, visible } from "./kit.js";

const ROW = 46, AXIS = 22, PAD = 4;

export function places(run, width) {
  const timed = run.steps.filter((step) => step.began > 0);
  const start = Math.min(run.started, ...timed.map((step) => step.began));
  const end = Math.max(run.finished || 0, start + 0.001, ...timed.map((step) => step.began + step.seconds));
  const scale = (width - 2 * PAD) / (end - start);
  const bars = run.steps.map((step, index) => ({
    step, y: AXIS + index * ROW, x: step.began ? PAD + (step.began - start) * scale : PAD, width: step.began ? Math.max(3, step.seconds * scale) : 0,
  }));
  return { bars, total: end - start, height: AXIS + run.steps.length * ROW, timed: timed.length > 0 };
}

export function Waterfall({ run }) {
  const [place, width] = useWidth();
  const drawn = width ? places(run, width) : null;
  return h("div", { ref: place, className: "kata-fall" }, drawn && run.steps.length ? h("svg", { width, height: drawn.height, role: "img", "aria-label": told(run) },
    [0, 0.5, 1].map((part) => h("g", { key: part },
      h("line", { x1: PAD + part * (width - 2 * PAD), x2: PAD + part * (width - 2 * PAD), y1: AXIS - 4, y2: drawn.height, className: "kata-grid" }),
      drawn.timed ? h("text", { x: PAD + part * (width - 2 * PAD), y: 12, textAnchor: part === 0 ? "start" : part === 1 ? "end" : "middle", className: "kata-label" }, seconds(part * drawn.total)) : null)),
    drawn.bars.map(({ step, x, y, width: wide }) => h("g", { key: step.step },
      h("text", { x: PAD, y: y + 15, className: "kata-label" }, `${step.step}  ${visible(step.tool)}`),
      h("text", { x: width - PAD, y: y + 15, textAnchor: "end", className: "kata-label" }, ended(step)),
      h("rect", { x: PAD, y: y + 22, width: width - 2 * PAD, height: 14, className: "kata-track" }),
      h("rect", { x, y: y + 22, width: wide, height: 14, className: `kata-bar kata-${step.status}` })))) : null);
}

function ended(step) {
  const [glyph, word] = RESULTS[step.status] || ["?", step.status];
  const time = step.began ? ` · ${seconds(step.seconds)}` : "";
  return `${glyph} ${word}${time}${step.attempts > 1 ? ` · ${step.attempts} tries` : ""}`;
}

function told(run) {
  return `Time of each step: ${run.steps.map((step) => visible(`step ${step.step} ${step.tool} ${ended(step)}`)).join("; ")}`;
}
