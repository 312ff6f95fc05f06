"""Environments: Gymnasium's own CarRacing to the bit, its checker, and the batch beside one by one."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
import saccade

ROOT = pathlib.Path(__file__).resolve().parents[2]

def actions(random, count, n=3):
    a = random.uniform(-1, 1, (count, n)).astype(np.float32)
    a[:, 1:] = np.abs(a[:, 1:]) * 0.5
    return a


def test_worlds_are_listed():
    assert {"car-racing", "toy"} <= set(saccade.worlds.names())
    assert "color" in saccade.worlds.variants("car-racing")
    assert saccade.worlds.options("car-racing")["rules"][0] == "v3"


def test_seed_and_actions_decide_every_bit(random):
    worlds = [saccade.World("car-racing"), saccade.World("car-racing")]
    first = [w.reset(5) for w in worlds]
    assert np.array_equal(*first)
    for a in actions(random, 20):
        (o, r, *ends), (p, s, *others) = (w.step(a) for w in worlds)
        assert np.array_equal(o, p) and r == s and ends == others
    assert worlds[0].state() == worlds[1].state() and set(worlds[0].state()) >= {"x", "y", "tiles"}


def test_observations_are_new_arrays_or_the_callers(random):
    world = saccade.World("toy")
    first = world.reset(1)
    copy = first.copy()
    second = world.step([0.5, 0.5])[0]
    assert second is not first and np.array_equal(first, copy)
    out = np.empty(world.spec.observation_shape, np.uint8)
    assert world.step([0.5, 0.5], out=out)[0] is out


def test_a_step_needs_an_episode():
    world = saccade.World("toy")
    with pytest.raises(RuntimeError, match="reset comes before"):
        world.step([0, 0])
    world.reset(1)
    ends = [False, False]
    while not any(ends):
        _, _, *ends = world.step([0, 0])
    with pytest.raises(RuntimeError, match="after an end"):
        world.step([0, 0])
    assert world.picture(64).shape == (64, 64, 3)


@pytest.mark.parametrize("bad, error, words", [
    (lambda: saccade.World("car-racin"), saccade.ArgumentError, "car-racing"),
    (lambda: saccade.World("car-racing", "colour"), saccade.ArgumentError, "color"),
    (lambda: saccade.World("car-racing", max_step=3), saccade.ArgumentError, "max_steps"),
    (lambda: saccade.worlds.options("nothing"), ValueError, "nothing"),
])
def test_bad_worlds_are_named(bad, error, words):
    with pytest.raises(error) as raised:
        bad()
    assert words in str(raised.value)


def test_bad_actions_are_named():
    world = saccade.World("car-racing")
    world.reset(1)
    with pytest.raises(ValueError, match="shape"):
        world.step([0, 0])
    with pytest.raises(ValueError, match="shape"):
        world.step(0)


def test_a_batch_has_the_bits_of_one_by_one(random):
    batch = saccade.Worlds("car-racing", 5, max_steps=12)
    single = [saccade.World("car-racing", max_steps=12) for _ in range(5)]
    batch.reset(7)
    assert all(np.array_equal(batch.observations[i], w.reset(7 + i)) for i, w in enumerate(single))
    for _ in range(12):
        a = actions(random, 5)
        batch.step(a)
        for i, w in enumerate(single):
            o, reward, terminated, truncated = w.step(a[i])
            assert np.array_equal(batch.observations[i], o) and batch.rewards[i] == reward
            assert (batch.terminated[i], batch.truncated[i]) == (terminated, truncated)
    assert not batch.going.any() and batch.truncated.all()


def test_threads_change_no_bit(random):
    batches = [saccade.Worlds("car-racing", 6, threads=n) for n in (1, 3)]
    for b in batches:
        b.reset(1)
    for _ in range(10):
        a = actions(random, 6)
        for b in batches:
            b.step(a)
    assert np.array_equal(batches[0].observations, batches[1].observations)
    assert np.array_equal(batches[0].rewards, batches[1].rewards)


@pytest.mark.parametrize("name", ["toy", "car-racing"])
def test_a_restored_world_goes_on_with_the_same_bits(random, name):
    import pickle

    world, other = saccade.World(name), saccade.World(name)
    with pytest.raises(RuntimeError, match="reset comes before save"):
        world.save()
    world.reset(5)
    size = world.spec.action_size
    moves = [random.uniform(-1, 1, size).astype(np.float32) for _ in range(12)]
    for move in moves[:4]:
        last = world.step(move)[0].copy()
    snapshot = pickle.loads(pickle.dumps(world.save()))
    expected = [(o.copy(), *rest) for o, *rest in map(world.step, moves[4:])]
    other.reset(6)
    for place in (other, world):
        assert np.array_equal(place.restore(snapshot), last)
        for move, (observation, *rest) in zip(moves[4:], expected):
            again, *others = place.step(move)
            assert np.array_equal(again, observation) and others == rest


def test_worlds_in_a_batch_are_branched():
    batch, single = saccade.Worlds("toy", 3), saccade.World("toy")
    batch.reset(1)
    single.reset(9)
    single.step([0.5, 0.5])
    batch.restore(2, single.save())
    batch.step(np.zeros((3, 2)))
    observation, reward, *_ = single.step([0, 0])
    assert np.array_equal(batch.observations[2], observation) and batch.rewards[2] == reward
    assert np.array_equal(single.restore(batch.save(2)), observation)


def test_gymnasiums_environment_is_branched(gymnasium):
    env = gymnasium.make("saccade/Toy-v0").unwrapped
    env.reset(seed=1)
    snapshot = env.save()
    action = env.action_space.sample()
    first = env.step(action)
    assert np.array_equal(env.restore(snapshot), snapshot.observation)
    again = env.step(action)
    assert np.array_equal(first[0], again[0]) and first[1:] == again[1:]


def test_a_snapshot_of_another_world_is_refused():
    world, other = saccade.World("toy"), saccade.World("toy", "noise")
    world.reset(1), other.reset(1)
    before = other.save().data
    with pytest.raises(ValueError, match="no snapshot of this world"):
        other.restore(world.save())
    assert other.save().data == before


@pytest.mark.parametrize("saved,observed", [("camera", "state"), (["camera", "state"], "camera"), ("camera", ["camera"]),
                                            (["camera"], ["camera", "state"])])
def test_a_snapshot_of_other_parts_is_refused(saved, observed):
    world = saccade.World("car-racing", parts=saved)
    world.reset(1)
    other, batch = saccade.World("car-racing", parts=observed), saccade.Worlds("car-racing", 2, parts=observed)
    other.reset(2), batch.reset(2)
    before = other.save().data, batch.save(1).data
    with pytest.raises(ValueError, match="snapshot: "):
        other.restore(world.save())
    with pytest.raises(ValueError, match="snapshot: "):
        batch.restore(1, world.save())
    assert (other.save().data, batch.save(1).data) == before


def test_gymnasium_finds_the_environments(gymnasium):
    ids, made = saccade.gym.ids(), set()
    assert sorted(ids.values()) == sorted(name for name in saccade.worlds.names() if not name.endswith(":"))
    for id, name in ids.items():
        try:
            expected = saccade.World(name).reset(seed=5)
        except saccade.UnavailableError:
            continue  # it needs MuJoCo or Python's modules
        env = gymnasium.make(id)
        observation, _ = env.reset(seed=5)
        assert str(observation) == str(expected), id
        env.step(env.action_space.sample())
        env.close()
        made.add(id)
    assert {"saccade/CarRacing-v3", "saccade/Toy-v0"} <= made
    assert "saccade/LegsFlat-v0" in made or "saccade/Rooms-v0" not in made  # both need MuJoCo alone


@pytest.mark.parametrize("id", ["saccade/CarRacing-v3", "saccade/Toy-v0"])
def test_gymnasiums_checker_finds_nothing(gymnasium, id, recwarn):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(id, render_mode="rgb_array").unwrapped)
    assert [str(w.message) for w in recwarn if "pkg_resources" not in str(w.message)] == []


def test_carracing_has_gymnasiums_rewards_and_ends(gymnasium, random):
    pytest.importorskip("Box2D", reason="needs Box2D (make worlds)")
    ours, theirs = gymnasium.make("saccade/CarRacing-v3"), gymnasium.make("CarRacing-v3")
    assert ours.action_space == theirs.action_space and ours.observation_space == theirs.observation_space
    ours.reset(seed=11), theirs.reset(seed=11)
    for action in actions(random, 30):
        _, reward, terminated, truncated, _ = ours.step(action)
        _, other, *ends, _ = theirs.step(action)
        assert abs(reward - other) <= 1e-9 and [terminated, truncated] == ends
    theirs.close()


def test_an_episode_that_nobody_chose_is_a_new_one(gymnasium):
    env = gymnasium.make("saccade/CarRacing-v3")
    first, second = env.reset()[0], env.reset()[0]
    assert not np.array_equal(first, second)
    other = gymnasium.make("saccade/CarRacing-v3")
    assert np.array_equal(env.reset(seed=4)[0], other.reset(seed=4)[0])
    assert np.array_equal(env.reset()[0], other.reset()[0])  # the episode after seed 4's


def test_make_vec_is_the_batch(gymnasium, random):
    env = gymnasium.make_vec("saccade/CarRacing-v3", num_envs=3, max_steps=6)
    assert isinstance(env.unwrapped, saccade.gym.VectorEnv)
    sync = gymnasium.make_vec("saccade/CarRacing-v3", num_envs=3, vectorization_mode="sync", max_steps=6)
    a, b = env.reset(seed=3)[0], sync.reset(seed=3)[0]
    assert np.array_equal(a, b) and a in env.observation_space
    for _ in range(15):  # over two ends: both start the next episode in the step after an end
        action = actions(random, 3)
        ours, theirs = env.step(action), sync.step(action)
        for x, y in zip(ours[:4], theirs[:4]):
            assert np.array_equal(x, y)
    env.close()


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_other_ways_to_start_anew(gymnasium, mode):
    env = gymnasium.make_vec("saccade/Toy-v0", num_envs=2, autoreset_mode=mode)
    env.reset(seed=1)
    ends = np.zeros(2, bool)
    while not ends.any():
        o, _, terminated, truncated, info = env.step(np.zeros((2, 2), np.float32))
        ends = terminated | truncated
    if mode == "SameStep":
        assert list(info["_final_obs"]) == list(ends)
        assert not np.array_equal(info["final_obs"][0], o[0])
    else:
        with pytest.raises(RuntimeError, match="reset_mask"):
            env.step(np.zeros((2, 2), np.float32))
        env.reset(options={"reset_mask": ends})
        env.step(np.zeros((2, 2), np.float32))


def test_gymnasiums_wrappers_fit(gymnasium):
    from gymnasium.wrappers import FrameStackObservation, RecordEpisodeStatistics, TimeLimit

    env = RecordEpisodeStatistics(TimeLimit(FrameStackObservation(gymnasium.make("saccade/Toy-v0"), 4), 5))
    env.reset(seed=1)
    for _ in range(5):
        *_, truncated, info = env.step(env.action_space.sample())
    assert truncated and info["episode"]["l"] == 5


def test_vectors_of_eight_are_sixty_times_as_fast_as_gymnasium(gymnasium, random):
    """Steps per second of processor time."""
    pytest.importorskip("Box2D", reason="needs Box2D (make worlds)")
    import time

    def steps_per_second(env, action, count, rounds):
        env.reset(seed=1)
        best = float("inf")
        for _ in range(rounds):
            begin = time.process_time()
            for _ in range(count):
                env.step(action)
            best = min(best, (time.process_time() - begin) / count)
        return 1 / best

    action = actions(random, 8)
    ours = 8 * steps_per_second(gymnasium.make_vec("saccade/CarRacing-v3", num_envs=8), action, 25, 8)
    theirs = steps_per_second(gymnasium.make("CarRacing-v3"), action[0], 15, 4)
    print(f"{ours:.0f} and {theirs:.0f} steps per second of processor time: {ours / theirs:.0f} times")
    assert ours >= 60 * theirs


def test_any_environment_by_the_bridge(gymnasium):
    world, theirs = saccade.World("gym:CartPole-v1"), gymnasium.make("CartPole-v1")
    world.reset(3), theirs.reset(seed=3)
    for action in (0, 1, 1, 0):
        _, reward, *ends = world.step(action)
        observation, other, *others, _ = theirs.step(action)
        assert (reward, *ends) == (other, *others)
        assert list(world.state().values()) == observation.astype(float).tolist()
    with pytest.raises(ValueError, match=r"0\.\.1"):
        world.step(2)
    with pytest.raises(saccade.Error, match="Nothing-v0"):
        saccade.World("gym:Nothing-v0").reset(1)


def test_a_world_beside_the_script_is_found(gymnasium, tmp_path):
    """As people begin: a module next to their script, run from another folder. saccade has a worlds.py of its own."""
    (tmp_path / "worlds.py").write_text("""
