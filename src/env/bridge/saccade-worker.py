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

PROTOCOL = 3
SCENE, MESSAGE, MESSAGE_SIZE, ACTION = 20, 64, 448, 512  # offsets; the head holds seed, reward and ends too
MAX_COLUMNS, MAX_PARTS = 128, 16  # as in worker.h and space.h
MAX_NUMBERS = 4096  # of a vector: what has more is a picture that does not say so

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


def part_name(name):
    """A name as a policy's inputs can say it."""
    text = "".join("_" if c in " \t\n,:;=\"'" else c for c in str(name))
    return text[:47] or "obs"


class Part:
    """One part of an observation, as the other side is told of it; `write` puts a value into its place."""

    privileged, low, high = False, None, None

    def describe(self):
        shape = [int(x) for x in self.shape] + [1] * (3 - len(self.shape))
        return {"name": part_name(self.name), "kind": self.kind, "shape": shape, "privileged": self.privileged,
                "low": self.low, "high": self.high}

    def place(self, memory, offset):
        """The part's own array in the memory that both sides see; returns where the next one may begin."""
        kind = np.uint8 if self.kind == "picture" else np.float32
        count = int(np.prod(self.shape))
        self.out = np.frombuffer(memory, kind, count, offset).reshape(self.shape) if memory is not None else None
        return offset + count * np.dtype(kind).itemsize


class Numbers(Part):
    """A vector of floats, from any space of numbers."""

    kind = "vector"

    def __init__(self, name, space):
        from gymnasium import spaces as s
        self.name = name
        if isinstance(space, s.Box):
            low, high = np.ravel(space.low), np.ravel(space.high)
        elif isinstance(space, s.Discrete):
            low, high = [space.start], [space.start + space.n - 1]
        elif isinstance(space, s.MultiDiscrete):
            low, high = np.zeros(space.nvec.size), np.ravel(space.nvec) - 1
        elif isinstance(space, s.MultiBinary):
            count = int(np.prod(space.shape))
            low, high = np.zeros(count), np.ones(count)
        else:
            raise Refusal(f"observation '{name}' is a {type(space).__name__}, expected numbers")
        self.shape = (len(low),)
        self.names = [f"{name}{i}" for i in range(len(low))]
        # float32's largest stands for "no bound" in many spaces; where one number has none, none are told
        low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
        if np.all(np.abs(low) < 1e30) and np.all(np.abs(high) < 1e30):
            self.low, self.high = [float(x) for x in low], [float(x) for x in high]

    def read(self, value):
        value = np.ravel(np.asarray(value, np.float64))
        if value.size != self.shape[0]:
            raise ValueError(f"observation '{self.name}' has {value.size} numbers, expected {self.shape[0]}")
        self.out[...] = value
        return value


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


class Picture(Part):
    """Bytes [height, width, channels], or floats: [height, width] of one channel, as a depth picture, and [height, width,
    channels] of more. Whole numbers with other bounds than bytes become bytes."""

    def __init__(self, name, space):
        self.name, self.space = name, space
        self.shape, self.first = picture_shape(space)
        self.scale = space.dtype != np.uint8
        self.kind = "picture"
        if np.issubdtype(space.dtype, np.floating):
            self.kind = "depth" if self.shape[2] == 1 else "floats"
            self.shape = self.shape[:2] if self.kind == "depth" else self.shape
            self.low, self.high = [float(np.min(space.low))], [float(np.max(space.high))]

    def write(self, value):
        picture = np.asarray(value)
        if picture.shape != self.space.shape:
            raise ValueError(f"an observation of shape {picture.shape}, expected {self.space.shape}")
        if picture.dtype != self.space.dtype:
            self._check_type(picture)
        if self.scale and self.kind == "picture":
            low, high = self.space.low, self.space.high
            picture = np.rint(255 * np.clip((picture - low) / np.maximum(high - low, 1e-30), 0, 1))
        if self.first:
            picture = picture.transpose(1, 2, 0)
        self.out[...] = picture.reshape(self.out.shape)

    def _check_type(self, picture):
        """Bytes that come as other whole numbers are bytes; anything else would become black in silence."""
        if self.scale and np.issubdtype(picture.dtype, np.number):
            return
        if picture.dtype.kind in "iu" and picture.min() >= 0 and picture.max() <= 255:
            return
        raise ValueError(f"an observation of {picture.dtype} from {picture.min()} to {picture.max()}, its space is of "
                         f"{self.space.dtype}")


