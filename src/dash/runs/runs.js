// The live page of a folder of runs: their curves over each other, the best agents next to each other, and a table of
// the settings in which they differ.
"use strict";

Object.assign(data, { table: null, curves: new Map(), frames: [] }); // curves: points and scores by a run's number
// hot: the number of the run that is brought out; held: the one that stays so; sort: a column and its direction
Object.assign(view, { y: "evaluation", hot: null, held: null, sort: ["best", -1], paused: false, overlay: true });
const GENERATION = 0, STEPS = 1, SECONDS = 2; // columns of points and scores
const BEST = 3, MEAN = 4, RATE = 6; // of points
const SCORE = 3; // of scores
const LEGEND = 12, LEGEND_NARROW = 6; // runs that it names

const known = (x) => x !== null && x !== undefined;
const number = (x, spread = 0) => (known(x) && isFinite(x) ? x.toFixed(decimals(x, spread)) : "–");
const runs = () => (data.table ? data.table.runs : []);
const runOf = (n) => runs().find((run) => run.run === n);
const bestOf = (run) => (run.best ? run.best[0] : known(run.accuracy) ? run.accuracy : null);
const byBest = () => runs().slice().sort((a, b) => (bestOf(b) ?? -Infinity) - (bestOf(a) ?? -Infinity) || a.run - b.run);
const brought = () => view.hot ?? view.held;

// Colours are a golden angle apart and of three lightnesses, so that neighbours differ however many there are.
function colourOf(n) {
  const dark = colour("dark") === "1", light = (dark ? [66, 78, 56] : [42, 52, 31])[n % 3];
  return `hsl(${(215 + 137.508 * n) % 360} 65% ${light}%)`;
}

// --- names of settings -----------------------------------------------------------------------------------------

// The last word of a key says enough where no other key ends in it.
function shortKeys() {
  const words = data.table.keys.map((key) => key.slice(key.lastIndexOf(".") + 1));
  return data.table.keys.map((key, i) => (words.filter((word) => word === words[i]).length > 1 ? key : words[i]));
}
function labelOf(run) {
  const keys = shortKeys(), words = keys.map((key, i) => run.values[i] && `${key} ${run.values[i]}`).filter(Boolean);
  return words.slice(0, 4).join(" · ") + (words.length > 4 ? " …" : "") || run.name;
}

// --- who is brought out ----------------------------------------------------------------------------------------

function bringOut(n) {
  if (view.hot === n) return;
  view.hot = n;
  redraw("curves", "marks");
}
function hold(n) {
  view.held = view.held === n ? null : n;
  redraw("curves", "marks");
}
// The parts of the page that belong to a run bring it out while they are pointed at or have the focus.
function belongs(element, n) {
  element.dataset.run = n;
  element.addEventListener("pointerenter", () => bringOut(n));
  element.addEventListener("pointerleave", () => bringOut(null));
  element.addEventListener("focusin", () => bringOut(n));
  element.addEventListener("focusout", () => bringOut(null));
  return element;
}
function drawMarks() {
  document.querySelectorAll("[data-run]").forEach((element) => {
    element.classList.toggle("hot", Number(element.dataset.run) === brought());
    if (element.tagName === "BUTTON") element.setAttribute("aria-pressed", String(Number(element.dataset.run) === view.held));
  });
}
function paintSwatches() {
  document.querySelectorAll("[data-swatch]").forEach((mark) => { mark.style.background = colourOf(Number(mark.dataset.swatch)); });
}
function swatch(n) {
  const mark = Object.assign(document.createElement("i"), { className: "swatch" });
  mark.dataset.swatch = n;
  return mark;
}

// --- the header ------------------------------------------------------------------------------------------------

function drawHeader() {
  if (!data.table) return;
  const states = new Map();
  runs().forEach((run) => states.set(run.state, (states.get(run.state) || 0) + 1));
  const running = states.get("running") || 0;
  setState(running ? "running" : "still", running ? `${running} running` : "none is running");
  $("run").textContent = data.table.folder;
  const many = `${count(data.table.found)} run${data.table.found === 1 ? "" : "s"}`;
  $("about").textContent = [many, ...[...states].map(([state, n]) => `${n} ${state}`)].join(" · ");
  document.title = `${data.table.folder} · ${many}`;
}

// --- curves ----------------------------------------------------------------------------------------------------

const columnOf = () => ({ generation: GENERATION, steps: STEPS, time: SECONDS })[view.x];
const scaleX = (value) => (view.x === "time" ? value / 60 : value);
const columnOfY = { mean: MEAN, best: BEST, rate: RATE };