import gymnasium, numpy as np
class Near(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)
    def reset(self, seed=None, options=None):
        return np.full((16, 16, 3), seed % 256, np.uint8), {}
    def step(self, action):
        return np.zeros((16, 16, 3), np.uint8), self.reward(action), True, False, {}
    def reward(self, action):
        return 1 / (1 - action)
gymnasium.register("Near-v0", Near)
""")
    (tmp_path / "script.py").write_text("""
import saccade
world = saccade.World("gym:worlds:Near-v0", restarts=0)
print(world.reset(7)[0, 0, 0], *world.step(0)[1:])
world.reset(8)
try:
    world.step(1)
except saccade.WorldError as error:
    print(error)
""")
    done = subprocess.run([sys.executable, tmp_path / "script.py"], cwd="/", text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines()
    assert lines[0] == "7 1.0 True False", done.stdout
    assert "ZeroDivisionError" in lines[1] and "worlds.py:11 in reward: return 1 / (1 - action)" in lines[1]
    assert "worlds.py:9 in step" in lines[1]


def test_a_plugin_is_opened(tmp_path):
    """In a process of its own: a plugin stays."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("needs a C compiler")
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{ROOT}/include", ROOT / "examples/plugin.c", "-o",
                    tmp_path / "catch.so", "-lm"], check=True)
    code = """
import saccade
try:
    saccade.World("catch")
except ValueError as error:
    print(error)
for path in ("catch.so", "./catch.so", "none.so"):
    try:
        saccade.load_plugin(path)
    except OSError as error:
        print(error)
world = saccade.World("catch", size=16)
agent = world.policy("columns", bins=4)
agent = agent.with_parameters(agent.draw(1))
print(saccade.worlds.names()["catch"], agent, agent.tensors["weight"].shape)
print(saccade.evaluate(agent, "catch", size=16, seeds=[1, 2]).episodes["steps"])
try:
    saccade.World("catch", "color")
except saccade.ArgumentError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.stdout.splitlines() == [
        "unknown environment 'catch'; one that is not built in comes with a plugin, which is not loaded",
        "plugin 'none.so': No such file or directory",
        "a ball falls, catch it (examples/plugin.c) <saccade.Policy columns, 5 parameters, sees (16, 16, 1)> (1, 4)",
        "[120 120]", "catch: unknown variant 'color', it has none"], done.stdout


@pytest.fixture(scope="module")
def eyes(tmp_path_factory):
    """Python, in a process of its own where examples/eyes.c is a plugin: a plugin stays."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("eyes")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", ROOT / "examples/eyes.c", "-o",
                    folder / "eyes.so", "-lm"], check=True)

    def run(code):
        code = "import numpy as np, saccade\nsaccade.load_plugin('./eyes.so')\n" + code
        return subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    return run


