// The live page of a run of `saccade fit`: a net that learns to tell classes of pictures apart.
"use strict";

Object.assign(data, { epochs: [], looks: [], confusion: null });
Object.assign(view, { place: null, playing: false, paths: false, cell: null }); // place: null follows the newest
const EPOCH = 0, STEPS = 1, SECONDS = 2, RATE = 3, LOSS = 4, RIGHT = 5, TEST_LOSS = 6, TEST_RIGHT = 7; // of an epoch
const known = (x) => x !== null && x !== undefined;

// --- tiles -----------------------------------------------------------------------------------------------------

const percent = (x) => (known(x) ? `${(100 * x).toFixed(2)} %` : "–");
const loss = (x) => (known(x) ? x.toFixed(4) : "–");
const tested = () => data.epochs.filter((e) => known(e[TEST_RIGHT]));

// The epoch under way as a row without a test; undefined where none is.
function underWay() {
  const live = data.now && data.now.live;
  if (!live || !known(live.loss) || data.now.state !== "running") return undefined;
  return [live.step / (live.steps / live.epochs), live.step, live.seconds, live.rate, live.loss, live.accuracy, null, null];
}

function drawProgress() {
  const live = data.now && data.now.live, newest = last(data.epochs), total = data.now ? data.now.generations : 0;
  const done = Math.max(newest ? newest[EPOCH] : 0, live ? live.epoch : 0);
  const running = data.now && data.now.state === "running" && total > done;
  const left = running && live ? secondsLeft(live) : null, byTime = left !== null && left === live.limit_left;
  const soFar = Math.max(live ? live.seconds : 0, newest ? newest[SECONDS] : 0);
  $("epoch").textContent = count(done);
  $("epochs").textContent = total ? `of ${count(total)}` : "";
  $("bar").value = byTime ? soFar / Math.max(soFar + left, 1e-9) : live ? live.step / live.steps : total ? done / total : 0;
  $("left").textContent = `${duration(soFar)} so far` + (left === null ? "" : `, ${duration(left)} to go`);
}

function drawTiles() {
  const now = data.now, live = now && now.live, newest = underWay() || last(data.epochs), test = last(tested());
  if (!now) return;
  sayRun(now, now.net, live && `${count(live.parameters)} parameters`);
  drawProgress();
  if (test) {
    const most = tested().reduce((a, b) => (b[TEST_RIGHT] > a[TEST_RIGHT] ? b : a));
    $("test").textContent = percent(test[TEST_RIGHT]);
    $("test-about").textContent = `loss ${loss(test[TEST_LOSS])}; highest ${percent(most[TEST_RIGHT])}, epoch ${count(most[EPOCH])}`;
  }
  if (newest) {
    $("training").textContent = percent(newest[RIGHT]);
    $("training-about").textContent = `loss ${loss(newest[LOSS])}, ${underWay() ? "this epoch" : `epoch ${count(newest[EPOCH])}`}`;
    $("rate").textContent = known(newest[RATE]) ? `${+newest[RATE].toPrecision(3)}` : "–";
  }
  if (!live) return;
  $("speed").textContent = known(live.pictures_per_second) ? count(live.pictures_per_second) : "–";
  $("steps").textContent = `step ${count(live.step)} of ${count(live.steps)}`;
  $("rate-about").textContent = newest ? "of the last step" : "";
}

// --- curves ----------------------------------------------------------------------------------------------------

const at = (row) => (view.x === "time" ? row[SECONDS] / 60 : row[EPOCH]);
const noneYet = "waiting for the first epoch";

function wordsOf(row) {
  const words = [`epoch ${+row[EPOCH].toFixed(2)}`, `training ${percent(row[RIGHT])}, loss ${loss(row[LOSS])}`];
  return known(row[TEST_RIGHT]) ? words.concat([`test ${percent(row[TEST_RIGHT])}, loss ${loss(row[TEST_LOSS])}`]) : words;
}

// Training and test over epochs; the epoch under way is a ring.
function drawPair(canvas, training, test, scale, name) {
  const now = underWay(), rows = now ? data.epochs.concat([now]) : data.epochs;
  if (rows.length === 0) { waiting(canvas, noneYet); return; }
  const values = rows.flatMap((row) => [row[training], row[test]]).filter(known).map((v) => scale * v);
  const plot = axes(canvas, rows.map(at), values, 5), { c, x, y } = plot, place = (row, k) => [x(at(row)), y(scale * row[k])];
  line(c, rows.filter((row) => known(row[training])).map((row) => place(row, training)), colour("mean"), 2);
  line(c, tested().map((row) => place(row, test)), colour("eval"), 1);
  tested().forEach((row) => dot(c, place(row, test), data.epochs.length > 60 ? 2 : 3.2, colour("eval"), false));
  if (now) dot(c, place(now, training), 4, colour("mean"), true);
  drawCursor(plot, rows, at, wordsOf);
  c.restore();
  const end = last(rows), shown = last(tested());
  canvas.setAttribute("aria-label", `${name} up to epoch ${+end[EPOCH].toFixed(2)}: training ${short(scale * end[training])}` +
    (shown ? `, test ${short(scale * shown[test])}` : "") + "; arrow keys read points");
}

