// The live page: one stream of events comes in, and everything is drawn again at most once in each frame of the screen.
"use strict";

const $ = (id) => document.getElementById(id);
const data = { points: [], scores: [], events: [], now: null, frame: null };
const view = { x: "generation", paused: false, overlay: true, cursor: null };
const GENERATION = 0, STEPS = 1, SECONDS = 2; // columns of points and scores
const BEST = 3, MEAN = 4, STD = 5, RATE = 6; // of points
const SCORE = 3, SCORE_STD = 4, EPISODES = 5; // of scores

// --- what comes in ---------------------------------------------------------------------------------------------

const dirty = new Set();
function redraw(...parts) {
  if (dirty.size === 0) requestAnimationFrame(draw);
  parts.forEach((part) => dirty.add(part));
}

function listen() {
  const stream = new EventSource("/events");
  const on = (name, take) => stream.addEventListener(name, (event) => take(JSON.parse(event.data)));
  on("anew", () => { data.points = []; data.scores = []; data.events = []; redraw("curves", "tiles", "events"); });
  on("points", (rows) => { data.points.push(...rows); redraw("curves", "tiles"); });
  on("scores", (rows) => { data.scores.push(...rows); redraw("curves", "tiles"); });
  on("events", (rows) => { data.events = data.events.concat(rows).slice(-48); redraw("events"); });
  on("now", (now) => { data.now = now; redraw("tiles", "phases"); });
  on("frame", (frame) => { if (!view.paused) { data.frame = frame; redraw("scene"); } });
  stream.onerror = () => { setState("lost", "no connection"); };
  stream.onopen = () => redraw("tiles");
}

// --- words -----------------------------------------------------------------------------------------------------