def test_parts_are_observed_by_name(eyes):
    eyes("""
world = saccade.World("eyes")
assert [p.name for p in world.spec.parts.values() if p.privileged] == ["ball"]
seen = world.reset(3)
assert list(seen) == ["left", "right", "depth", "state"]  # all that is not privileged
assert seen["left"].shape == (24, 32, 3) and seen["left"].dtype == np.uint8
assert seen["depth"].shape == (24, 32) and seen["depth"].dtype == np.float32 and seen["depth"].max() == 10
assert world.spec.parts["depth"].high[0] == 10
one = saccade.World("eyes", parts="left").reset(3)
two = saccade.World("eyes", parts=["state", "left"]).reset(3)
assert np.array_equal(one, seen["left"]) and np.array_equal(two["left"], seen["left"]) and list(two) == ["state", "left"]
try:
    saccade.World("eyes", parts="lft")
except ValueError as error:
    assert "expected some of left, right, depth, state, ball" in str(error)
snapshot = world.save()
after = world.step([1])[0]
back = world.restore(snapshot)
assert all(np.array_equal(back[name], seen[name]) for name in seen)
again = world.step([1])[0]
assert all(np.array_equal(again[name], after[name]) for name in seen)
""")


def test_a_batch_of_parts_is_the_worlds_one_by_one(eyes):
    eyes("""
worlds, alone = saccade.Worlds("eyes", 3, threads=2), [saccade.World("eyes") for _ in range(3)]
worlds.reset(5)
seen = [world.reset(5 + i) for i, world in enumerate(alone)]
for step in range(25):
    for i in range(3):
        assert all(np.array_equal(worlds.observations[name][i], seen[i][name]) for name in seen[i])
    actions = np.array([[-1], [0.5], [1]], np.float32)
    worlds.step(actions)
    seen = [world.step(actions[i])[0] for i, world in enumerate(alone)]
""")


