// How a frame of the agent is drawn; the live page and the report share this file.
"use strict";

// The digits after the point that are worth showing, as in sac_decimals: two of the spread, or three of the mean
// without one.
function decimals(mean, spread) {
  const size = Math.abs(mean), shown = spread > 1e-12 * size ? spread : size;
  if (!(shown > 0) || !isFinite(shown)) return 1;
  return Math.min(6, Math.max(1, (shown === spread ? 1 : 2) - Math.floor(Math.log10(shown))));
}

function fit(canvas, width, height) {
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
  canvas.style.aspectRatio = `${width} / ${height}`;
}

const attends = (frame) => frame.levels !== undefined;
const keeps = (frame) => attends(frame) && frame.top.length > 0;

// Patches are cut from an image of frame.sides pixels, which may be the resized observation. Of a cropped one, as many
// rows as frame.above and frame.beneath say are not looked at.
function paintPicture(canvas, picture, frame, overlay) {
  const scale = Math.max(1, Math.round(480 / frame.width)), c = canvas.getContext("2d");
  fit(canvas, frame.width * scale, frame.height * scale);
  c.imageSmoothingEnabled = false;
  c.drawImage(picture, 0, 0, canvas.width, canvas.height);
  if (overlay && keeps(frame)) markKept(c, canvas, frame);
  else if (overlay && attends(frame)) dimRest(c, canvas, frame);
}

const rowsOf = frame => frame.above + frame.sides[0] + frame.beneath;

function markKept(c, canvas, frame) {
  const down = canvas.height / rowsOf(frame), right = canvas.width / frame.sides[1];
  frame.top.forEach((index, rank) => {
    const top = frame.above + Math.floor(index / frame.columns) * frame.stride, left = (index % frame.columns) * frame.stride;
    const weight = 1 - rank / frame.top.length;
    c.fillStyle = `rgba(255,255,255,${0.75 * weight})`;
    c.fillRect(left * right, top * down, frame.patch * right, frame.patch * down);
    c.strokeStyle = `rgba(255,140,0,${0.35 + 0.65 * weight})`;
    c.lineWidth = 2;
    c.strokeRect(left * right + 1, top * down + 1, frame.patch * right - 2, frame.patch * down - 2);
  });
}

// For an agent that keeps no patch but mixes all, the picture is light where it attends, as in sac_overlay_light.
function dimRest(c, canvas, frame) {
  const down = canvas.height / rowsOf(frame), right = canvas.width / frame.sides[1];
  // Pixels belong to the patch whose centre is nearest, so a patch's cell is as wide as the stride, except at the
  // edges.
  const edge = (i, count, side) => (i === 0 ? 0 : i === count ? side : i * frame.stride + (frame.patch - frame.stride) / 2);
  levelsOf(frame).forEach((level, index) => {
    const row = Math.floor(index / frame.columns), column = index % frame.columns;
    const y0 = Math.round((frame.above + edge(row, frame.rows, frame.sides[0])) * down);
    const y1 = Math.round((frame.above + edge(row + 1, frame.rows, frame.sides[0])) * down);
    const x0 = Math.round(edge(column, frame.columns, frame.sides[1]) * right), x1 = Math.round(edge(column + 1, frame.columns, frame.sides[1]) * right);
    c.fillStyle = `rgba(0,0,0,${0.7 * (1 - level)})`;
    c.fillRect(x0, y0, x1 - x0, y1 - y0);
  });
}

// The captions of the two pictures; parts that this agent has nothing to show for are hidden.
function captionScene(frame, scene) {
  const caption = (name, text) => {
    const figure = scene.querySelector(`#${name}`).closest("figure"), words = figure.querySelector("figcaption");
    figure.hidden = text === "";
    if (words.textContent !== text) words.textContent = text;
  };
  const share = frame.share === null || frame.share === undefined ? "" : `; the top 5 % of the patches ${frame.contributes ? "give" : "get"} ${(100 * frame.share).toFixed(frame.share < 0.1 ? 1 : 0)} %`;
  const look = !frame.held ? "" : `; it ${frame.age ? `looked ${frame.age} steps ago` : "looks now"} and holds for ${frame.held}`;
  caption("picture", (keeps(frame) ? "what it sees; framed: the patches that it keeps"
    : attends(frame) ? "what it sees; it mixes all patches, bright where they rank high" : "what it sees") + look);
  const what = frame.contributes ? "how much each patch tells it" : "attention that each patch receives";
  caption("heat", attends(frame) ? `${what}, coloured by rank${share}` : "");
  scene.querySelector(".pictures").classList.toggle("single", !attends(frame));
  scene.querySelector("#overlay").hidden = !attends(frame);
}

// The rank of every patch, 0..1; empty where nothing is attended to.
function levelsOf(frame) {
  return attends(frame) ? Array.from(atob(frame.levels), (letter) => letter.charCodeAt(0) / 255) : [];
}

function paintHeat(canvas, frame, levels) {
  if (levels.length) paintLevels(canvas, levels, frame.columns, frame.rows);
}

function paintLevels(canvas, levels, width, height) {
  const c = canvas.getContext("2d");
  fit(canvas, width, height);
  const image = c.createImageData(width, height);
  levels.forEach((level, i) => image.data.set([...heat(level), 255], 4 * i));
  c.putImageData(image, 0, 0);
}

// From black over violet and orange to pale yellow.
const stops = [[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]];
function heat(level) {
  const place = level * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(place)), part = place - i;
  return stops[i].map((v, k) => v + part * (stops[i + 1][k] - v));
}
