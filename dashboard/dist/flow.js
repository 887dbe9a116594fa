// Draws the flow picture: steps in order as boxes, sources of values as lanes beside them, an arrow wherever a value goes in. It only draws;
// `layout` is a function from the flow and a width to places.
import { h, React, useState, useWidth, effect, visible } from "./kit.js";

const LINE = 17, LETTER = 7.35, LANE = 16, SHARE = 0.35, PAD = 10, GAP = 14, HEAD = 26, ROW = 26, MOST_LINES = 8;

// ── Places ─────────────────────────────────────────────────────────────────────────────────────

// Text with its pieces, in lines of so many letters: a piece remembers its source through every break.
export function wrapped(pieces, columns) {
  const lines = [[]];
  let room = columns;
  for (const piece of pieces) {
    let text = visible(piece.text);
    while (text) {
      if (!room) {
        lines.push([]);
        room = columns;
      }
      const letters = Array.from(text), part = letters.slice(0, room).join("");
      lines[lines.length - 1].push({ text: part, source: piece.source });
      room -= Math.min(room, letters.length);
      text = text.slice(part.length);
    }
  }
  return lines;
}

function lines(step, columns) {
  const shell = step.tool === "terminal" || step.tool === "bash";
  const all = step.arguments.flatMap(({ name, pieces }) => wrapped(shell && name === "command" ? pieces : [{ text: `${name} = ` }, ...pieces], columns));
  return all.length > MOST_LINES ? [...all.slice(0, MOST_LINES - 1), [{ text: "… whole below" }]] : all;
}

// A lane for every source from where it starts to its last use; lanes that do not meet share a place.
function lanes(sources, uses) {
  const spans = sources.map((one) => {
    const into = uses.filter((use) => use.source === one.source).map((use) => use.step);
    return { source: one.source, first: one.kind === "input" ? 0 : one.step, last: Math.max(one.step || 0, ...into) };
  });
  const places = [];
  spans.forEach((span, index) => {
    const free = places.findIndex((last) => span.first > 0 && last < span.first);
    span.lane = free >= 0 ? free : places.length;
    places[span.lane] = span.last;
    span.index = index;
  });
  return { lanes: new Map(spans.map((span) => [span.source, span.lane])), count: places.length };
}

export function layout(flow, width) {
  const sources = flow.sources, { lanes: at, count } = lanes(sources, flow.uses);
  const lane = Math.min(LANE, (width * SHARE) / Math.max(1, count)), left = PAD + count * lane + 12, wide = Math.max(120, width - left - 2);
  const columns = Math.max(14, Math.floor((wide - 2 * PAD) / LETTER));
  const x = (source) => PAD + at.get(source) * lane;
  const inputs = sources.filter((one) => one.kind === "input").map((one, index) => ({ ...one, x: x(one.source), y: index * ROW + ROW / 2 }));
  let y = inputs.length ? inputs.length * ROW + GAP : 2;
  const boxes = flow.steps.map((step) => {
    const text = lines(step, columns);
    const into = [...new Set(flow.uses.filter((use) => use.step === step.step).map((use) => use.source))];
    const out = sources.filter((one) => one.kind === "step" && one.step === step.step).map((one) => one.source);
    const height = Math.max(HEAD + text.length * LINE + PAD, 12 + 14 * (into.length + out.length));
    const box = { step, text, x: left, y, width: wide, height, into: new Map(), out: new Map() };
    into.forEach((source, index) => box.into.set(source, y + 13 + index * 14));
    out.forEach((source, index) => box.out.set(source, y + height - 9 - (out.length - 1 - index) * 14));
    y += height + GAP;
    return box;
  });
  const start = (one) => (one.kind === "input" ? inputs.find((input) => input.source === one.source).y : boxes[one.step - 1].out.get(one.source));
  const arrows = sources.flatMap((one) => {
    const uses = flow.uses.filter((use) => use.source === one.source);
    return [...new Set(uses.map((use) => use.step))].map((number) => ({
      source: one, step: number, uses: uses.filter((use) => use.step === number),
      x: x(one.source), from: start(one), to: boxes[number - 1].into.get(one.source), edge: left,
    }));
  });
  return { inputs, boxes, arrows, left, height: y, width };
}

// ── Drawing ────────────────────────────────────────────────────────────────────────────────────

function path({ source, x, from, to, edge }) {
  const bend = 6;
  const start = source.kind === "input" ? `M${x} ${from}` : `M${edge} ${from} H${x + bend} Q${x} ${from} ${x} ${from + bend}`;
  return `${start} V${to - bend} Q${x} ${to} ${x + bend} ${to} H${edge - 7}`;
}

function named(source) {
  return source.kind === "input" ? `‹${source.label}›, which the agent gives` : `${source.label} out of the result of step ${source.step}`;
}

function values(source) {
  return [...new Set(source.values.filter((value) => value !== null))];
}

function told({ source, step, uses }) {
  const into = uses.map((use) => `${use.argument}${use.how === "whole" ? "" : " (a part of it)"}`).join(", ");
  return `${named(source)}, goes into step ${step}: ${into}`;
}