def test_a_batch_of_parts_is_acted_on(eyes):
    eyes("""
worlds = saccade.Worlds("eyes", 4)
policy = saccade.World("eyes").policy(patch=4, top=3, inputs=["right", "state"])
policy = policy.with_parameters(policy.draw(1))
together, alone = ([policy.state() for _ in range(4)] for _ in range(2))
worlds.reset(5)
for step in range(20):
    expected = [alone[i].act(worlds.observation(i)) for i in range(4)]
    policy.act_batch(together, worlds.observations, out=worlds.actions)
    assert np.array_equal(worlds.actions, expected), step
    worlds.step()
try:
    policy.act_batch(together, worlds.observations["right"])
    raise SystemExit("it acts")
except TypeError as error:
    assert "expected a dict with right, state" in str(error)
""")


def test_a_policy_takes_some_parts(eyes):
    eyes("""
import pickle
world = saccade.World("eyes")
policy = world.policy(patch=4, top=3, inputs=["right", "state"])
assert [space.name for space in policy.inputs] == ["right", "state"]
policy = policy.with_parameters(policy.draw(1))
seen = world.reset(1)
action = policy.act(seen)
policy.save("p.safetensors")
for twin in (pickle.loads(pickle.dumps(policy)), saccade.load("p.safetensors")):
    assert np.array_equal(twin.act(seen), action) and [space.name for space in twin.inputs] == ["right", "state"]
for wrong, kind in ((seen["right"], TypeError), ({"right": seen["right"]}, KeyError)):
    try:
        policy.act(wrong)
        raise SystemExit("it acts")
    except kind as error:
        assert "state" in str(error)
try:
    world.policy("mlp", inputs="ball")
    raise SystemExit("it sees")
except ValueError as error:
    assert "only a teacher may see it" in str(error)
teacher = world.policy("mlp", inputs="ball", teacher=True)
assert teacher.act(saccade.World("eyes", parts="ball").reset(1)).shape == (1,)
assert saccade.evaluate(policy, "eyes", seeds=range(4)).mean >= 0
""")


