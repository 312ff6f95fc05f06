// What an agent sees and where it looks, on a canvas: shared by the live page and the report.
"use strict";

// digits after the point that say something, as sac_decimals has them: two of the spread, or three of the mean without one
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

// patches are cut from an image of frame.sides pixels, which may be the observation resized
function paintPicture(canvas, picture, frame, overlay) {
  const scale = Math.max(1, Math.round(480 / frame.width)), c = canvas.getContext("2d");
  fit(canvas, frame.width * scale, frame.height * scale);
  c.imageSmoothingEnabled = false;
  c.drawImage(picture, 0, 0, canvas.width, canvas.height);
  if (!overlay || !frame.top) return;
  const down = canvas.height / frame.sides[0], right = canvas.width / frame.sides[1];
  frame.top.forEach((index, rank) => {
    const top = Math.floor(index / frame.columns) * frame.stride, left = (index % frame.columns) * frame.stride;
    const weight = 1 - rank / frame.top.length;
    c.fillStyle = `rgba(255,255,255,${0.75 * weight})`;
    c.fillRect(left * right, top * down, frame.patch * right, frame.patch * down);
    c.strokeStyle = `rgba(255,140,0,${0.35 + 0.65 * weight})`;
    c.lineWidth = 2;
    c.strokeRect(left * right + 1, top * down + 1, frame.patch * right - 2, frame.patch * down - 2);
  });
}

// the square root of importance over the largest, 0..1; empty where nothing is attended to
function levelsOf(frame) {
  return frame.importance ? Array.from(atob(frame.importance), (letter) => letter.charCodeAt(0) / 255) : [];
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

// from black over violet and orange to pale yellow
const stops = [[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]];
function heat(level) {
  const place = level * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(place)), part = place - i;
  return stops[i].map((v, k) => v + part * (stops[i + 1][k] - v));
}
