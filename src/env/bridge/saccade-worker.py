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
MAX_COLUMNS = 128  # as in worker.h

for key, value in {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1",
                   "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}.items():
    os.environ.setdefault(key, value)
# this file's own folder is nobody's place to look for modules: those of saccade's package have common names
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != HERE]
for descriptor in (ASK, ANSWER, MEMORY):
    os.set_inheritable(descriptor, False)  # a simulator of ours must not keep the pipes open

try:
    import numpy as np  # noqa: E402 (after the threads were limited)
except ModuleNotFoundError as error:
    np = error  # said once there is someone to tell


def reach_modules():
    """What a world's module is looked for in beside $PYTHONPATH and what is installed: the current folder, and where the
    Python that drives us looks. Called when our own modules are there, so that no file of the user's can take their
    place."""
    folders = os.environ.get("SACCADE_PYTHONPATH", "").split(os.pathsep)
    wanted = [os.getcwd()] + [folder for folder in folders if folder and os.path.abspath(folder) != HERE]
    sys.path[:0] = [folder for i, folder in enumerate(wanted) if folder not in sys.path and folder not in wanted[:i]]


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
        reach_modules()
        self.env = self._make(config["id"], kwargs)
        self.max_steps = self.env.spec.max_episode_steps or 0
        self._observations(self._space("observation_space"))
        self._actions(self._space("action_space"))
        if self.observe == "render":
            self.env.reset(seed=0)
            picture = self._render()
            self.shape, self.first = picture.shape, False

    def _make(self, name, kwargs):
        try:
            return self.module.make(name, disable_env_checker=True, **kwargs)
        except self.module.error.UnregisteredEnv as error:
            if ":" in name:
                raise
            raise Refusal(f"{error} A world of your own is named with the module that registers it, "
                          f"gym:MODULE:{name}") from None
        except ModuleNotFoundError as error:
            missing = error.name or getattr(error.__cause__, "name", None)  # Gymnasium raises it anew
            if missing != name.split(":")[0]:
                raise
            raise Refusal(f"there is no module '{missing}' in the current folder, in $PYTHONPATH or installed for "
                          f"{sys.executable}") from None

    def _space(self, name):
        space = getattr(self.env.unwrapped, name, None)
        if not isinstance(space, self.module.Space):
            raise Refusal(f"{type(self.env.unwrapped).__name__}.{name} is {space!r}, expected one of "
                          "gymnasium.spaces, set in __init__ at the latest")
        return getattr(self.env, name)  # as wrappers have it

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
        if len(self.columns) > MAX_COLUMNS:
            shapes = ", ".join(f"'{name}' {dict(entries)[name].shape}" for name in self.keys)
            raise Refusal(f"{len(self.columns)} numbers to observe ({shapes}), expected at most {MAX_COLUMNS}; a picture "
                          "is a Box of uint8, or of floats with finite bounds, [height, width] or [height, width, "
                          "channels]")
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
            if picture.dtype != self.space.dtype:
                self._check_type(picture)
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

    def _check_type(self, picture):
        """Bytes that come as other whole numbers are bytes; anything else would become black in silence."""
        if self.scale and np.issubdtype(picture.dtype, np.number):
            return
        if picture.dtype.kind in "iu" and picture.min() >= 0 and picture.max() <= 255:
            return
        raise ValueError(f"an observation of {picture.dtype} from {picture.min()} to {picture.max()}, its space is of "
                         f"{self.space.dtype}")

    def reset(self, seed, out, columns):
        result = self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            raise Refusal(f"reset returned {brief(result)}, expected (observation, info)")
        self._write(result[0], out, columns)

    def step(self, action, out, columns):
        if self.choices:
            value = self.start + int(action[0])
        else:
            value = np.rint(action) if self.whole else action
            value = value.astype(self.dtype).reshape(self.action_shape)
        result = self.env.step(value)
        if not isinstance(result, tuple) or len(result) != 5:
            raise Refusal(f"step returned {brief(result)}, expected (observation, reward, terminated, truncated, info)")
        observation, reward, terminated, truncated, _ = result
        self._write(observation, out, columns)
        try:
            return float(reward), bool(terminated), bool(truncated)
        except (TypeError, ValueError):
            raise Refusal(f"step returned a reward {reward!r}, ends {terminated!r} and {truncated!r}; expected a number "
                          "and two truths") from None

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


def brief(result):
    """What a function gave back instead of what it should."""
    return f"a tuple of {len(result)}" if isinstance(result, tuple) else f"one {type(result).__name__}"


def shown(path):
    """A file's path as a person in the current folder would type it."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def frames(error):
    """Where the user's own code failed, innermost first: what lies between us and the simulators' packages."""
    import traceback
    others = ("<", HERE + os.sep, sys.base_prefix + os.sep + "lib")
    stack = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(others)
             and "site-packages" not in frame.filename and "dist-packages" not in frame.filename]
    return [f"{shown(frame.filename)}:{frame.lineno} in {frame.name}: {frame.line}" for frame in reversed(stack)]


LENGTH = 440  # of a reason in bytes; the message's room, less its end


def reason(error):
    if isinstance(error, ModuleNotFoundError) and error.name and not frames(error):
        module = error.name.partition(".")[0]
        return (f"{sys.executable} has no module '{module}': type '{sys.executable} -m pip install {module}', or in a "
                "checkout 'make worlds'; SACCADE_PYTHON names another Python")
    text = " ".join(str(error).split())
    if isinstance(error, Refusal):
        return text
    text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if "to unpack" in text and not frames(error):  # in Gymnasium's wrappers
        text += " (reset returns observation, info; step returns observation, reward, terminated, truncated, info)"
    for word, frame in zip(["at", "called at", "called at"], frames(error)):
        longer = f"{text}, {word} {frame}"
        if len(longer.encode()) > LENGTH:
            break
        text = longer
    return text


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
        text = reason(error).encode()[:MESSAGE_SIZE - 1].decode(errors="ignore").encode() + b"\0"
        memory[MESSAGE:MESSAGE + len(text)] = np.frombuffer(text, np.uint8)
        os.write(ANSWER, b"e")
        return
    world.close()


main()