def test_a_policy_of_several_parts_is_trained(eyes):
    """examples/eyes.yaml from Python: it learns by a picture and numbers, goes on, and is driven as it was evaluated."""
    eyes(f"""
import pathlib
task = pathlib.Path({str(ROOT)!r}) / "examples/eyes.yaml"
reports = []
run = saccade.train(task, "one", generations=20, progress=reports.append)
assert run.state == "finished" and run.environment == "eyes" and [r.generation for r in reports] == list(range(1, 21))
saccade.train(task, "two", generations=12, threads=2)
saccade.train(task, "two", generations=20, resume=True)
learned, again = run.load("best"), saccade.load("two/best.safetensors")
assert [space.name for space in learned.inputs] == ["left", "state"]
assert np.array_equal(learned.parameters, again.parameters)

seeds = range(50)
score = saccade.evaluate(learned, seeds=seeds, threads=2)
drawn = saccade.evaluate(learned.with_parameters(learned.draw(1)), "eyes", seeds=seeds)
assert score.mean > drawn.mean + 1 and score.mean > 2 * drawn.mean, (score, drawn)

world, state, total = saccade.World("eyes"), learned.state(), 0.0
seen, ended = world.reset(seeds[3]), False
while not ended:
    seen, reward, terminated, truncated = world.step(state.act(seen))[:4]
    total, ended = total + reward, terminated or truncated
assert total == score.episodes["return"][3]

other = saccade.train(task, "depth", generations=2, settings={{"policy.inputs": "depth state"}}).load("mean")
assert [space.name for space in other.inputs] == ["depth", "state"]
assert saccade.evaluate(other, seeds=range(4)).mean >= 0
for words, inputs in (("did you mean 'left'", "lft state"), ("only a teacher may see it", "left ball")):
    try:
        saccade.train(task, "refused", generations=1, settings={{"policy.inputs": inputs}})
        raise SystemExit("it trains")
    except saccade.ArgumentError as error:
        assert words in str(error), error
""")