function dot(c, [x, y], radius, pen, hollow) {
  c.beginPath();
  c.arc(x, y, radius, 0, 7);
  c.fillStyle = hollow ? colour("card") : pen;
  c.fill();
  if (!hollow) return;
  c.strokeStyle = pen;
  c.lineWidth = 2;
  c.stroke();
}

function drawRates() {
  const now = underWay(), rows = now ? data.epochs.concat([now]) : data.epochs, canvas = $("rates");
  if (rows.length < 2) { waiting(canvas, noneYet); return; }
  const { c, x, y } = axes(canvas, rows.map(at), rows.map((row) => row[RATE]).concat([0]), 3);
  line(c, rows.map((row) => [x(at(row)), y(row[RATE])]), colour("mean"), 1.5);
  c.restore();
}

// --- the confusion table ---------------------------------------------------------------------------------------

const sum = (list) => list.reduce((a, b) => a + b, 0);

function cellWords([i, j]) {
  const n = data.confusion[i][j], all = sum(data.confusion[i]);
  return `class ${i} taken for ${i === j ? "itself" : j}: ${count(n)} of ${count(all)}` + (all ? ` (${((100 * n) / all).toFixed(1)} %)` : "");
}

const boxOf = (width) => ({ left: 26, top: 20, side: width - 27 });

function drawCells(c, table, box) {
  const cell = box.side / table.length, share = (i, j) => table[i][j] / Math.max(1, sum(table[i]));
  c.font = `${cell < 34 ? 10 : 12}px system-ui, sans-serif`;
  c.textAlign = "center";
  c.textBaseline = "middle";
  table.forEach((row, i) => row.forEach((n, j) => {
    // a root, so that rare mistakes are seen beside frequent ones
    const strength = i === j ? share(i, j) : Math.sqrt(share(i, j)), x = box.left + j * cell, y = box.top + i * cell;
    c.globalAlpha = 0.9 * strength;
    c.fillStyle = colour(i === j ? "mean" : "eval");
    c.fillRect(x, y, cell, cell);
    c.globalAlpha = 1;
    if (n === 0 || c.measureText(n).width > cell - 4) return;
    c.fillStyle = colour(strength > 0.55 ? "card" : "text");
    c.fillText(n, x + cell / 2, y + cell / 2);
  }));
}

function drawFrame(c, table, box) {
  const n = table.length, cell = box.side / n, every = Math.ceil(18 / cell);
  if (cell > 8) for (let i = 0; i <= n; i++) {
    line(c, [[box.left + i * cell, box.top], [box.left + i * cell, box.top + box.side]], colour("grid"), 1);
    line(c, [[box.left, box.top + i * cell], [box.left + box.side, box.top + i * cell]], colour("grid"), 1);
  }
  c.font = "11px system-ui, sans-serif";
  c.fillStyle = colour("soft");
  for (let i = 0; i < n; i += every) {
    c.textAlign = "center";
    c.fillText(i, box.left + (i + 0.5) * cell, box.top - 10);
    c.textAlign = "right";
    c.fillText(i, box.left - 6, box.top + (i + 0.5) * cell);
  }
  if (!view.cell) return;
  c.strokeStyle = colour("text");
  c.lineWidth = 2;
  c.strokeRect(box.left + view.cell[1] * cell, box.top + view.cell[0] * cell, cell, cell);
}

function drawConfusion() {
  const table = data.confusion, canvas = $("confusion");
  if (!table || table.length === 0) { waiting(canvas, "waiting for the first evaluation"); return; }
  if (view.cell && Math.max(...view.cell) >= table.length) view.cell = null;
  const { c, width } = prepare(canvas), box = boxOf(width), test = last(tested());
  if (box.side < table.length) return; // no room, as while the window is being resized
  drawCells(c, table, box);
  drawFrame(c, table, box);
  c.textBaseline = "alphabetic";
  $("confusion-title").textContent = "what test pictures are taken for" + (test ? `, epoch ${count(test[EPOCH])}` : "");
  $("confusion-about").textContent = view.cell ? cellWords(view.cell) : "rows: the true class; columns: what it is taken for";
  const wrong = table.flatMap((row, i) => row.map((_, j) => [i, j])).filter(([i, j]) => i !== j && table[i][j] > 0);
  wrong.sort((a, b) => table[b[0]][b[1]] - table[a[0]][a[1]]);
  $("mistakes").replaceChildren(...wrong.slice(0, 5).map((cell) =>
    Object.assign(document.createElement("li"), { textContent: cellWords(cell) })));
  const right = sum(table.map((row, i) => row[i])), all = sum(table.map(sum));
  canvas.setAttribute("aria-label", `confusion table of ${table.length} classes: ${count(right)} of ${count(all)} right; arrow keys read cells`);
}

