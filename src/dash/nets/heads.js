// How heads of attention are drawn: a panel a layer, in it for each head the ellipses of one and two deviations around
// its centre, as `saccade heads --out` draws them.
"use strict";

const LAYER = 0, HEAD = 1, ROW = 2, COLUMN = 3, ROWS = 4, BOTH = 5, COLUMNS = 6, SHARE = 7, KIND = 8; // of a head
const degenerate = (head) => ["wide", "flat", "outside"].includes(head[KIND]);

// Tokens from the middle of a panel to its edge: half the picture, so far that shifts by one token are still seen well.
const reachOf = (about) => Math.min(Math.max(about.rows, about.columns) / 2 + 0.5, 7.5);

// The axes of a covariance of columns and rows: deviations along them, and the angle of the first. What is infinite
// comes as null.
function axesOf(head, most) {
  const [xx, xy, yy] = [COLUMNS, BOTH, ROWS].map((k) => head[k] ?? (k === BOTH ? 0 : Infinity));
  if (!isFinite(xx) || !isFinite(yy)) return { along: most, across: most, angle: 0 };
  const middle = (xx + yy) / 2, apart = Math.hypot((xx - yy) / 2, xy);
  const deviation = (value) => Math.min(most, Math.sqrt(Math.max(value, 0)));
  return { along: deviation(middle + apart), across: deviation(middle - apart), angle: 0.5 * Math.atan2(2 * xy, xx - yy) };
}

function drawGrid(c, side, reach) {
  const unit = side / (2 * reach);
  let step = 1;
  while (step * unit < 7) step *= 2;
  c.lineWidth = 1;
  for (let i = -Math.floor(reach / step); i * step <= reach; i++) {
    const at = Math.round(side / 2 + i * step * unit) + 0.5;
    c.strokeStyle = colour(i === 0 ? "soft" : "grid");
    c.beginPath();
    c.moveTo(at, 0);
    c.lineTo(at, side);
    c.moveTo(0, at);
    c.lineTo(side, at);
    c.stroke();
  }
}

function drawEllipse(c, head, side, reach) {
  const unit = side / (2 * reach), opacity = degenerate(head) ? 0.25 : 1, pen = colour(`h${head[HEAD] % 6}`);
  const x = side / 2 + head[COLUMN] * unit, y = side / 2 + head[ROW] * unit;
  const { along, across, angle } = axesOf(head, 100 * reach); // larger ones leave the panel on all sides
  c.lineWidth = 1.3;
  for (let contour = 2; contour >= 1; contour--) {
    c.beginPath();
    c.ellipse(x, y, Math.max(contour * along * unit, 0.5), Math.max(contour * across * unit, 0.5), angle, 0, 2 * Math.PI);
    c.globalAlpha = 0.12 * opacity;
    c.fillStyle = c.strokeStyle = pen;
    c.fill();
    c.globalAlpha = (contour === 1 ? 1 : 0.5) * opacity;
    c.stroke();
  }
  c.globalAlpha = degenerate(head) ? 0.45 : 1;
  c.fillStyle = colour("text");
  c.textAlign = "center";
  c.fillText(head[HEAD], x, y + 4);
  c.globalAlpha = 1;
}

// The way that a head's centre has come, over evaluations.
function drawPath(c, heads, side, reach) {
  const unit = side / (2 * reach);
  c.globalAlpha = 0.8;
  line(c, heads.map((head) => [side / 2 + head[COLUMN] * unit, side / 2 + head[ROW] * unit]), colour(`h${heads[0][HEAD] % 6}`), 1);
  c.globalAlpha = 1;
}

// past: the heads of this layer at the evaluations so far, for their paths; empty: none are drawn.
function paintPanel(canvas, heads, past, reach) {
  const { c, width: side } = prepare(canvas);
  if (side === 0) return; // there would be no end of grid lines
  c.font = "11px system-ui, sans-serif";
  drawGrid(c, side, reach);
  heads.filter((head) => head[ROW] !== null && head[COLUMN] !== null).forEach((head) => drawEllipse(c, head, side, reach));
  heads.forEach((head, i) => drawPath(c, past.map((layer) => layer[i]).filter(Boolean).concat([head]), side, reach));
}

function panelName(layer, heads) {
  const shifts = heads.filter((head) => head[KIND] === "shift").length, lost = heads.filter(degenerate).length;
  return `layer ${layer}: ${shifts} shift${shifts === 1 ? "" : "s"}, ${lost} degenerate`;
}

function panelWords(layer, heads) {
  const place = (x) => (x === null ? "nowhere" : x.toFixed(1));
  return `${panelName(layer, heads)}; ` + heads.map((head) =>
    `head ${head[HEAD]} ${head[KIND]} at row ${place(head[ROW])}, column ${place(head[COLUMN])}`).join("; ");
}