def test_gymnasium_has_a_dict_of_parts(gymnasium, eyes):
    eyes("""
import gymnasium, saccade.gym
env = saccade.gym.Env("eyes")
assert isinstance(env.observation_space, gymnasium.spaces.Dict)
seen, _ = env.reset(seed=2)
assert env.observation_space.contains(seen) and env.observation_space["depth"].high.max() == 10
assert env.observation_space.contains(env.step(env.action_space.sample())[0])
one = saccade.gym.Env("eyes", parts="state")
assert isinstance(one.observation_space, gymnasium.spaces.Box) and one.observation_space.contains(one.reset(seed=2)[0])
many = saccade.gym.VectorEnv("eyes", 3)
seen, _ = many.reset(seed=1)
assert many.observation_space.contains(seen)
assert many.observation_space.contains(many.step(many.action_space.sample())[0])
""")


FLYER = """
import gymnasium, numpy as np
from gymnasium.spaces import Box, Dict


class Flyer(gymnasium.Env):
    \"\"\"Pictures of floats, channels last and first, and what only a teacher may see.\"\"\"
    metadata = {"render_modes": [], "privileged": ["wind"]}
    observation_space = Dict({
        "camera": Box(-1, 1, (20, 24, 3), np.float32), "front": Box(0, 1, (3, 20, 24), np.float64),
        "speed": Box(-9, 9, (2,), np.float32), "wind": Box(-3, 3, (3,), np.float32),
        "map": Box(0, 5, (12, 10, 3), np.float32)})
    action_space = Box(-1, 1, (2,), np.float32)

    def look(self):
        return {name: self.np_random.uniform(part.low, part.high).astype(part.dtype)
                for name, part in self.observation_space.spaces.items()}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        return self.look(), {}

    def step(self, action):
        return self.look(), float(action[0]), False, False, {}


gymnasium.register("Flyer-v0", Flyer, max_episode_steps=7)
"""