function Arrow({ arrow, lit, dim, events }) {
  const { edge, to } = arrow;
  const label = visible(`${told(arrow)}. Recorded: ${values(arrow.source).join(", ") || "nothing"}`);
  return h("g", { className: `kata-arrow${lit ? " kata-lit" : dim ? " kata-dim" : ""}`, role: "button", tabIndex: 0, "aria-label": label, ...events },
    h("path", { d: path(arrow), className: "kata-halo" }),
    h("path", { d: path(arrow), className: "kata-wire" }),
    h("path", { d: `M${edge - 8} ${to - 4.5} L${edge - 1} ${to} L${edge - 8} ${to + 4.5} Z`, className: "kata-tip" }));
}

function Box({ box, lit }) {
  const { step, text, x, y, width, height } = box, { glyph, word, kind } = effect(step);
  return h("g", { role: "img", "aria-label": visible(`Step ${step.step}, ${step.tool}, ${word}: ${step.line}`) },
    h("rect", { x, y, width, height, className: "kata-box" }),
    h("rect", { x, y, width: 4, height, className: `kata-edge kata-${kind}` }),
    h("text", { x: x + PAD + 4, y: y + 18, className: "kata-label" }, `${step.step}  ${visible(step.tool)}`),
    h("text", { x: x + width - PAD, y: y + 18, textAnchor: "end", className: "kata-label" }, `${glyph} ${word}`),
    text.map((line, index) => h("text", { key: index, x: x + PAD + 4, y: y + HEAD + 13 + index * LINE, className: "kata-code", xmlSpace: "preserve" },
      line.map((piece, at) => h("tspan", { key: at, className: piece.source ? `kata-hole${piece.source === lit ? " kata-lit" : ""}` : undefined }, piece.text)))));
}

function Inputs({ picture, lit }) {
  return picture.inputs.map((one) => {
    const room = Math.max(8, Math.floor((picture.width - picture.left - 16) / LETTER)), seen = visible(`‹${one.label}› the agent gives · ${one.type}`);
    return h("g", { key: one.source, className: one.source === lit ? "kata-lit" : undefined, role: "img", "aria-label": `Input ${one.label}, ${one.type}` },
      h("path", { d: `M${one.x} ${one.y} H${picture.left - 4}`, className: "kata-stub" }),
      h("circle", { cx: one.x, cy: one.y, r: 4.5, className: "kata-dot" }),
      h("text", { x: picture.left, y: one.y + 4, className: "kata-code" }, seen.length > room ? `${seen.slice(0, room - 1)}…` : seen));
  });
}

function Detail({ arrow }) {
  if (!arrow) return h("p", { className: "kata-detail kata-small" }, "Point at an arrow, or reach it with the Tab key: it tells which value goes where, and what was recorded.");
  const found = values(arrow.source);
  return h("div", { className: "kata-detail" },
    h("p", null, h("strong", null, visible(told(arrow)))),
    arrow.source.kind === "step" ? h("p", { className: "kata-small" }, "Path in the result: ", h("span", { className: "kata-mono" }, visible(arrow.source.label))) : null,
    h("p", { className: "kata-small" }, "Recorded:"),
    found.length ? h("ul", { className: "kata-values" }, found.map((value, index) => h("li", { key: index, className: "kata-mono", dir: "ltr" }, visible(value)))) : h("p", null, "nothing"));
}

export function Flow({ flow }) {
  const [place, width] = useWidth();
  const [over, setOver] = useState(null), [pinned, setPinned] = useState(null);
  const picture = width ? layout(flow, width) : null;
  const key = (arrow) => `${arrow.source.source}>${arrow.step}`;
  const chosen = over || pinned, arrow = picture && picture.arrows.find((one) => key(one) === chosen);
  const events = (one) => ({
    onMouseEnter: () => setOver(key(one)), onMouseLeave: () => setOver(null),
    onFocus: () => setOver(key(one)), onBlur: () => setOver(null),
    onClick: () => setPinned(pinned === key(one) ? null : key(one)), "aria-pressed": pinned === key(one),
    onKeyDown: (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        setPinned(pinned === key(one) ? null : key(one));
      } else if (event.key === "Escape") {
        setPinned(null);
        setOver(null);
      }
    },
  });
  return h("div", { ref: place, className: "kata-flow" },
    picture ? h("svg", { width, height: picture.height, viewBox: `0 0 ${width} ${picture.height}`, role: "group", "aria-label": `Flow of ${flow.steps.length} steps` },
      h(Inputs, { picture, lit: arrow && arrow.source.source }),
      picture.boxes.map((box) => h(Box, { key: box.step.step, box, lit: arrow && arrow.source.source })),
      [...picture.arrows].sort((a, b) => (key(a) === chosen) - (key(b) === chosen)).map((one) => h(Arrow, { key: key(one), arrow: one, lit: key(one) === chosen, dim: arrow && key(one) !== chosen, events: events(one) }))) : null,
    flow.uses.length ? h(Detail, { arrow }) : h("p", { className: "kata-detail kata-small" }, "Nothing varies: the same calls every time."));
}
