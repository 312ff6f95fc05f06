"""One world in a process of its own, for saccade's bridge (src/env/bridge).

usage: saccade-worker.py CONFIG, a JSON object. Descriptors 3 and 4 are pipes: one byte in, one byte out. Descriptor 5
is the memory that both sides see; worker.h says what lies where. Nothing is pickled and nothing is copied but the
observation. The end of the pipe ends the worker.
"""
import os
import signal
import sys

ASK, ANSWER, MEMORY, SCENARIO = 3, 4, 5, 7


def guard():
    """Go on in a child, whose end, however sudden, ends all that it has started."""
    child = os.fork()
    if child == 0:
        return
    os.close(ASK)
    os.close(ANSWER)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    end = f"was killed by signal {-status}" if status < 0 else f"ended with code {status}"
    os.write(2, f"\n{GUARD}{end}\n".encode())
    os.killpg(0, signal.SIGKILL)


GUARD = "saccade-worker: "
guard()

import json  # noqa: E402 (the guard needs none of this)
import tempfile  # noqa: E402

PROTOCOL = 1
MESSAGE, MESSAGE_SIZE, ACTION = 64, 448, 512  # offsets; the head holds seed, reward and ends

for key, value in {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1",
                   "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}.items():
    os.environ.setdefault(key, value)
for descriptor in (ASK, ANSWER, MEMORY):
    os.set_inheritable(descriptor, False)  # a simulator of ours must not keep the pipes open

try:
    import numpy as np  # noqa: E402 (after the threads were limited)
except ModuleNotFoundError as error:
    np = error  # said once there is someone to tell


def up(offset, step=64):
    return (offset + step - 1) // step * step


class Refusal(Exception):
    """A reason in words for the person who asked."""


class Vector:
    """Numbers beside or instead of a picture: named columns, and bytes for a policy that sees pixels.

    A bounded number is mapped from its bounds to 0..255, an unbounded one through x / (1 + |x|).
    """

    def __init__(self, spaces):
        from gymnasium import spaces as s
        self.parts, self.names, low, high = [], [], [], []
        for name, space in spaces:
            if isinstance(space, s.Box):
                part = (np.ravel(space.low), np.ravel(space.high))
            elif isinstance(space, s.Discrete):
                part = ([space.start], [space.start + space.n - 1])
            elif isinstance(space, s.MultiDiscrete):
                part = (np.zeros(space.nvec.size), np.ravel(space.nvec) - 1)
            elif isinstance(space, s.MultiBinary):
                part = (np.zeros(int(np.prod(space.shape))), np.ones(int(np.prod(space.shape))))
            else:
                raise Refusal(f"observation '{name}' is a {type(space).__name__}, expected numbers")
            count = len(part[0])
            self.parts.append((name, count))
            self.names += [f"{name}{i}" for i in range(count)]
            low.append(np.asarray(part[0], np.float64))
            high.append(np.asarray(part[1], np.float64))
        low, high = (np.concatenate(x) if x else np.zeros(0) for x in (low, high))
        # float32's largest stands for "no bound" in many spaces
        self.bounded = (np.abs(low) < 1e30) & (np.abs(high) < 1e30) & (high > low)
        self.low = np.where(self.bounded, low, 0)
        self.span = np.where(self.bounded, high - low, 1)

    def read(self, values, out):
        at = 0
        for (name, count), value in zip(self.parts, values):
            value = np.ravel(np.asarray(value, np.float64))
            if value.size != count:
                raise ValueError(f"observation '{name}' has {value.size} numbers, expected {count}")
            out[at:at + count] = value
            at += count

    def draw(self, values, out):
        unit = np.where(self.bounded, (values - self.low) / self.span, 0.5 + 0.5 * values / (1 + np.abs(values)))
        out[...] = np.rint(255 * np.clip(np.nan_to_num(unit), 0, 1)).reshape(out.shape)


def picture_shape(space):
    """[height, width, channels] and how to get there, or None."""
    from gymnasium import spaces as s
    if not isinstance(space, s.Box) or len(space.shape) not in (2, 3) or min(space.shape) < 1:
        return None
    shape = space.shape if len(space.shape) == 3 else space.shape + (1,)
    first = shape[0] <= 4 < shape[2]
    if first:
        shape = (shape[1], shape[2], shape[0])
    if space.dtype != np.uint8 and not (shape[0] >= 8 and shape[1] >= 8 and np.all(np.isfinite(space.low))
                                        and np.all(np.isfinite(space.high))):
        return None
    return shape, first


class GymWorld:
    """Any Gymnasium environment."""

    def __init__(self, config):
        import gymnasium
        self.module, self.observe = gymnasium, config["observe"]
        kwargs = dict(config["kwargs"])
        if self.observe == "render":
            kwargs.setdefault("render_mode", "rgb_array")
        self.env = gymnasium.make(config["id"], disable_env_checker=True, **kwargs)
        self.max_steps = self.env.spec.max_episode_steps or 0
        self._observations(self.env.observation_space)
        self._actions(self.env.action_space)
        if self.observe == "render":
            self.env.reset(seed=0)
            picture = self._render()
            self.shape, self.first = picture.shape, False

    def versions(self):
        return {"gymnasium": self.module.__version__}

    def _observations(self, space):
        from gymnasium import spaces as s
        self.is_dict = isinstance(space, s.Dict)
        entries = list(space.spaces.items()) if self.is_dict else [("obs", space)]
        pictures = [name for name, part in entries if picture_shape(part)]
        wanted = self.observe
        if wanted not in ("", "render", "vector") and wanted not in [name for name, _ in entries]:
            raise Refusal(f"there is no observation '{wanted}', expected one of: "
                          + " ".join([name for name, _ in entries] + ["render", "vector"]))
        if wanted == "":
            wanted = pictures[0] if pictures else "vector"
        self.picture, self.space = None, None
        if wanted not in ("render", "vector"):
            self.space = dict(entries)[wanted]
            form = picture_shape(self.space)
            if not form:
                raise Refusal(f"observation '{wanted}' is no picture, leave 'observe' out")
            self.shape, self.first = form
            self.picture = wanted
            self.scale = self.space.dtype != np.uint8
        self.keys = [name for name, part in entries if not picture_shape(part)]
        self.vector = Vector([(name, dict(entries)[name]) for name in self.keys])
        self.columns = self.vector.names
        if wanted == "vector":
            if not self.columns:
                raise Refusal("there is nothing but pictures, leave 'observe' out")
            self.shape, self.first = (1, len(self.columns), 1), False

    def _actions(self, space):
        from gymnasium import spaces as s
        self.choices, self.whole, self.dtype = 0, False, np.float32
        self.action_shape = space.shape
        if isinstance(space, s.Discrete):
            self.choices, self.start = int(space.n), int(space.start)
            self.low, self.high = [0.0], [self.choices - 1.0]
        elif isinstance(space, s.Box):
            self.low = [float(x) if np.isfinite(x) else -1.0 for x in np.ravel(space.low)]
            self.high = [float(x) if np.isfinite(x) else 1.0 for x in np.ravel(space.high)]
            self.dtype = space.dtype
        elif isinstance(space, (s.MultiDiscrete, s.MultiBinary)):
            many = isinstance(space, s.MultiDiscrete)
            top = np.ravel(space.nvec) - 1 if many else np.ones(int(np.prod(space.shape)))
            self.low, self.high = [0.0] * len(top), [float(x) for x in top]
            self.whole, self.dtype = True, space.dtype
        else:
            raise Refusal(f"the action is a {type(space).__name__}, expected Box, Discrete, MultiDiscrete or "
                          "MultiBinary")

    def _render(self):
        picture = self.env.render()
        if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.dtype != np.uint8:
            raise Refusal("render() gives no picture: the environment has no render_mode 'rgb_array'")
        return picture

    def _write(self, observation, out, columns):
        if self.keys:
            self.vector.read([observation[key] for key in self.keys] if self.is_dict else [observation], columns)
        if self.picture is not None:
            picture = np.asarray(observation[self.picture] if self.is_dict else observation)
            if picture.shape != self.space.shape:
                raise ValueError(f"an observation of shape {picture.shape}, expected {self.space.shape}")
            if self.scale:
                low, high = self.space.low, self.space.high
                picture = np.rint(255 * np.clip((picture - low) / np.maximum(high - low, 1e-30), 0, 1))
            if self.first:
                picture = picture.transpose(1, 2, 0)
            out[...] = picture.reshape(out.shape)
        elif self.observe == "render":
            picture = self._render()
            if picture.shape != out.shape:
                raise ValueError(f"a picture of shape {picture.shape}, expected {out.shape}")
            out[...] = picture
        else:
            self.vector.draw(columns, out)

    def reset(self, seed, out, columns):
        observation, _ = self.env.reset(seed=seed)
        self._write(observation, out, columns)

    def step(self, action, out, columns):
        if self.choices:
            value = self.start + int(action[0])
        else:
            value = np.rint(action) if self.whole else action
            value = value.astype(self.dtype).reshape(self.action_shape)
        observation, reward, terminated, truncated, _ = self.env.step(value)
        self._write(observation, out, columns)
        return float(reward), bool(terminated), bool(truncated)

    def close(self):
        self.env.close()


class DoomWorld:
    """ViZDoom's take_cover, straight from the engine, with the settings in the configuration."""

    choices, low, high = 3, [0.0], [2.0]

    def __init__(self, config):
        import vizdoom as v
        self.module = v
        game = self.game = v.DoomGame()
        game.load_config(os.path.join(v.scenarios_path, "take_cover.cfg"))
        game.set_doom_config_path("/dev/null")
        if config["rewritten"]:  # by the other side, which is told where to find the original
            tell(json.dumps({"protocol": PROTOCOL, "scenario": os.path.join(v.scenarios_path, "take_cover.wad")}))
            if os.read(ASK, 1) != b"g":
                sys.exit()
            game.set_doom_scenario_path(f"/proc/{os.getpid()}/fd/{SCENARIO}")
        game.set_window_visible(False)
        game.set_screen_resolution(getattr(v.ScreenResolution, "RES_" + config["screen"].upper()))
        game.set_screen_format(v.ScreenFormat.BGR24 if config["bgr"] else v.ScreenFormat.RGB24)
        game.set_doom_skill(config["skill"])
        game.set_render_hud(config["hud"])
        if config["plain"]:
            game.set_render_weapon(False)
            game.set_render_crosshair(False)
            game.set_render_decals(False)
            game.set_render_particles(False)
        game.set_episode_start_time(config["start_tic"])
        game.set_episode_timeout(config["timeout_tic"])
        game.set_available_game_variables([v.GameVariable.POSITION_Y, v.GameVariable.HEALTH])
        game.set_objects_info_enabled(config["objects"])
        with tempfile.TemporaryDirectory(prefix=LEAVINGS) as folder:  # the engine makes a folder where it starts
            os.chdir(folder)
            game.init()
        unlink_segments()
        width, height = (int(x) for x in config["screen"].split("x"))
        self.shape, self.max_steps = (height, width, 3), config["timeout_tic"]
        self.objects, self.skip = config["objects"], config["skip"]
        self.columns = ["y", "health"] + (["objects", "objects_crc32"] if self.objects else [])
        self.buttons = [[False, False], [True, False], [False, True]]

    def versions(self):
        return {"vizdoom": self.module.__version__}

    def _write(self, out, columns):
        state = self.game.get_state()
        if state is None:
            return  # after death there is none: the last one stays
        out[...] = state.screen_buffer
        columns[:2] = state.game_variables
        if self.objects:
            import zlib
            rows = np.array([[o.id, o.position_x, o.position_y, o.position_z, o.velocity_x, o.velocity_y, o.velocity_z,
                              o.angle] for o in state.objects], np.float64)
            columns[2:] = len(rows), zlib.crc32(rows.tobytes())

    def reset(self, seed, out, columns):
        self.game.set_seed(seed)
        self.game.new_episode()
        self._write(out, columns)

    def step(self, action, out, columns):
        game = self.game
        reward = game.make_action(self.buttons[int(action[0])], self.skip)
        if not game.is_episode_finished():
            self._write(out, columns)
            return reward, False, False
        dead = game.is_player_dead()
        if dead:
            columns[1] = 0
        return reward, dead, not dead

    def close(self):
        self.game.close()


LEAVINGS = "saccade-vizdoom-"


def unlink_segments():
    """ViZDoom's segments: both ends have them open by now, so without names nothing can be left behind.

    What a killed start has left is older than any start takes, and mapped by nobody.
    """
    import glob
    import shutil
    import time
    for name in glob.glob(os.path.join(tempfile.gettempdir(), LEAVINGS + "*")):
        if time.time() - _changed(name) > 120:
            shutil.rmtree(name, ignore_errors=True)
    with open("/proc/self/maps") as maps:
        names = {line.split(None, 5)[5].strip() for line in maps if "/dev/shm/ViZDoom" in line}
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            pass
    old = [name for name in glob.glob("/dev/shm/ViZDoom*") if time.time() - _changed(name) > 120]
    for name in old:
        if not any(_maps(process, name) for process in glob.glob("/proc/[0-9]*/maps")):
            try:
                os.unlink(name)
            except OSError:
                pass


def _changed(name):
    try:
        return os.stat(name).st_ctime
    except OSError:
        return float("inf")


def _maps(maps, name):
    try:
        with open(maps) as file:
            return name in file.read()
    except OSError:
        return False


def tell(text):
    os.write(ANSWER, (text + "\n").encode())


def reason(error):
    if isinstance(error, ModuleNotFoundError) and error.name:
        module = error.name.partition(".")[0]
        return (f"{sys.executable} has no module '{module}': type '{sys.executable} -m pip install {module}', or in a "
                "checkout 'make peers'; SACCADE_PYTHON names another Python")
    text = str(error).strip().split("\n")[0]
    return text if isinstance(error, Refusal) else f"{type(error).__name__}: {text}"


def serve(world, memory, seed, reward, ends, action, columns, observation):
    read, write = os.read, os.write
    while True:
        command = read(ASK, 1)
        if command == b"s":
            reward[0], ends[0], ends[1] = world.step(action, observation, columns)
        elif command == b"r":
            world.reset(int(seed[0]), observation, columns)
        else:  # "q", or the other side is gone
            return
        write(ANSWER, b"k")


def main():
    config = json.loads(sys.argv[1])
    try:
        if isinstance(np, Exception):
            raise np
        world = (DoomWorld if config["world"] == "take-cover" else GymWorld)(config)
    except Exception as error:  # whatever it is, a person wants to read it
        tell(json.dumps({"protocol": PROTOCOL, "error": reason(error)}))
        return
    versions = {"python": ".".join(str(x) for x in sys.version_info[:3]), "numpy": np.__version__, **world.versions()}
    height, width, channels = (int(x) for x in world.shape)
    at_columns = up(ACTION + 4 * len(world.low))
    at_observation = up(at_columns + 8 * len(world.columns))
    size = at_observation + height * width * channels
    os.ftruncate(MEMORY, size)
    tell(json.dumps({"protocol": PROTOCOL, "versions": versions, "shape": [height, width, channels],
                     "choices": world.choices, "low": world.low, "high": world.high, "columns": world.columns,
                     "max_steps": int(world.max_steps), "size": size}))

    import mmap
    memory = np.frombuffer(mmap.mmap(MEMORY, size), np.uint8)
    seed, reward = memory[0:8].view(np.uint64), memory[8:16].view(np.float64)
    action = memory[ACTION:ACTION + 4 * len(world.low)].view(np.float32)
    columns = memory[at_columns:at_columns + 8 * len(world.columns)].view(np.float64)
    observation = memory[at_observation:].reshape(height, width, channels)
    try:
        serve(world, memory, seed, reward, memory[16:18], action, columns, observation)
    except Exception as error:
        text = reason(error).encode()[:MESSAGE_SIZE - 1] + b"\0"
        memory[MESSAGE:MESSAGE + len(text)] = np.frombuffer(text, np.uint8)
        os.write(ANSWER, b"e")
        return
    world.close()


main()