@pytest.fixture
def flyer(gymnasium, tmp_path, monkeypatch):
    """The name of a world of one's own, which is beside the script."""
    (tmp_path / "flyer.py").write_text(FLYER)
    monkeypatch.syspath_prepend(tmp_path)
    return "gym:flyer:Flyer-v0"


def test_pictures_of_floats_stay_floats(gymnasium, flyer):
    names = ["camera", "front", "speed", "wind", "map"]
    world, env = saccade.World(flyer, parts=names), gymnasium.make(flyer[4:], disable_env_checker=True).unwrapped
    parts = world.spec.parts
    assert [parts[name].kind for name in names] == ["floats", "floats", "vector", "vector", "floats"]
    assert parts["front"].shape == (20, 24, 3) and (parts["map"].low, parts["map"].high) == (0, 5)

    def same(ours, theirs):
        theirs = {**theirs, "front": theirs["front"].transpose(1, 2, 0).astype(np.float32)}
        assert all(np.array_equal(ours[name], theirs[name]) and ours[name].dtype == np.float32 for name in names)

    same(world.reset(4), env.reset(seed=4)[0])
    for _ in range(6):
        seen = world.step([0.5, 0])[0]
        same(seen, env.step(np.array([0.5, 0], np.float32))[0])
    painted = world.picture(20, 24)  # for people: the first picture, from its bounds to bytes
    assert np.abs(painted / 127.5 - 1 - seen["camera"]).max() <= 0.5 / 127.5 + 1e-6
    space = saccade.gym.Env(flyer, parts="camera").observation_space
    assert space.dtype == np.float32 and (space.low.min(), space.high.max()) == (-1, 1)


def test_a_policy_looks_at_floats(flyer, random, tmp_path):
    world = saccade.World(flyer)
    policy = world.policy(patch=4, top=3)
    assert [space.name for space in policy.inputs] == ["camera"] and "camera (20, 24, 3)" in repr(policy)
    policy = policy.with_parameters(policy.draw(1))
    policy.save(tmp_path / "p.safetensors")
    again, seen = saccade.load(tmp_path / "p.safetensors"), world.reset(1)["camera"]
    # a policy of bytes takes floats in 0..1; this one brings its bounds there itself
    plain = saccade.Policy(observation_shape=(20, 24, 3), action_size=2, patch=4, top=3)
    plain = plain.with_parameters(policy.parameters)
    states = [again.state() for _ in range(5)]
    frames = np.stack([seen, *random.uniform(-1.5, 1.5, (4, 20, 24, 3))]).astype(np.float32)
    expected = [plain.state().act(np.clip((frame + 1) / 2, 0, 1)) for frame in frames]
    assert np.array_equal(policy.act(seen), expected[0])
    assert np.array_equal(policy.act_batch(states, frames), expected)
    assert states[0].patch(0).shape == (4, 4, 3) and len(np.unique(expected, axis=0)) > 1
    assert np.isfinite(saccade.evaluate(policy, flyer, seeds=range(2)).mean)


def test_a_worlds_own_entries_are_privileged(flyer):
    world = saccade.World(flyer)
    marked = [name for name, part in world.spec.parts.items() if part.privileged]
    assert marked == ["wind"] and "wind" not in world.reset(1) and "speed" in world.reset(1)
    assert [space.name for space in world.policy("mlp").inputs] == ["speed"]
    with pytest.raises(ValueError, match="'wind' of .* is privileged: only a teacher may see it"):
        world.policy("mlp", inputs="wind")
    teacher = world.policy("mlp", inputs="wind speed", teacher=True)
    assert teacher.act(saccade.World(flyer, parts=["wind", "speed"]).reset(1)).shape == (2,)
    more = saccade.World(flyer, privileged="map speed")  # what the task marks comes on top
    assert {name for name, part in more.spec.parts.items() if part.privileged} == {"wind", "map", "speed"}