function chooseCell(cell) {
  const n = data.confusion ? data.confusion.length : 0;
  view.cell = cell && cell.every((k) => k >= 0 && k < n) ? cell : null;
  redraw("confusion");
}

function readTable(canvas) {
  canvas.addEventListener("pointermove", (event) => {
    const seen = canvas.getBoundingClientRect(), box = boxOf(seen.width), n = data.confusion ? data.confusion.length : 1;
    chooseCell([event.clientY - seen.top - box.top, event.clientX - seen.left - box.left].map((p) => Math.floor((p * n) / box.side)));
  });
  canvas.addEventListener("pointerleave", () => chooseCell(null));
  canvas.addEventListener("blur", () => chooseCell(null));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step || !data.confusion) { if (event.key === "Escape") chooseCell(null); return; }
    const n = data.confusion.length, from = view.cell;
    chooseCell(from ? from.map((k, i) => Math.min(n - 1, Math.max(0, k + step[i]))) : [0, 0]);
    event.preventDefault();
  });
}

// --- heads -----------------------------------------------------------------------------------------------------

const layersOf = (look) => look.heads.reduce((layers, head) => { (layers[head[LAYER]] ??= []).push(head); return layers; }, []);

function makePanels(number) {
  if ($("panels").children.length === number) return;
  $("panels").replaceChildren(...Array.from({ length: number }, () => {
    const figure = document.createElement("figure"), canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    figure.append(document.createElement("figcaption"), canvas);
    return figure;
  }));
}

function drawHeads() {
  const card = document.querySelector(".heads"), newest = data.looks.length - 1;
  card.hidden = newest < 0;
  if (card.hidden) return;
  const place = view.place === null ? newest : Math.min(view.place, newest), look = data.looks[place];
  const about = (data.now && data.now.live && data.now.live.heads) || { rows: 15, columns: 15, pictures: 0 };
  const layers = layersOf(look), past = view.paths ? data.looks.slice(0, place).map(layersOf) : [];
  makePanels(layers.length);
  layers.forEach((heads, i) => {
    const figure = $("panels").children[i], canvas = figure.querySelector("canvas");
    figure.querySelector("figcaption").textContent = panelName(i, heads);
    canvas.setAttribute("aria-label", panelWords(i, heads));
    paintPanel(canvas, heads, past.map((then) => then[i] || []), reachOf(about));
  });
  $("place").max = newest;
  $("place").value = place;
  $("place").setAttribute("aria-valuetext", look.epoch ? `after epoch ${look.epoch}` : "before training");
  $("heads-title").textContent = `where heads look ${look.epoch ? `after epoch ${count(look.epoch)}` : "before training"}`;
  $("heads-about").textContent = "ellipses: one and two deviations of attention, in tokens from the one that looks; pale: degenerate" +
    (about.pictures ? `; the mean over ${about.pictures} test pictures` : "");
}

function setPlaying(on) {
  view.playing = on;
  $("play").setAttribute("aria-pressed", String(on));
  if (on && (view.place === null || view.place >= data.looks.length - 1)) view.place = 0;
  redraw("heads");
}

function setPlace(place) {
  view.place = place >= data.looks.length - 1 ? null : place;
  if (view.place === null && view.playing) setPlaying(false);
  redraw("heads");
}

setInterval(() => { if (view.playing && !document.hidden) setPlace(view.place + 1); }, 250);

// --- parts and keys --------------------------------------------------------------------------------------------

Object.assign(painters, {
  tiles: drawTiles,
  curves: () => {
    drawPair($("right"), RIGHT, TEST_RIGHT, 100, "share of right answers in percent");
    drawPair($("loss"), LOSS, TEST_LOSS, 1, "loss");
    drawRates();
  },
  confusion: drawConfusion,
  heads: drawHeads,
  events: drawEvents,
});

const readable = () => (underWay() ? data.epochs.concat([underWay()]) : data.epochs);
readCurve($("right"), readable);
readCurve($("loss"), readable);
readTable($("confusion"));
$("place").addEventListener("input", () => { if (view.playing) setPlaying(false); setPlace(Number($("place").value)); });
$("play").addEventListener("click", () => setPlaying(!view.playing));
toggle("paths", (on) => { view.paths = on; redraw("heads"); });
begin({
  anew: () => { data.epochs = []; data.looks = []; data.confusion = null; },
  epochs: (rows) => { data.epochs.push(...rows); redraw("curves", "tiles", "confusion"); },
  looks: (looks) => { data.looks.push(...looks); redraw("heads"); },
  confusion: (table) => { data.confusion = table; redraw("confusion"); },
  now: (now) => { data.now = now; redraw("tiles", "curves", "heads"); },
});