class Rendered(Part):
    """The people's picture, as part camera."""

    kind, name = "picture", "camera"

    def __init__(self, shape):
        self.shape = shape

    def write(self, picture):
        if picture.shape != self.out.shape:
            raise ValueError(f"a picture of shape {picture.shape}, expected {self.out.shape}")
        self.out[...] = picture


class GymWorld:
    """Any Gymnasium environment."""

    def __init__(self, config):
        import gymnasium
        self.module, self.observe, self.hidden = gymnasium, config["observe"], config["privileged"]
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
            self.rendered = Rendered(self._render().shape)
            self.parts.insert(0, self.rendered)

    def _make(self, name, kwargs):
        try:
            return self.module.make(name, disable_env_checker=True, **kwargs)
        except self.module.error.UnregisteredEnv as error:
            if ":" in name:
                raise
            raise Refusal(f"{error} A world of your own is named with the module that registers it, "
                          f"gym:MODULE:{name}") from None
        except ModuleNotFoundError as error:
            absent = error.name or getattr(error.__cause__, "name", None)  # Gymnasium raises it anew
            if absent != name.split(":")[0]:
                raise
            raise Refusal(f"there is no module '{absent}' in the current folder, in $PYTHONPATH or installed for "
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
        pictured = not self.is_dict and picture_shape(space)
        entries = list(space.spaces.items()) if self.is_dict else [("camera" if pictured else "obs", space)]
        self._mark(space, entries)
        wanted = self.observe
        if wanted not in ("", "render", "vector") and wanted not in [name for name, _ in entries]:
            raise Refusal(f"there is no observation '{wanted}', expected one of: "
                          + " ".join([name for name, _ in entries] + ["render", "vector"]))
        pictures = [Picture(name, part) for name, part in entries if picture_shape(part)]
        numbers = [Numbers(name, part) for name, part in entries if not picture_shape(part)]
        for part in pictures + numbers:
            part.privileged = part.name in self.privileged
        if wanted == "vector":
            if not numbers:
                raise Refusal("there is nothing but pictures, leave 'observe' out")
            pictures = []
        elif wanted == "render":
            pictures = []  # the rendered one comes first, when there is one
        parts = pictures + numbers
        self.parts = [part for part in parts if part.name == wanted] + [part for part in parts if part.name != wanted]
        self.pictures, self.numbers, self.rendered = pictures, numbers, None
        if len(self.parts) > MAX_PARTS - 1:
            raise Refusal(f"{len(self.parts)} entries to observe, expected at most {MAX_PARTS - 1}")
        names = [name for part in numbers for name in part.names]
        self.columns = names if len(names) <= MAX_COLUMNS else []
        too_large = [part for part in numbers if part.shape[0] > MAX_NUMBERS]
        if too_large:
            shapes = ", ".join(f"'{part.name}' {dict(entries)[part.name].shape}" for part in too_large)
            raise Refusal(f"{too_large[0].shape[0]} numbers to observe ({shapes}), expected at most {MAX_NUMBERS}; a picture is a Box "
                          "of uint8, or of floats with finite bounds, [height, width] or [height, width, channels]")

    def _mark(self, space, entries):
        """Which entries are privileged: those that the world's metadata names, and those that the task does."""
        named = self.env.metadata.get("privileged", ()) if isinstance(self.env.metadata, dict) else ()
        if not isinstance(named, (list, tuple, set, frozenset)) or not all(isinstance(name, str) for name in named):
            raise Refusal(f"metadata['privileged'] is {named!r}, expected a list of names")
        self.privileged = set(named) | set(self.hidden.replace(",", " ").split())
        names = [name for name, _ in entries] if self.is_dict else []
        for name in sorted(self.privileged):
            if name not in names:
                raise Refusal(f"there is no entry '{name}' to be privileged, "
                              + (f"expected some of: {' '.join(names)}" if names else "the observation is no dict"))
        if self.privileged and self.privileged == set(names) and self.observe != "render":
            raise Refusal("every entry is privileged, expected one at least that a policy may see")

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

    def _write(self, observation, columns):
        at = 0
        for part in self.numbers:
            values = part.read(observation[part.name] if self.is_dict else observation)
            if self.columns:
                columns[at:at + len(values)] = values
                at += len(values)
        for part in self.pictures:
            part.write(observation[part.name] if self.is_dict else observation)
        if self.rendered:
            self.rendered.write(self._render())

    def reset(self, seed, scene, columns):  # there is one scene
        result = self.env.reset(seed=seed)
        if not isinstance(result, tuple) or len(result) != 2:
            raise Refusal(f"reset returned {brief(result)}, expected (observation, info)")
        self._write(result[0], columns)

    def step(self, action, columns):
        if self.choices:
            value = self.start + int(action[0])
        else:
            value = np.rint(action) if self.whole else action
            value = value.astype(self.dtype).reshape(self.action_shape)
        result = self.env.step(value)
        if not isinstance(result, tuple) or len(result) != 5:
            raise Refusal(f"step returned {brief(result)}, expected (observation, reward, terminated, truncated, info)")
        observation, reward, terminated, truncated, _ = result
        self._write(observation, columns)
        try:
            return float(reward), bool(terminated), bool(truncated)
        except (TypeError, ValueError):
            raise Refusal(f"step returned a reward {reward!r}, ends {terminated!r} and {truncated!r}; expected a number "
                          "and two truths") from None

    def close(self):
        self.env.close()


class Objects(Part):
    """What a planner sees of take_cover: the player's place and velocity; then the nearest fireballs and the nearest
    monsters, each 1, its place as seen from the player, and its velocity. What is not there is 0. In map units, units a
    tic."""

    kind, name, privileged = "vector", "objects", True
    FIREBALLS, MONSTERS = 16, 8  # as in take_cover.c
    shape = (4 + 5 * (FIREBALLS + MONSTERS),)

    def write(self, objects):
        player = next((o for o in objects if o.name == "DoomPlayer"), None)
        if player is None:
            return  # the last place stays, as the screen does
        x, y = player.position_x, player.position_y
        others = sorted((o for o in objects if o is not player),
                        key=lambda o: ((o.position_x - x) ** 2 + (o.position_y - y) ** 2, o.id))
        balls = [o for o in others if "Ball" in o.name][:self.FIREBALLS]
        monsters = [o for o in others if "Imp" in o.name and "Ball" not in o.name][:self.MONSTERS]
        out = self.out
        out[...] = 0
        out[:4] = x, y, player.velocity_x, player.velocity_y
        for first, group in ((4, balls), (4 + 5 * self.FIREBALLS, monsters)):
            for at, o in zip(range(first, len(out), 5), group):
                out[at:at + 5] = 1, o.position_x - x, o.position_y - y, o.velocity_x, o.velocity_y


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
        game.set_objects_info_enabled(config["objects"] or config["counted"])  # which init fixes
        with tempfile.TemporaryDirectory(prefix=LEAVINGS) as folder:  # the engine makes a folder where it starts
            os.chdir(folder)
            game.init()
        unlink_segments()
        width, height = (int(x) for x in config["screen"].split("x"))
        self.parts, self.max_steps = [Rendered((height, width, 3))], config["timeout_tic"]
        if config["objects"]:
            self.parts.append(Objects())
        self.objects, self.counted, self.skip = config["objects"], config["counted"], config["skip"]
        self.columns = ["y", "health"] + (["objects", "objects_crc32"] if self.counted else [])
        self.scenes = config["scenes"]
        self.buttons = [[False, False], [True, False], [False, True]]

    def versions(self):
        return {"vizdoom": self.module.__version__}

    def _write(self, columns):
        state = self.game.get_state()
        if state is None:
            return  # after death there is none: the last one stays
        self.parts[0].out[...] = state.screen_buffer
        columns[:2] = state.game_variables
        if self.counted:
            import zlib
            rows = np.array([[o.id, o.position_x, o.position_y, o.position_z, o.velocity_x, o.velocity_y, o.velocity_z,
                              o.angle] for o in state.objects], np.float64)
            columns[2:] = len(rows), zlib.crc32(rows.tobytes())
        if self.objects:
            self.parts[1].write(state.objects)

    def reset(self, seed, scene, columns):
        if self.scenes > 1:
            self.game.set_doom_map(f"MAP{scene + 1:02}")  # before the seed, as a change of the map draws of it
        self.game.set_seed(seed)
        self.game.new_episode()
        self._write(columns)

    def step(self, action, columns):
        game = self.game
        reward = game.make_action(self.buttons[int(action[0])], self.skip)
        if not game.is_episode_finished():
            self._write(columns)
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


def missing(module):
    """The module that was looked for in vain, and of what our worlds need the others that this Python lacks."""
    from importlib.util import find_spec
    ours = ["numpy", "vizdoom" if "take-cover" in sys.argv[1] else "gymnasium"]
    return " ".join([module, *(name for name in ours if name != module and module in ours and not find_spec(name))])


def how_to_install(module):
    """What to type for a module that this Python lacks. Debian's own refuses pip, so there it takes a virtual one."""
    import sysconfig
    module = missing(module)
    if sys.prefix == sys.base_prefix and os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")):
        return (f"type 'make worlds' in a checkout, or 'python3 -m venv ~/venv && ~/venv/bin/pip install {module}' and "
                "'export SACCADE_PYTHON=~/venv/bin/python'")
    return (f"type '{sys.executable} -m pip install {module}', or in a checkout 'make worlds'; SACCADE_PYTHON names "
            "another Python")


LENGTH = 440  # of a reason in bytes; the message's room, less its end


def reason(error):
    if isinstance(error, ModuleNotFoundError) and error.name and not frames(error):
        module = error.name.partition(".")[0]
        return f"{sys.executable} has no module '{module}': {how_to_install(module)}"
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


def serve(world, seed, scene, reward, ends, action, columns):
    read, write = os.read, os.write
    while True:
        command = read(ASK, 1)
        if command == b"s":
            reward[0], ends[0], ends[1] = world.step(action, columns)
        elif command == b"r":
            world.reset(int(seed[0]), int(scene[0]), columns)
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
    at_columns = up(ACTION + 4 * len(world.low))
    size = at_columns + 8 * len(world.columns)
    for part in world.parts:
        size = part.place(None, up(size))
    os.ftruncate(MEMORY, size)
    tell(json.dumps({"protocol": PROTOCOL, "versions": versions, "parts": [part.describe() for part in world.parts],
                     "choices": world.choices, "low": world.low, "high": world.high, "columns": world.columns,
                     "max_steps": int(world.max_steps), "size": size}))

    import mmap
    shared = mmap.mmap(MEMORY, size)
    memory = np.frombuffer(shared, np.uint8)
    seed, reward = memory[0:8].view(np.uint64), memory[8:16].view(np.float64)
    action = memory[ACTION:ACTION + 4 * len(world.low)].view(np.float32)
    columns = memory[at_columns:at_columns + 8 * len(world.columns)].view(np.float64)
    offset = at_columns + 8 * len(world.columns)
    for part in world.parts:
        offset = part.place(shared, up(offset))
    try:
        serve(world, seed, memory[SCENE:SCENE + 4].view(np.uint32), reward, memory[16:18], action, columns)
    except Exception as error:
        text = reason(error).encode()[:MESSAGE_SIZE - 1].decode(errors="ignore").encode() + b"\0"
        memory[MESSAGE:MESSAGE + len(text)] = np.frombuffer(text, np.uint8)
        os.write(ANSWER, b"e")
        return
    world.close()


main()
