// The report: an episode to play, and its attention as two pictures.
const $ = (id) => document.getElementById(id);
const frames = JSON.parse($("frames").textContent);
const state = { at: 0, playing: frames.length > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches, overlay: true };
const picture = new Image();

function show() {
  const frame = frames[state.at];
  $("place").value = state.at;
  $("scene-about").textContent = `seed ${frame.seed}, step ${frame.step}, return ${frame.return.toFixed(decimals(frame.return, 0))}, action ${frame.action.map((a) => a.toFixed(2)).join("  ")}`;
  captionScene(frame, $("scene"));
  picture.src = `data:image/png;base64,${frame.png}`;
}
picture.onload = () => {
  const frame = frames[state.at];
  paintPicture($("picture"), picture, frame, state.overlay);
  paintHeat($("heat"), frame, levelsOf(frame));
};

// The levels over the frames: their mean for each patch, and for each row of patches at each time, from the least to
// the most.
function paintWhole() {
  const { rows, columns } = frames[0], mean = new Array(rows * columns).fill(0), time = new Array(rows * frames.length).fill(0);
  frames.forEach((frame, t) => levelsOf(frame).forEach((level, i) => {
    mean[i] += level;
    time[Math.floor(i / columns) * frames.length + t] += level;
  }));
  const scaled = (list) => {
    const least = Math.min(...list), range = Math.max(...list) - least || 1;
    return list.map((x) => (x - least) / range);
  };
  paintLevels($("mean"), scaled(mean), columns, rows);
  paintLevels($("time"), scaled(time), frames.length, rows);
  $("time").style.aspectRatio = "auto";
}

function setPlaying(on) {
  state.playing = on;
  $("play").setAttribute("aria-pressed", String(on));
}

if (frames.length === 0) $("scene").remove();
else {
  $("place").max = frames.length - 1;
  $("place").addEventListener("input", () => { setPlaying(false); state.at = Number($("place").value); show(); });
  $("play").addEventListener("click", () => setPlaying(!state.playing));
  $("overlay").addEventListener("click", () => {
    state.overlay = !state.overlay;
    $("overlay").setAttribute("aria-pressed", String(state.overlay));
    show();
  });
  setPlaying(state.playing);
  show();
  setInterval(() => {
    if (!state.playing || document.hidden) return;
    state.at = (state.at + 1) % frames.length;
    show();
  }, 80);
}
if (frames.length && attends(frames[0])) paintWhole();
else {
  document.querySelector(".attention").remove();
  document.querySelector(".repeat").classList.add("wide");
}