// What is drawn of a run: [[x, y], ...].
function curveOf(n) {
  const curve = data.curves.get(n), k = columnOf();
  if (!curve) return [];
  const [rows, at] = view.y === "evaluation" ? [curve.scores, SCORE] : [curve.points, columnOfY[view.y]];
  return rows.filter((row) => known(row[at]) && !(view.y === "rate" && row[at] <= 0)).map((row) => [scaleX(row[k]), row[at]]);
}

const extremes = (values) => values.reduce(([low, high], v) => [Math.min(low, v), Math.max(high, v)], [Infinity, -Infinity]);
const wordsOfY = { evaluation: "evaluation", mean: "population mean", best: "population best", rate: "steps a second" };
let drawn = null; // what the pointer finds: the plot and the curves in it

function drawCurves() {
  const canvas = $("curves");
  const curves = runs().map((run) => ({ run, points: curveOf(run.run) })).filter((curve) => curve.points.length > 0);
  drawn = null;
  if (curves.length === 0) {
    waiting(canvas, view.y === "evaluation" ? "waiting for the first evaluation" : "waiting for the first generation");
    return;
  }
  const all = curves.flatMap((curve) => curve.points), ys = extremes(all.map((p) => p[1]));
  const plot = axes(canvas, extremes(all.map((p) => p[0])), view.y === "rate" ? [0, ys[1]] : ys, 6), { c, x, y } = plot;
  drawn = { plot, curves };
  const hot = curves.find((curve) => curve.run.run === brought());
  for (const { run, points } of curves) if (!hot || run !== hot.run) paintCurve(c, points.map((p) => [x(p[0]), y(p[1])]), run.run, hot ? 0.22 : 0.9, 1.6);
  if (hot) {
    paintCurve(c, hot.points.map((p) => [x(p[0]), y(p[1])]), hot.run.run, 1, 3);
    if (view.cursor !== null) sayPoint(plot, hot); // words would hide the curves where nobody reads them
  }
  c.restore();
  const best = byBest()[0];
  canvas.setAttribute("aria-label", `${wordsOfY[view.y]} of ${curves.length} run${curves.length === 1 ? "" : "s"}` +
    (best && bestOf(best) !== null ? `, the best of them ${labelOf(best)} with ${number(bestOf(best))}` : "") +
    "; arrow keys up and down bring a run out, left and right read points");
}

function paintCurve(c, points, n, alpha, thick) {
  c.globalAlpha = alpha;
  line(c, points, colourOf(n), thick);
  const [px, py] = last(points); // an end is seen, also that of a curve with one point
  c.beginPath();
  c.arc(px, py, thick + 0.8, 0, 7);
  c.fillStyle = colourOf(n);
  c.fill();
  c.globalAlpha = 1;
}

// The point of the run that is brought out, under the pointer.
function sayPoint(plot, { run, points }) {
  const end = last(points)[0], first = points[0][0], span = end - first || 1;
  const place = (plot.first + view.cursor * (plot.end - plot.first) - first) / span;
  const held = view.cursor;
  view.cursor = Math.min(1, Math.max(0, place));
  drawCursor(plot, points, (p) => p[0], (p) => [labelOf(run), `${short(p[0])} ${view.x === "time" ? "minutes" : view.x === "steps" ? "steps" : "generations"}`,
    `${wordsOfY[view.y]} ${view.y === "rate" ? count(p[1]) : number(p[1])}`]);
  view.cursor = held;
}

// The curve that is nearest to a point of the canvas, where one is near.
function nearest(px, py) {
  let found = null, least = 24;
  for (const { run, points } of drawn ? drawn.curves : []) {
    for (let i = 0; i < points.length; i++) {
      const [x1, y1] = [drawn.plot.x(points[i][0]), drawn.plot.y(points[i][1])];
      const [x0, y0] = i ? [drawn.plot.x(points[i - 1][0]), drawn.plot.y(points[i - 1][1])] : [x1, y1];
      const part = x1 > x0 ? Math.min(1, Math.max(0, (px - x0) / (x1 - x0))) : 1;
      const far = Math.hypot(px - (x0 + part * (x1 - x0)), py - (y0 + part * (y1 - y0)));
      if (far < least) [least, found] = [far, run.run];
    }
  }
  return found;
}

function readCurves(canvas) {
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    view.cursor = Math.min(1, Math.max(0, (event.clientX - box.left - 52) / (box.width - 64)));
    return nearest(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("pointermove", (event) => { bringOut(place(event)); redraw("curves"); });
  canvas.addEventListener("click", (event) => { const n = place(event); if (n !== null) hold(n); });
  const leave = () => { view.cursor = null; bringOut(null); redraw("curves"); };
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  canvas.addEventListener("keydown", (event) => {
    const order = byBest().filter((run) => curveOf(run.run).length > 0).map((run) => run.run);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], move = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (event.key === "Escape") { leave(); view.held = null; redraw("marks"); return; }
    if (!order.length || (!step && !move)) return;
    const from = order.indexOf(brought());
    if (step || from < 0) bringOut(order[from < 0 ? 0 : Math.min(order.length - 1, Math.max(0, from + step))]);
    view.cursor = Math.min(1, Math.max(0, (view.cursor ?? 1) + (move ?? 0)));
    event.preventDefault();
    redraw("curves");
  });
}

