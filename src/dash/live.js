// What the live pages share: one stream of events comes in, and everything is drawn again at most once in each frame of
// the screen. A page adds to `data` and `view`, names its painters, and calls begin.
"use strict";

const $ = (id) => document.getElementById(id);
const data = { events: [], now: null };
const view = { x: null, cursor: null, theme: "auto" };
const painters = {}; // of the parts of a page, in the order in which they are drawn

// --- what comes in ---------------------------------------------------------------------------------------------

const dirty = new Set();
function redraw(...parts) {
  if (dirty.size === 0) requestAnimationFrame(draw);
  parts.forEach((part) => dirty.add(part));
}

function draw() {
  const parts = new Set(dirty);
  dirty.clear();
  for (const part in painters) if (parts.has(part)) painters[part]();
}

// Each kind of event has a function that takes its data.
function listen(kinds) {
  const takers = { ...kinds,
    anew: () => { data.events = []; kinds.anew(); redraw(...Object.keys(painters)); },
    events: (rows) => { data.events = data.events.concat(rows).slice(-48); redraw("events"); } };
  if ($("told")) { replay($("told").textContent, takers); return; }
  const stream = new EventSource("events");
  for (const name in takers) stream.addEventListener(name, (event) => takers[name](JSON.parse(event.data)));
  stream.onerror = () => { setState("lost", "no connection"); };
  stream.onopen = () => redraw("tiles");
}

// A report holds the whole stream.
function replay(told, takers) {
  for (const [, name, text] of told.matchAll(/^event: (\w+)\ndata: (.*)$/gm)) takers[name](JSON.parse(text));
}

// --- words -----------------------------------------------------------------------------------------------------

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
// A run's name and state, as the header has them; the rest of what it is about, in words.
function sayRun(now, ...about) {
  setState(now.state.split(" ")[0], now.state);
  $("run").textContent = now.run;
  $("about").textContent = [...about, now.host && `on ${now.host}`].filter(Boolean).join(" · ");
  document.title = `${now.run} · ${now.state}`;
}

// The seconds to the end of a run: of two ends the one that comes first; null where none is known.
function secondsLeft(live) {
  const ends = [live.seconds_left, live.limit_left].filter((x) => x !== null && x !== undefined);
  return ends.length ? Math.min(...ends) : null;
}
const last = (list) => list[list.length - 1];

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
  c.rect(box.left - 5, 0, width - box.left + 5, box.bottom + 1);
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

// Marks the point under the pointer, or the one that the arrow keys have chosen, and says words() of it.
function drawCursor({ c, x, box }, points, at, words) {
  if (view.cursor === null) return;
  // view.cursor is a position between the first point and the last on this axis.
  const wanted = at(points[0]) + view.cursor * (at(last(points)) - at(points[0]));
  const p = points.reduce((a, b) => (Math.abs(at(b) - wanted) < Math.abs(at(a) - wanted) ? b : a));
  const px = x(at(p));
  line(c, [[px, box.top], [px, box.bottom]], colour("soft"), 1);
  const lines = words(p);
  c.font = "12px system-ui, sans-serif";
  const width = Math.max(...lines.map((w) => c.measureText(w).width)) + 16, left = px + width + 8 > box.right ? px - width - 8 : px + 8;
  c.fillStyle = colour("card");
  c.strokeStyle = colour("edge");
  c.beginPath();
  c.rect(left, box.top + 6, width, 7 + 17 * lines.length);
  c.fill();
  c.stroke();
  c.fillStyle = colour("text");
  c.textAlign = "left";
  lines.forEach((w, i) => c.fillText(w, left + 8, box.top + 24 + 17 * i));
}

function waiting(canvas, words) {
  const { c, width, height } = prepare(canvas);
  c.fillStyle = colour("soft");
  c.textAlign = "center";
  c.fillText(words, width / 2, height / 2);
}

// --- keys ------------------------------------------------------------------------------------------------------

function toggle(id, act) {
  $(id).addEventListener("click", () => {
    const on = $(id).getAttribute("aria-pressed") !== "true";
    $(id).setAttribute("aria-pressed", String(on));
    act(on);
  });
}

const redrawAll = () => redraw(...Object.keys(painters));

const themes = ["auto", "light", "dark"];
function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  $("theme").textContent = `theme: ${name}`;
  view.theme = name;
  $("theme").setAttribute("aria-label", `theme: ${name === "auto" ? "as the system" : name}`);
  try { localStorage.setItem("theme", name); } catch { /* a private window keeps nothing */ }
  redrawAll();
}

// Buttons choose what the horizontal axis of all curves is.
function chooseAxis() {
  const buttons = document.querySelectorAll("[data-x]");
  view.x = buttons[0].dataset.x;
  buttons.forEach((button) => button.addEventListener("click", () => {
    view.x = button.dataset.x;
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
    redraw("curves");
  }));
}

// A curve is read by the pointer, or by the arrow keys; `points` gives the list of what can be read.
function readCurve(curve, points) {
  const leave = () => { view.cursor = null; redraw("curves"); };
  curve.addEventListener("pointermove", (event) => {
    const box = curve.getBoundingClientRect();
    view.cursor = Math.min(1, Math.max(0, (event.clientX - box.left - 52) / (box.width - 64)));
    redraw("curves");
  });
  curve.addEventListener("pointerleave", leave);
  curve.addEventListener("blur", leave);
  curve.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") view.cursor = null;
    else if (step) {
      const cells = Math.max(1, points().length - 1);
      view.cursor = Math.min(1, Math.max(0, (view.cursor ?? 1) + (step * Math.max(1, Math.round(cells / 50))) / cells));
      event.preventDefault();
    } else return;
    redraw("curves");
  });
}

// The page of one run of a folder leads back to that of the folder.
function linkBack() {
  if (!/^\/runs\/[0-9a-f]{8}\/$/.test(location.pathname)) return;
  const link = Object.assign(document.createElement("a"), { className: "back", href: "../../", textContent: "← all runs" });
  document.querySelector(".title").prepend(link);
}

function begin(kinds) {
  linkBack();
  let kept = null;
  try { kept = localStorage.getItem("theme"); } catch { /* as above */ }
  setTheme(themes.includes(kept) ? kept : "auto");
  $("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(view.theme) + 1) % themes.length]));
  chooseAxis();
  window.addEventListener("resize", redrawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  listen(kinds);
}