const number = (x, spread = 0) => (x === null || x === undefined || !isFinite(x) ? "–" : x.toFixed(decimals(x, spread)));
const count = (x) => Math.round(x).toLocaleString("en-US");
function duration(seconds) {
  const s = Math.max(0, Math.floor(seconds)), pad = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${pad(s % 60)}` : `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)}:${pad(s % 60)}`;
}
function setState(kind, text) {
  const badge = $("state");
  if (badge.textContent !== text) badge.textContent = text;
  badge.className = `badge ${kind}`;
}
const last = (list) => list[list.length - 1];

function drawTiles() {
  const now = data.now, point = last(data.points), score = last(data.scores);
  if (now) {
    setState(now.state.split(" ")[0], now.state);
    $("run").textContent = now.run;
    $("about").textContent = [now.env, now.policy, now.search, now.host && `on ${now.host}`].filter(Boolean).join(" · ");
    document.title = `${now.run} · ${now.state}`;
  }
  const total = now ? now.generations : 0;
  if (point) {
    const done = Math.max(point[GENERATION], now && now.live ? now.live.generation : 0);
    $("generation").textContent = count(done);
    // the run's own figures, as its board shows them; of two ends the one that comes first
    const live = now && now.live, running = now && now.state === "running" && total > done;
    const known = (x) => x !== null && x !== undefined, current = running && live && live.generations === total;
    const ends = current ? [live.seconds_left, live.limit_left].filter(known) : [];
    const left = ends.length ? Math.min(...ends) : null, byTime = left !== null && left === live.limit_left;
    const soFar = live ? Math.max(live.seconds, point[SECONDS]) : point[SECONDS];
    $("generations").textContent = total && !byTime ? `of ${count(total)}` : "";
    $("bar").value = byTime ? soFar / Math.max(soFar + left, 1e-9) : total ? Math.min(1, done / total) : 0;
    $("left").textContent = `${duration(soFar)} so far` + (left === null ? "" : `, ${duration(left)} to go`);
    $("mean").textContent = number(point[MEAN], point[STD]);
    $("mean-about").textContent = `± ${number(point[STD], point[STD])}, best ${number(point[BEST], point[STD])}`;
    $("rate").textContent = count(point[RATE]);
    $("steps").textContent = `${(point[STEPS] / 1e6).toFixed(2)} million steps`;
  }
  if (score) {
    const best = data.scores.reduce((a, b) => (b[SCORE] > a[SCORE] ? b : a));
    $("best").textContent = number(best[SCORE], best[SCORE_STD]);
    $("best-about").textContent = `± ${number(best[SCORE_STD], best[SCORE_STD])}, generation ${count(best[GENERATION])}`;
    $("last").textContent = number(score[SCORE], score[SCORE_STD]);
    $("last-about").textContent = `± ${number(score[SCORE_STD], score[SCORE_STD])}, ${score[EPISODES]} episode${score[EPISODES] === 1 ? "" : "s"}`;
  }
}

function drawPhases() {
  const phases = data.now && data.now.live && data.now.live.phases;
  if (!phases) return;
  const names = Object.keys(phases), sum = names.reduce((s, n) => s + phases[n], 0) || 1;
  const stack = $("phases"), list = $("phase-list");
  if (stack.children.length !== names.length) {
    stack.replaceChildren(...names.map((_, i) => Object.assign(document.createElement("span"), { className: `c${i % 5}` })));
    list.replaceChildren(...names.map((name, i) => {
      const item = document.createElement("li");
      const mark = Object.assign(document.createElement("i"), { className: `c${i % 5}` });
      item.append(mark, `${name} `, document.createElement("b"));
      return item;
    }));
  }
  const words = names.map((name, i) => {
    const share = (100 * phases[name]) / sum;
    stack.children[i].style.width = `${share}%`;
    list.children[i].querySelector("b").textContent = `${share.toFixed(share < 10 ? 1 : 0)} %`;
    return `${name} ${share.toFixed(0)} %`;
  });
  stack.setAttribute("aria-label", `time by phase: ${words.join(", ")}`);
}

function drawEvents() {
  const cell = (kind, text) => Object.assign(document.createElement("span"), { className: kind, textContent: text });
  $("events").replaceChildren(...data.events.slice().reverse().map((event) => {
    const item = document.createElement("li");
    item.title = event.time || "";
    item.append(cell("g", count(event.generation)), cell("w", event.event), cell("t", event.text));
    return item;
  }));
}

// --- curves ----------------------------------------------------------------------------------------------------

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
function column() { return view.x === "generation" ? GENERATION : view.x === "steps" ? STEPS : SECONDS; }
const scaleX = (value) => (view.x === "time" ? value / 60 : value);

// Round steps are 1, 2 or 5 times a power of ten.
function ticks(low, high, most) {
  const rough = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const list = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) list.push(Math.abs(t) < step / 1e6 ? 0 : t);
  return list;
}
const short = (x) => (Math.abs(x) >= 1e6 ? `${+(x / 1e6).toPrecision(3)} M` : Math.abs(x) >= 1e4 ? `${+(x / 1e3).toPrecision(3)} k` : `${+x.toPrecision(4)}`);

function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  c.font = "12px system-ui, sans-serif";
  return { c, width, height };
}

function axes(canvas, xs, ys, lines) {
  const { c, width, height } = prepare(canvas), box = { left: 52, right: width - 12, top: 8, bottom: height - 24 };
  let [low, high] = [Math.min(...ys), Math.max(...ys)];
  if (!(high > low)) [low, high] = [low - 1, high + 1];
  const pad = 0.04 * (high - low);
  [low, high] = [low < 0 || low - pad > 0 ? low - pad : 0, high + pad];
  const first = Math.min(...xs), end = Math.max(...xs) > first ? Math.max(...xs) : first + 1;
  const x = (v) => box.left + ((v - first) / (end - first)) * (box.right - box.left);
  const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
  c.strokeStyle = colour("grid");
  c.fillStyle = colour("soft");
  c.lineWidth = 1;
  c.textAlign = "right";
  c.textBaseline = "middle";
  for (const t of ticks(low, high, lines)) {
    c.beginPath();
    c.moveTo(box.left, Math.round(y(t)) + 0.5);
    c.lineTo(box.right, Math.round(y(t)) + 0.5);
    c.stroke();
    c.fillText(short(t), box.left - 7, y(t));
  }
  c.textBaseline = "alphabetic";
  for (const t of ticks(first, end, Math.max(2, Math.floor(width / 110)))) {
    const words = short(t), half = c.measureText(words).width / 2;
    c.textAlign = "center";
    c.fillText(words, Math.min(Math.max(x(t), box.left + half - 6), box.right - half + 8), height - 7);
  }
  c.save();
  c.beginPath();
  c.rect(box.left, 0, width - box.left, box.bottom + 1);
  c.clip();
  return { c, x, y, box, first, end };
}

function line(c, points, pen, thick) {
  c.beginPath();
  points.forEach(([px, py], i) => (i ? c.lineTo(px, py) : c.moveTo(px, py)));
  c.strokeStyle = pen;
  c.lineWidth = thick;
  c.lineJoin = "round";
  c.stroke();
}

function drawReturns() {
  const points = data.points.filter((p) => p[MEAN] !== null), scores = data.scores.filter((s) => s[SCORE] !== null);
  const canvas = $("returns");
  if (points.length === 0) { waiting(canvas); return; }
  const k = column(), at = (row) => scaleX(row[k]);
  const ys = points.flatMap((p) => [p[MEAN] - p[STD], p[MEAN] + p[STD], p[BEST]]).concat(scores.flatMap((s) => [s[SCORE] - s[SCORE_STD], s[SCORE] + s[SCORE_STD]]));
  const { c, x, y, box } = axes(canvas, points.concat(scores).map(at), ys.filter((v) => v !== null && isFinite(v)), 6);
  c.beginPath();
  points.forEach((p, i) => c[i ? "lineTo" : "moveTo"](x(at(p)), y(p[MEAN] + p[STD])));
  points.slice().reverse().forEach((p) => c.lineTo(x(at(p)), y(p[MEAN] - p[STD])));
  c.closePath();
  c.fillStyle = colour("band");
  c.fill();
  line(c, points.map((p) => [x(at(p)), y(p[BEST])]), colour("most"), 1);
  line(c, points.map((p) => [x(at(p)), y(p[MEAN])]), colour("mean"), 2);
  c.fillStyle = colour("eval");
  for (const s of scores) {
    const px = x(at(s));
    c.globalAlpha = scores.length > 60 ? 0.35 : 0.6;
    line(c, [[px, y(s[SCORE] - s[SCORE_STD])], [px, y(s[SCORE] + s[SCORE_STD])]], colour("eval"), 1);
    c.globalAlpha = 1;
    c.beginPath();
    c.arc(px, y(s[SCORE]), scores.length > 60 ? 2.2 : 3.2, 0, 7);
    c.fill();
  }
  drawCursor(c, points, at, x, y, box);
  c.restore();
  const newest = last(points), evaluated = last(scores);
  canvas.setAttribute("aria-label", `returns up to generation ${newest[GENERATION]}: population mean ${number(newest[MEAN])}` +
    (evaluated ? `, last evaluation ${number(evaluated[SCORE])}` : "") + "; arrow keys read points");
}

// The point under the pointer, or the one that the arrow keys have chosen.
function drawCursor(c, points, at, x, y, box) {
  if (view.cursor === null) return;
  // view.cursor is a position between the first point and the last on this axis.
  const wanted = at(points[0]) + view.cursor * (at(last(points)) - at(points[0]));
  const p = points.reduce((a, b) => (Math.abs(at(b) - wanted) < Math.abs(at(a) - wanted) ? b : a));
  const px = x(at(p));
  line(c, [[px, box.top], [px, box.bottom]], colour("soft"), 1);
  const words = [`generation ${count(p[GENERATION])}`, `mean ${number(p[MEAN], p[STD])} ± ${number(p[STD], p[STD])}`, `best ${number(p[BEST], p[STD])}`];
  c.font = "12px system-ui, sans-serif";
  const width = Math.max(...words.map((w) => c.measureText(w).width)) + 16, left = px + width + 8 > box.right ? px - width - 8 : px + 8;
  c.fillStyle = colour("card");
  c.strokeStyle = colour("edge");
  c.beginPath();
  c.rect(left, box.top + 6, width, 58);
  c.fill();
  c.stroke();
  c.fillStyle = colour("text");
  c.textAlign = "left";
  words.forEach((w, i) => c.fillText(w, left + 8, box.top + 24 + 17 * i));
}

function waiting(canvas) {
  const { c, width, height } = prepare(canvas);
  c.fillStyle = colour("soft");
  c.textAlign = "center";
  c.fillText("waiting for the first generation", width / 2, height / 2);
}

function drawRates() {
  const points = data.points.filter((p) => p[RATE] > 0), canvas = $("rates");
  if (points.length < 2) { waiting(canvas); return; }
  const k = column(), at = (p) => scaleX(p[k]), sorted = points.map((p) => p[RATE]).sort((a, b) => a - b);
  const most = sorted[Math.floor(0.99 * (sorted.length - 1))]; // a stall's end may count twice
  const { c, x, y } = axes(canvas, points.map(at), [0, most], 3);
  line(c, points.map((p) => [x(at(p)), y(Math.min(p[RATE], most))]), colour("mean"), 1.5);
  c.restore();
}

// --- the scene -------------------------------------------------------------------------------------------------

const picture = new Image();
let shown = null;
picture.onload = () => { if (shown) paint(shown); };

function drawScene() {
  const frame = data.frame;
  if (!frame) return;
  $("scene-title").textContent = `the mean agent of generation ${count(frame.generation)}`;
  $("scene-about").textContent = `seed ${frame.seed}, step ${frame.step}, return ${number(frame.return)}, action ${frame.action.map((a) => a.toFixed(2)).join("  ")}`;
  shown = frame;
  captionScene(frame, document.querySelector(".scene"));
  if (frame.png) picture.src = `data:image/png;base64,${frame.png}`;
}

function paint(frame) {
  paintPicture($("picture"), picture, frame, view.overlay);
  paintHeat($("heat"), frame, levelsOf(frame));
}

// --- drawing and keys ------------------------------------------------------------------------------------------

function draw() {
  const parts = new Set(dirty);
  dirty.clear();
  if (parts.has("tiles")) drawTiles();
  if (parts.has("curves")) { drawReturns(); drawRates(); }
  if (parts.has("phases")) drawPhases();
  if (parts.has("events")) drawEvents();
  if (parts.has("scene")) drawScene();
}

document.querySelectorAll("[data-x]").forEach((button) => button.addEventListener("click", () => {
  view.x = button.dataset.x;
  document.querySelectorAll("[data-x]").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
  redraw("curves");
}));
function toggle(id, act) {
  $(id).addEventListener("click", () => {
    const on = $(id).getAttribute("aria-pressed") !== "true";
    $(id).setAttribute("aria-pressed", String(on));
    act(on);
  });
}
toggle("pause", (on) => { view.paused = on; });
toggle("overlay", (on) => { view.overlay = on; if (shown && picture.complete) paint(shown); });

const themes = ["auto", "light", "dark"];
function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  $("theme").textContent = `theme: ${name}`;
  view.theme = name;
  $("theme").setAttribute("aria-label", `theme: ${name === "auto" ? "as the system" : name}`);
  try { localStorage.setItem("theme", name); } catch { /* a private window keeps nothing */ }
  redraw("curves");
}
$("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(view.theme) + 1) % themes.length]));
let kept = null;
try { kept = localStorage.getItem("theme"); } catch { /* likewise */ }
setTheme(themes.includes(kept) ? kept : "auto");

const curve = $("returns");
curve.addEventListener("pointermove", (event) => {
  const box = curve.getBoundingClientRect();
  view.cursor = Math.min(1, Math.max(0, (event.clientX - box.left - 52) / (box.width - 64)));
  redraw("curves");
});
curve.addEventListener("pointerleave", () => { view.cursor = null; redraw("curves"); });
curve.addEventListener("blur", () => { view.cursor = null; redraw("curves"); });
curve.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") view.cursor = null;
  else if (step) {
    const cells = Math.max(1, data.points.length - 1);
    view.cursor = Math.min(1, Math.max(0, (view.cursor ?? 1) + (step * Math.max(1, Math.round(cells / 50))) / cells));
    event.preventDefault();
  } else return;
  redraw("curves");
});
window.addEventListener("resize", () => redraw("curves"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw("curves"));
listen();