// --- the legend ------------------------------------------------------------------------------------------------

function drawLegend() {
  if (!data.table) return;
  const narrow = matchMedia("(max-width: 900px)").matches, list = $("legend");
  const listed = byBest().filter((run) => !run.net), shown = listed.slice(0, narrow ? LEGEND_NARROW : LEGEND);
  while (list.children.length > shown.length) list.lastChild.remove();
  shown.forEach((run, i) => {
    const text = labelOf(run), there = list.children[i];
    if (there && there.dataset.of === String(run.run) && there.textContent === text) return;
    const item = document.createElement("li"), button = Object.assign(document.createElement("button"), { type: "button" });
    item.dataset.of = run.run;
    button.append(swatch(run.run), text);
    button.addEventListener("click", () => hold(run.run));
    item.append(belongs(button, run.run));
    if (there) there.replaceWith(item);
    else list.append(item);
  });
  $("legend-about").textContent = listed.length > shown.length ? `and ${listed.length - shown.length} more, which the table lists` : "";
  paintSwatches();
  drawMarks();
}

// --- the table -------------------------------------------------------------------------------------------------

// A column: its name, what it sorts by, its words, whether it holds numbers.
function columns() {
  const keys = shortKeys(), score = (s) => (s ? `${number(s[0], s[1])} ± ${number(s[1], s[1])}` : "–");
  return [
    { id: "run", name: "run", value: (run) => run.run },
    { id: "state", name: "state", value: (run) => run.state, text: (run) => run.state },
    ...keys.map((key, i) => ({ id: `=${data.table.keys[i]}`, name: key, title: data.table.keys[i], value: (run) => run.values[i], text: (run) => run.values[i] || "–" })),
    { id: "best", name: "best evaluation", value: bestOf, right: true,
      text: (run) => (known(run.accuracy) ? `${(100 * run.accuracy).toFixed(2)} %` : score(run.best)) },
    { id: "last", name: "last evaluation", value: (run) => (run.last ? run.last[0] : null), right: true, text: (run) => score(run.last) },
    { id: "generation", name: "generation", value: (run) => run.generation, right: true, text: (run) => `${count(run.generation)} of ${count(run.generations)}` },
    { id: "steps", name: "steps", value: (run) => run.steps, right: true, text: (run) => short(run.steps) },
    { id: "time", name: "time", value: (run) => run.seconds, right: true, text: (run) => duration(run.seconds) },
  ];
}

// Numbers by their size, words by the alphabet, what is missing last.
function compare(a, b, direction) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) - none(b);
  const numbers = isFinite(a) && isFinite(b);
  return direction * (numbers ? a - b : String(a).localeCompare(String(b), "en"));
}

function drawHead(list) {
  const row = $("columns"), wanted = list.map((column) => column.id).join("\n");
  if (row.dataset.of !== wanted) {
    row.dataset.of = wanted;
    row.replaceChildren(...list.map((column) => {
      const cell = document.createElement("th"), button = Object.assign(document.createElement("button"), { type: "button", textContent: column.name });
      cell.scope = "col";
      cell.title = column.title || "";
      cell.className = column.right ? "right" : "";
      button.addEventListener("click", () => {
        view.sort = [column.id, view.sort[0] === column.id ? -view.sort[1] : column.right ? -1 : 1];
        redraw("table");
      });
      cell.append(button);
      return cell;
    }));
  }
  list.forEach((column, i) => row.children[i].setAttribute("aria-sort",
    column.id !== view.sort[0] ? "none" : view.sort[1] > 0 ? "ascending" : "descending"));
}

const tableRows = new Map(); // by a run's number, so that a row keeps its focus while its words change

function rowOf(run, list) {
  let row = tableRows.get(run.run);
  if (!row || row.children.length !== list.length) {
    row = belongs(document.createElement("tr"), run.run);
    const link = Object.assign(document.createElement("a"), { href: `runs/${run.id}/`, textContent: run.name });
    row.append(...list.map((column) => Object.assign(document.createElement("td"), { className: column.right ? "right" : "" })));
    row.firstChild.append(swatch(run.run), link);
    row.children[1].className = "is";
    tableRows.set(run.run, row);
  }
  list.forEach((column, i) => {
    const text = column.text ? column.text(run) : null;
    if (text !== null && row.children[i].textContent !== text) row.children[i].textContent = text;
  });
  row.children[1].title = run.reason;
  row.dataset.state = run.state.split(" ")[0];
  return row;
}

