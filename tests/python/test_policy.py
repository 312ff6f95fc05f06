"""Policies: the same numbers as their formula in NumPy, memory that outlives its owner, files, errors."""
import copy
import gc
import pathlib
import pickle
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import saccade

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def policy(policy_path):
    return saccade.load(policy_path)


@pytest.fixture
def image(policy, random):
    return random.integers(0, 256, policy.observation_shape, np.uint8)


def twin(policy, image):
    """The attention agent in NumPy: importance [rows, columns], and how far it may be off.

    Weights of bytes are rounded to 16 bits, each output with its own step, so a query is off by half a step a pixel;
    errors of a score are those of its query and key, and a weight is off by twice that of its largest score.
    """
    t, o = policy.tensors, policy.options
    patch, stride = int(o["patch"]), int(o["stride"])
    x = np.lib.stride_tricks.sliding_window_view(image.astype(float) / 255, (patch, patch), (0, 1))[::stride, ::stride]
    rows, columns = x.shape[:2]
    x = x.transpose(0, 1, 3, 4, 2).reshape(rows * columns, -1)
    q = x @ t["query.weight"].T + t["query.bias"]
    k = x @ t["key.weight"].T + t["key.bias"]
    off_q, off_k = (x.sum(1, keepdims=True) * np.abs(t[name]).max(1) / 65534 for name in ("query.weight", "key.weight"))
    scores = q @ k.T / np.sqrt(x.shape[1])
    off = ((np.abs(q) @ off_k.T + off_q @ np.abs(k).T + off_q @ off_k.T) / np.sqrt(x.shape[1])).max()
    weights = np.exp(scores - scores.max(1, keepdims=True))
    importance = (weights / weights.sum(1, keepdims=True)).sum(0)
    n = importance.size
    return importance.reshape(rows, columns), np.expm1(2 * off) + 4 * n * np.finfo(np.float32).eps


