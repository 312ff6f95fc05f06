// The report: an episode to play, and its attention as two pictures.
const $ = (id) => document.getElementById(id);
const frames = JSON.parse($("frames").textContent);
const state = { at: 0, playing: frames.length > 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches, overlay: true };
const picture = new Image();

function show() {
  const frame = frames[state.at];
  $("place").value = state.at;
  $("stage-about").textContent = `seed ${frame.seed}, step ${frame.step}, return ${frame.return.toFixed(decimals(frame.return, 0))}, action ${frame.action.map((a) => a.toFixed(2)).join("  ")}`;
  picture.src = `data:image/png;base64,${frame.png}`;
}
picture.onload = () => {
  const frame = frames[state.at];
  paintPicture($("picture"), picture, frame, state.overlay);
  paintHeat($("heat"), frame, levelsOf(frame));
};

// importance itself, not its root, over the frames: its mean for each patch, and for each row of patches at each time
function paintWhole() {
  const { rows, columns } = frames[0], mean = new Array(rows * columns).fill(0), time = new Array(rows * frames.length).fill(0);
  frames.forEach((frame, t) => {
    const shares = levelsOf(frame).map((level) => level * level), sum = shares.reduce((a, b) => a + b, 0) || 1;
    shares.forEach((share, i) => {
      mean[i] += share / sum;
      time[Math.floor(i / columns) * frames.length + t] += share / sum;
    });
  });
  const scaled = (list) => { const most = Math.max(...list) || 1; return list.map((x) => Math.sqrt(x / most)); };
  paintLevels($("mean"), scaled(mean), columns, rows);
  paintLevels($("time"), scaled(time), frames.length, rows);
  $("time").style.aspectRatio = "auto";
}

function setPlaying(on) {
  state.playing = on;
  $("play").setAttribute("aria-pressed", String(on));
}

if (frames.length === 0) $("stage").remove();
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
if (frames.length && frames[0].importance) paintWhole();
else document.querySelector(".attention").remove();