function drawTable() {
  if (!data.table) return;
  const list = columns(), column = list.find((c) => c.id === view.sort[0]) || list[0], [, direction] = view.sort;
  drawHead(list);
  const order = runs().slice().sort((a, b) => compare(column.value(a), column.value(b), direction) || a.run - b.run);
  const rows = order.map((run) => rowOf(run, list)), body = $("rows");
  if (rows.length !== body.children.length || rows.some((row, i) => body.children[i] !== row)) body.replaceChildren(...rows);
  $("table-title").textContent = "runs, and the settings in which they differ";
  const left = data.table.found - runs().length;
  $("table-about").textContent = [runs().length === 0 && "no runs yet", left > 0 && `the first ${runs().length} of ${count(data.table.found)} runs`,
    data.table.more_keys && `and ${data.table.more_keys} more settings in which they differ`].filter(Boolean).join("; ");
  paintSwatches();
  drawMarks();
}

// --- the best agents -------------------------------------------------------------------------------------------

const places = []; // a figure each, with the picture that it shows

function placeOf(i) {
  if (places[i]) return places[i];
  const figure = document.createElement("figure"), canvas = document.createElement("canvas");
  const caption = document.createElement("figcaption"), picture = new Image(), place = { figure, canvas, caption, picture, run: null, shown: null };
  canvas.setAttribute("role", "img");
  figure.append(canvas, caption);
  for (const type of ["pointerenter", "focusin"]) figure.addEventListener(type, () => bringOut(place.run));
  for (const type of ["pointerleave", "focusout"]) figure.addEventListener(type, () => bringOut(null));
  picture.onload = () => { if (place.shown) paintPicture(canvas, picture, place.shown, view.overlay); };
  $("agents").append(figure);
  return (places[i] = place);
}

function drawAgent(place, { run: n, ended, frame }, rank) {
  const run = runOf(n);
  if (!run) return;
  if (place.run !== n || place.label !== labelOf(run)) {
    place.run = n;
    place.label = labelOf(run);
    place.figure.dataset.run = n;
    const link = Object.assign(document.createElement("a"), { href: `runs/${run.id}/`, textContent: place.label });
    place.caption.replaceChildren(swatch(n), link, document.createElement("span"));
    paintSwatches();
    drawMarks();
  }
  place.caption.lastChild.textContent = `return ${number(frame.return)}, ${ended ? "ended at step" : "step"} ${count(frame.step)}`;
  place.figure.classList.toggle("ended", ended);
  place.canvas.setAttribute("aria-label", `what agent ${rank} sees: ${place.label}`);
  place.shown = frame;
  if (frame.png) place.picture.src = `data:image/png;base64,${frame.png}`;
}

function drawScene() {
  const frames = data.frames;
  if (frames.length === 0 || !data.table) return;
  while (places.length > frames.length) places.pop().figure.remove();
  frames.forEach((entry, i) => drawAgent(placeOf(i), entry, i + 1));
  $("agents").classList.toggle("one", frames.length === 1);
  $("scene-title").textContent = frames.length === 1 ? "the best agent" : `the ${frames.length} best agents, the best first`;
  $("scene-about").textContent = `all play the episode of seed ${frames[0].frame.seed}, which training never saw`;
  document.querySelector("#overlay").hidden = !frames.some((entry) => attends(entry.frame));
}

// --- parts and keys --------------------------------------------------------------------------------------------

Object.assign(painters, { header: drawHeader, curves: drawCurves, legend: drawLegend, table: drawTable, scene: drawScene,
  marks: drawMarks, swatches: paintSwatches });

toggle("pause", (on) => { view.paused = on; });
toggle("overlay", (on) => {
  view.overlay = on;
  places.forEach((place) => { if (place.shown && place.picture.complete) paintPicture(place.canvas, place.picture, place.shown, on); });
});
const choices = document.querySelectorAll("[data-y]");
choices.forEach((button) => button.addEventListener("click", () => {
  view.y = button.dataset.y;
  choices.forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
  redraw("curves");
}));
readCurves($("curves"));
begin({
  anew: () => {
    data.table = null;
    data.curves.clear();
    data.frames = [];
    tableRows.clear(); // another server may count the runs anew
    view.held = view.hot = null;
  },
  runs: (table) => { data.table = table; redraw("header", "curves", "legend", "table"); },
  curve: ({ run, anew, points, scores }) => {
    if (anew || !data.curves.has(run)) data.curves.set(run, { points: [], scores: [] });
    data.curves.get(run).points.push(...points);
    data.curves.get(run).scores.push(...scores);
    redraw("curves");
  },
  frames: (frames) => { if (!view.paused) { data.frames = frames; redraw("scene"); } },
});