def test_a_gaze_is_the_formula(policy, image):
    gaze = policy.attend(image)
    importance, off = twin(policy, image)
    assert gaze.importance.shape == gaze.grid and off < 0.01
    assert np.all(np.abs(gaze.importance - importance) <= off * importance)
    assert list(gaze.top) == list(np.argsort(-gaze.importance.ravel(), kind="stable")[:gaze.top.size])
    assert np.array_equal(gaze.centers, np.stack([gaze.top // gaze.grid[1] * gaze.stride + gaze.patch // 2,
                                                  gaze.top % gaze.grid[1] * gaze.stride + gaze.patch // 2], 1))


def test_acting_is_a_function_of_what_was_seen(policy, image):
    first = [policy.act(image), policy.act(image)]
    policy.reset()
    again = [policy.act(image), policy.act(image)]
    assert np.array_equal(first, again)
    low, high = policy.action_bounds
    assert np.all(low <= first[0]) and np.all(first[0] <= high) and first[0].dtype == np.float32


def test_an_action_goes_where_it_is_wanted(policy, image):
    out = np.empty(policy.action_size, np.float32)
    assert policy.state().act(image, out=out) is out
    assert np.array_equal(out, policy.state().act(image))


def test_floats_have_the_same_gaze_without_rounding(policy, image):
    bytes_, floats = policy.attend(image), policy.attend(image / np.float32(255))
    off = twin(policy, image)[1]
    assert np.all(np.abs(bytes_.importance - floats.importance) <= off * floats.importance)


@pytest.mark.parametrize("kind", [{}, {"controller": "linear"}, {"kind": "cnn", "conv_kernel": 3}, {"kind": "iap-trans"}])
def test_a_batch_acts_as_one_by_one(random, kind):
    policy = saccade.Policy(observation_shape=(48, 48, 3), action_size=2, **kind)
    together, alone = ([policy.state() for _ in range(5)] for _ in range(2))
    for i in range(5):  # each episode has parameters of its own
        for state in (together[i], alone[i]):
            state.set_parameters(policy.draw(i))
    actions = np.zeros((5, 2), np.float32)
    for step in range(6):
        images = random.integers(0, 256, (5, *policy.observation_shape), np.uint8)
        which = random.random(5) < (0.5 if step % 2 else 1)
        expected = actions.copy()
        for i in np.flatnonzero(which):
            alone[i].act(images[i], out=expected[i])
        assert policy.act_batch(together, images, out=actions, which=which) is actions
        assert np.array_equal(actions, expected)
        assert all(np.array_equal(together[i].gaze().told, alone[i].gaze().told) for i in np.flatnonzero(which))
    floats = random.random((5, *policy.observation_shape), np.float32)
    assert np.array_equal(policy.act_batch(together, floats), [alone[i].act(floats[i]) for i in range(5)])


def test_a_batch_of_choices_and_none_at_all(random):
    policy = saccade.Policy(observation_shape=(24, 24, 3), action_size=1, action_choices=3, top=2)
    policy = policy.with_parameters(policy.draw(4))
    images = random.integers(0, 256, (9, 24, 24, 3), np.uint8)
    chosen = policy.act_batch([policy.state() for _ in range(9)], images)
    assert chosen.dtype == int and list(chosen) == [policy.state().act(image) for image in images]
    assert policy.act_batch([], images[:0]).shape == (0,)


@pytest.mark.parametrize("bad, error, words", [
    (lambda p, s, x: p.act_batch(s[:2], x), ValueError, "expected (2, 96, 96, 3)"),
    (lambda p, s, x: p.act_batch(s, x.astype(float)), TypeError, "float64"),
    (lambda p, s, x: p.act_batch([s[0], s[1], s[0]], x), ValueError, "stands there twice"),
    (lambda p, s, x: p.act_batch(s, x, which=[True]), ValueError, "expected (3,)"),
    (lambda p, s, x: p.act_batch(s, x, out=np.zeros((3, 2), np.float32)), ValueError, "expected (3, 3)"),
    (lambda p, s, x: p.act_batch(s, {"depth": x}), KeyError, "the part 'camera' is missing"),
    (lambda p, s, x: p.act_batch([*s[:2], saccade.Policy(observation_shape=(96, 96, 3), action_size=2).state()], x),
     ValueError, "takes other parts, or acts otherwise"),
])
def test_a_wrong_batch_is_named(policy, random, bad, error, words):
    images = random.integers(0, 256, (3, *policy.observation_shape), np.uint8)
    with pytest.raises(error) as raised:
        bad(policy, [policy.state() for _ in range(3)], images)
    assert words in str(raised.value)


def test_a_batch_has_one_owner(policy, random):
    states = [policy.state() for _ in range(3)]
    images = random.integers(0, 256, (3, *policy.observation_shape), np.uint8)
    with states[1]._owner:
        with pytest.raises(RuntimeError, match="one owner"):
            policy.act_batch(states, images)
    policy.act_batch(states, images)  # and nobody stays locked


def test_images_come_by_dlpack(policy, image, torch):
    assert np.array_equal(policy.state().act(torch.from_dlpack(image)), policy.state().act(image))
    assert np.array_equal(policy.state().act(memoryview(image)), policy.state().act(image))


def test_parameters_are_views_that_keep_the_policy_alive(policy_path):
    policy = saccade.load(policy_path)
    vector, tensors = policy.parameters, policy.tensors
    assert not vector.flags.writeable and vector.size == policy.parameter_count
    assert sum(x.size for x in tensors.values()) == vector.size
    copy, alive = vector.copy(), weakref.ref(policy)
    del policy
    gc.collect()
    assert alive() is None
    assert np.array_equal(vector, copy)


def test_states_outlive_their_policy_in_any_order(policy_path):
    for _ in range(20):
        state = saccade.load(policy_path).state()
        knot = [state]
        knot.append(knot)  # a cycle, so that the collector decides the order
        del state, knot
    gc.collect()
    state = saccade.load(policy_path).state()
    gc.collect()
    assert state.act(np.zeros((96, 96, 3), np.uint8)).shape == (3,)


def test_a_file_keeps_everything(policy, tmp_path):
    info = saccade.Info(environment="car-racing", seed=2**63, generation=7, score=1.5, settings={"rules": "v0"})
    drawn = policy.draw(3)
    policy.save(tmp_path / "p.safetensors", drawn, info)
    again = saccade.load(tmp_path / "p.safetensors")
    assert np.array_equal(again.parameters, drawn) and again.options == policy.options
    assert (again.info.environment, again.info.seed, again.info.generation, again.info.score, again.info.settings) == \
        ("car-racing", 2**63, 7, 1.5, {"rules": "v0"})
    assert again.info.version == saccade.__version__
    assert np.array_equal(saccade.read((tmp_path / "p.safetensors").read_bytes()).parameters, drawn)


def test_other_parameters(policy, image):
    drawn = policy.draw(5)
    other = policy.with_parameters(drawn)
    state = policy.state()
    state.set_parameters(drawn)
    assert np.array_equal(other.act(image), state.act(image))
    assert np.abs(drawn).max() > 0 and not np.array_equal(drawn, policy.draw(6))


def test_patches_and_rows_of_attention(policy, image):
    state = policy.state()
    state.act(image)
    gaze = state.gaze()
    n = gaze.importance.size
    total = sum(state.attention_row(i).astype(float) for i in range(n))
    assert np.allclose(total, gaze.importance, rtol=4 * n * np.finfo(np.float32).eps, atol=0)
    patch = state.patch(gaze.grid[1] + 2)
    top, left = gaze.stride, 2 * gaze.stride
    assert np.allclose(patch, image[top:top + gaze.patch, left:left + gaze.patch] / 255, atol=1e-6)
    with pytest.raises(IndexError):
        state.patch(n)
    with pytest.raises(IndexError):
        state.attention_row(-1)


def test_pictures_of_a_gaze(policy, image):
    gaze = policy.attend(image)
    covered = gaze.overlay(image)
    row, column = (int(x) for x in gaze.centers[0])
    assert np.all(covered[row, column] == 255)  # rank 0 is blended wholly with white
    assert np.array_equal(gaze.overlay(image, strength=0.0), image)
    heat = gaze.heat_map(96)
    brightest = np.unravel_index(gaze.importance.argmax(), gaze.grid)
    assert heat[brightest[0] * gaze.stride + 3, brightest[1] * gaze.stride + 3].sum() == heat.sum(2).max()


def test_pictures_of_an_agent_that_mixes_all_patches(random):
    empty = saccade.World("toy").policy("iap-trans", attention="relu")
    mixer, image = empty.with_parameters(empty.draw(3)), random.integers(0, 256, empty.observation_shape, np.uint8)
    gaze = mixer.attend(image)
    assert gaze.top is None and gaze.contribution.shape == gaze.importance.shape
    dimmed = gaze.overlay(np.full_like(image, 200))[..., 0]
    best, least = (np.unravel_index(f(), gaze.grid) for f in (gaze.contribution.argmax, gaze.contribution.argmin))

    def centre(patch):
        return tuple(i * gaze.stride + gaze.patch // 2 for i in patch)

    assert dimmed[centre(best)] == 200 and dimmed[centre(least)] == 60  # 0.3 of it
    heat = gaze.heat_map(*image.shape[:2]).sum(2)
    assert heat[centre(best)] == heat.max() and heat[centre(least)] == heat.min()


def test_a_new_policy_has_the_shapes_of_its_world():
    world = saccade.World("toy")
    policy = world.policy(attention="relu", attention_features=0, controller="linear")
    assert policy.observation_shape == world.spec.observation_shape
    assert policy.options["attention"] == "relu" and not policy.parameters.any()
    assert set(saccade.kinds()) >= {"attention-agent", "iap-trans"}
    assert saccade.kinds()["attention-agent"]["patch"][0] == "7"


def test_a_policy_of_two_levels_looks_when_its_command_has_run_out():
    assert "high.rows" in saccade.kind_options("hierarchical", high={"kind": "iap-trans"})
    assert "high.rows" not in saccade.kind_options("hierarchical")
    with pytest.raises(ValueError, match="unknown kind 'hierarchial', expected one of attention-agent"):
        saccade.kind_options("hierarchial")
    policy = saccade.World("toy").policy("hierarchical", inputs="camera", shortest=3, longest=3,
                                         high={"kind": "iap-rank", "top": 2, "controller": "linear"})
    assert policy.options["high.kind"] == "iap-rank" and policy.options["low.controller"] == "linear"
    state, rng = policy.state(), np.random.default_rng(1)
    for step in range(7):
        image = rng.integers(0, 256, policy.observation_shape, np.uint8)
        state.act(image)
        gaze = state.gaze()
        assert (gaze.age, gaze.held) == (step % 3, 3)
        assert gaze.top is not None and len(gaze.top) == 2


@pytest.mark.parametrize("bad, error, words", [
    (lambda p: p.act(np.zeros((96, 96, 4), np.uint8)), ValueError, "expected (96, 96, 3)"),
    (lambda p: p.act(np.zeros((96, 96, 3))), TypeError, "float64"),
    (lambda p: p.act(np.zeros((96, 96, 6), np.uint8)[:, :, ::2]), ValueError, "not contiguous"),
    (lambda p: p.state().gaze(), RuntimeError, "act comes first"),
    (lambda p: p.with_parameters(np.zeros(3, np.float32)), ValueError, "shape (3,), expected (1751,)"),
    (lambda p: p.save("/nowhere/p.safetensors"), saccade.FileError, "/nowhere"),
    (lambda p: p.save("x", np.full(1751, np.nan, np.float32)), saccade.ArgumentError, "finite"),
    (lambda p: saccade.load("/nowhere.safetensors"), OSError, "/nowhere.safetensors"),
    (lambda p: saccade.read(b"no policy at all"), saccade.FormatError, "memory"),
    (lambda p: saccade.Policy("atention-agent", observation_shape=(9, 9, 3), action_size=1), saccade.ArgumentError,
     "attention-agent"),
    (lambda p: saccade.Policy(observation_shape=(9, 9, 3), action_size=1, pach=3), saccade.ArgumentError, "patch"),
])
def test_bad_arguments_are_named(policy, bad, error, words):
    with pytest.raises(error) as raised:
        bad(policy)
    assert words in str(raised.value)


def test_a_state_has_one_owner(policy, random):
    state, busy = policy.state(), []
    images = random.integers(0, 256, (4, *policy.observation_shape), np.uint8)

    def work(i):
        for _ in range(200):
            try:
                state.act(images[i])
            except RuntimeError as error:
                busy.append(str(error))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("one owner" in words for words in busy)
    assert np.array_equal(policy.state().act(images[0]), policy.state().act(images[0]))


def test_threads_share_a_policy(policy, random):
    images = random.integers(0, 256, (6, *policy.observation_shape), np.uint8)
    state = policy.state()
    expected = [state.act(x) for x in images]
    results = {}

    def work(i):
        own = policy.state()
        results[i] = [own.act(x) for x in images]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(results[i], expected) for i in range(4))


def same(a, b):
    """Whether two policies are one to the bit, in all that can be asked."""
    image = np.random.default_rng(2).integers(0, 256, a.observation_shape, np.uint8)
    return (type(a) is type(b) and a.kind == b.kind and a.options == b.options and repr(a.info) == repr(b.info)
            and a.observation_shape == b.observation_shape and a.action_choices == b.action_choices
            and all(np.array_equal(x, y) for x, y in zip(a.action_bounds, b.action_bounds))
            and a.parameters.tobytes() == b.parameters.tobytes()
            and np.array_equal(a.state().act(image), b.state().act(image)))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_policy_is_pickled_to_the_bit(policy, protocol):
    policy.reset()
    twin = pickle.loads(pickle.dumps(policy, protocol))
    assert same(policy, twin) and twin is not policy
    zoo = saccade.load(ROOT / "zoo/car-racing/trans.safetensors")
    assert same(zoo, pickle.loads(pickle.dumps(zoo, protocol)))
    choice = saccade.Policy(observation_shape=(24, 24, 3), action_size=1, action_choices=3, top=2)
    choice = choice.with_parameters(choice.draw(4))
    assert same(choice, pickle.loads(pickle.dumps(choice, protocol)))


def test_a_policy_is_copied(policy):
    policy.info.settings["rules"] = "v0"
    shallow, deep = copy.copy(policy), copy.deepcopy(policy)
    assert same(policy, shallow) and same(policy, deep)
    # as copies of Python are: a shallow one shares what it refers to
    policy.info.settings["rules"] = "v3"
    assert shallow.info is policy.info and deep.info.settings == {"rules": "v0"}
    # the episode under way is not copied: both begin their own
    image = np.zeros(policy.observation_shape, np.uint8)
    first = policy.act(image)
    policy.act(image)
    assert np.array_equal(copy.copy(policy).act(image), first)


def test_processes_are_sent_policies(policy):
    code = "import sys, pickle; sys.stdout.write(repr(pickle.load(sys.stdin.buffer).parameters.sum()))"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(policy), stdout=subprocess.PIPE, check=True)
    assert done.stdout.decode() == repr(policy.parameters.sum())
