// The live page of a run that trains a policy.
"use strict";

Object.assign(data, { points: [], scores: [], frame: null });
Object.assign(view, { paused: false, overlay: true });
const GENERATION = 0, STEPS = 1, SECONDS = 2; // columns of points and scores
const BEST = 3, MEAN = 4, STD = 5, RATE = 6; // of points
const SCORE = 3, SCORE_STD = 4, EPISODES = 5; // of scores

const number = (x, spread = 0) => (x === null || x === undefined || !isFinite(x) ? "–" : x.toFixed(decimals(x, spread)));

function drawTiles() {
  const now = data.now, point = last(data.points), score = last(data.scores);
  if (now) sayRun(now, now.env, now.policy, now.search);
  const total = now ? now.generations : 0;
  if (point) {
    const done = Math.max(point[GENERATION], now && now.live ? now.live.generation : 0);
    $("generation").textContent = count(done);
    // the run's own figures, as its board shows them
    const live = now && now.live, running = now && now.state === "running" && total > done;
    const left = running && live && live.generations === total ? secondsLeft(live) : null;
    const byTime = left !== null && left === live.limit_left;
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

// --- curves ----------------------------------------------------------------------------------------------------

function column() { return view.x === "generation" ? GENERATION : view.x === "steps" ? STEPS : SECONDS; }
const scaleX = (value) => (view.x === "time" ? value / 60 : value);
const noneYet = "waiting for the first generation";

function drawReturns() {
  const points = data.points.filter((p) => p[MEAN] !== null), scores = data.scores.filter((s) => s[SCORE] !== null);
  const canvas = $("returns");
  if (points.length === 0) { waiting(canvas, noneYet); return; }
  const k = column(), at = (row) => scaleX(row[k]);
  const ys = points.flatMap((p) => [p[MEAN] - p[STD], p[MEAN] + p[STD], p[BEST]]).concat(scores.flatMap((s) => [s[SCORE] - s[SCORE_STD], s[SCORE] + s[SCORE_STD]]));
  const plot = axes(canvas, points.concat(scores).map(at), ys.filter((v) => v !== null && isFinite(v)), 6);
  const { c, x, y } = plot;
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
  drawCursor(plot, points, at, (p) => [`generation ${count(p[GENERATION])}`,
    `mean ${number(p[MEAN], p[STD])} ± ${number(p[STD], p[STD])}`, `best ${number(p[BEST], p[STD])}`]);
  c.restore();
  const newest = last(points), evaluated = last(scores);
  canvas.setAttribute("aria-label", `returns up to generation ${newest[GENERATION]}: population mean ${number(newest[MEAN])}` +
    (evaluated ? `, last evaluation ${number(evaluated[SCORE])}` : "") + "; arrow keys read points");
}

function drawRates() {
  const points = data.points.filter((p) => p[RATE] > 0), canvas = $("rates");
  if (points.length < 2) { waiting(canvas, noneYet); return; }
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

// --- parts and keys ------------------------------------------------------------------------------------------

Object.assign(painters, {
  tiles: drawTiles,
  curves: () => { drawReturns(); drawRates(); },
  phases: drawPhases,
  events: drawEvents,
  scene: drawScene,
});

toggle("pause", (on) => { view.paused = on; });
toggle("overlay", (on) => { view.overlay = on; if (shown && picture.complete) paint(shown); });
readCurve($("returns"), () => data.points);
begin({
  anew: () => { data.points = []; data.scores = []; },
  points: (rows) => { data.points.push(...rows); redraw("curves", "tiles"); },
  scores: (rows) => { data.scores.push(...rows); redraw("curves", "tiles"); },
  now: (now) => { data.now = now; redraw("tiles", "phases"); },
  frame: (frame) => { if (!view.paused) { data.frame = frame; redraw("scene"); } },
});