@pytest.mark.parametrize("privileged, words", [
    ("winds", "there is no entry 'winds' to be privileged, expected some of: camera front map speed wind"),
    ("camera front map speed", "every entry is privileged"),
])
def test_wrong_privileges_are_named(flyer, privileged, words):
    with pytest.raises(saccade.Error) as raised:
        saccade.World(flyer, privileged=privileged)
    assert words in str(raised.value)


def test_what_is_no_dict_has_no_entries_to_mark(gymnasium):
    with pytest.raises(saccade.Error, match="the observation is no dict"):
        saccade.World("gym:CartPole-v1", privileged="obs", python=sys.executable)


def test_vectors_of_gymnasium_are_floats(gymnasium):
    world = saccade.World("gym:CartPole-v1", python=sys.executable)
    env = gymnasium.make("CartPole-v1")
    ours, (theirs, _) = world.reset(4), env.reset(seed=4)
    assert ours.dtype == np.float32 and np.array_equal(ours, theirs)
    for step in range(8):
        ours, theirs = world.step(step % 2)[0], env.step(step % 2)[0]
        assert np.array_equal(ours, theirs)
    policy = world.policy("mlp", hidden=8)
    assert policy.act(ours) in (0, 1)


def test_the_state_of_a_drive_is_for_teachers():
    """Privileged numbers tell where the road goes: at the start ahead, and the middle of the road below the car."""
    world = saccade.World("car-racing", parts=["state", "camera"])
    assert world.spec.parts["state"].privileged
    seen = world.reset(1)
    plain = saccade.World("car-racing")
    assert np.array_equal(seen["camera"], plain.reset(1))
    state = seen["state"]
    road = state[15:47].reshape(16, 2)  # forward, right
    assert np.all(np.diff(road[:6, 0]) > 0) and np.all(np.abs(road[:3, 1]) < 0.1) and np.all(np.abs(road[0]) < 0.1)
    blind = saccade.World("car-racing", parts="state")
    blind.reset(1)
    for _ in range(40):
        (now, reward, *ends), (old, their_reward, *their_ends) = blind.step([0, 1, 0]), plain.step([0, 1, 0])
        assert reward == their_reward and ends == their_ends  # what is observed changes nothing
    assert now[0] > 0.2  # it drives forward


def test_the_objects_of_doom_fly_straight(why):
    """The privileged part of take-cover: while one fireball is in the air, its place moves by its velocity a tic. Places
    below 512 and velocities are float32 and are added four times, each time rounded by half of 2**-14 at most."""
    try:
        import vizdoom  # noqa: F401
    except ImportError:
        pytest.skip(why("vizdoom"))
    world = saccade.World("take-cover", parts=["objects"], skill=4, python=sys.executable)
    assert world.spec.parts["objects"].privileged and saccade.World("take-cover").parts[0].name == "camera"
    rows = [world.reset(3)["objects"]] + [world.step(t // 20 % 3)[0]["objects"] for t in range(150)]
    flights = 0
    for now, then in zip(rows[:-1], rows[1:]):
        assert np.all(np.abs(then[:2]) < 512)
        balls, later = now[4:84].reshape(16, 5), then[4:84].reshape(16, 5)
        if balls[:, 0].sum() != 1 or later[:, 0].sum() != 1 or np.any(balls[0, 3:] != later[0, 3:]):
            continue
        moved = (then[:2] + later[0, 1:3]) - (now[:2] + balls[0, 1:3])
        assert np.all(np.abs(moved - balls[0, 3:]) <= 4 * 2.0**-15)
        flights += 1
    assert flights > 50 and all(row[84] == 1 for row in rows)  # and monsters stand there
