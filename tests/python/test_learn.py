"""Gradients and fitting from Python, beside PyTorch where it is there."""
import tracemalloc

import numpy as np
import pytest
import saccade
from saccade import learn

LOW, HIGH = np.array([-1, 0], np.float32), np.array([1, 1], np.float32)


def make(kind="iap-trans", **options):
    """A small policy with drawn parameters."""
    options = {"patch": 4, "stride": 0, **options} if kind != "cnn" else options
    policy = saccade.Policy(kind, observation_shape=(24, 24, 3), action_size=2, action_low=LOW, action_high=HIGH,
                            **options)
    return policy.with_parameters(policy.draw(1))


@pytest.fixture
def policy():
    return make(attention="relu", controller="mlp", motion=True)


@pytest.fixture
def examples(random):
    observations = random.integers(0, 256, (40, 24, 24, 3), np.uint8)
    return observations, random.uniform(LOW, HIGH, (40, 2)).astype(np.float32)


def test_forward_is_acting(policy, examples):
    observations, _ = examples
    state = policy.state()
    acted = np.stack([state.act(x) for x in observations])
    outputs = learn.Gradient(policy).forward(observations)
    assert np.allclose(np.clip(outputs, LOW, HIGH), acted, atol=1e-4)  # up to rounding, see test_gradient.c


def test_a_recurrent_state_goes_on(examples):
    policy = make("iap-rank", controller="lstm", hidden=5, top=4)
    gradient, (observations, _) = learn.Gradient(policy), examples
    whole = gradient.forward(observations)
    hidden, cell = np.zeros(5, np.float32), np.zeros(5, np.float32)
    parts = [gradient.forward(part, hidden=hidden, cell=cell).copy() for part in np.split(observations, [13])]
    assert np.array_equal(np.concatenate(parts), whole) and np.any(hidden)
    starts = np.zeros(40, bool)
    starts[13] = True
    anew = gradient.forward(observations, starts=starts)
    assert np.array_equal(anew[13:], gradient.forward(observations[13:])) and not np.array_equal(anew, whole)


def test_the_loss_falls_along_the_gradient_as_it_says(examples):
    """The difference of two sides, whose error is of third order; a shorter step must bring it nearer."""
    policy = make(attention="relu", controller="mlp", motion=True, layer_norm=False)
    observations, actions = examples
    gradient = learn.Gradient(policy)
    error = gradient.forward(observations) - actions
    slope = gradient.backward(2 * error)
    assert np.array_equal(policy.gradient(observations, 2 * error), slope)
    size = np.linalg.norm(slope)

    def measured(step):
        sides = [policy.parameters + np.float32(side * step / size) * slope for side in (1, -1)]
        losses = [((gradient.forward(observations, side).astype(float) - actions) ** 2).sum() for side in sides]
        return (losses[0] - losses[1]) / (2 * step)

    off = [abs(measured(step) / size - 1) for step in (1e-2, 3e-3, 1e-3)]
    assert off[2] < off[1] < off[0] and off[2] < 0.02


def test_a_flip_turns_half_of_the_examples(policy, examples):
    observations, actions = examples
    sign = np.ones(policy.action_size, np.float32)
    sign[0] = -1
    ends = []
    for flip in (None, sign):
        fit = learn.Fit(policy, rate=0.003, batch=1, flip=flip)
        for _ in range(8):
            fit.run(observations[:1], actions[:1], steps=1)
        ends.append(fit.policy.parameters)
    assert not np.array_equal(*ends)
    with pytest.raises(ValueError, match="expected"):
        learn.Fit(policy, flip=[1])
    with pytest.raises(ValueError, match="factor 0 for number 0"):
        learn.Fit(policy, flip=0 * sign)


def test_backward_adds_and_wants_a_forward(policy, examples):
    observations, actions = examples
    gradient = learn.Gradient(policy)
    with pytest.raises(RuntimeError, match="forward comes first"):
        gradient.backward(actions)
    gradient.forward(observations)
    once = gradient.backward(actions)
    gradient.forward(observations)
    twice = gradient.backward(actions, out=once.copy())
    assert np.allclose(twice, 2 * once, rtol=1e-4, atol=1e-6 * np.abs(once).max())
    with pytest.raises(RuntimeError, match="forward comes first"):
        gradient.backward(actions)


def test_torch_goes_in_and_out(policy, examples, torch):
    observations, actions = (torch.tensor(x.tolist(), dtype=t) for x, t in zip(examples, (torch.uint8, torch.float32)))
    gradient, sums = learn.Gradient(policy), torch.zeros(policy.parameter_count)
    gradient.forward(observations)
    assert gradient.backward(actions, out=sums) is sums
    assert np.array_equal(np.from_dlpack(sums), policy.gradient(examples[0], examples[1]))


class Tensor:
    """What another library's array shows: DLPack, and neither NumPy's interface nor the buffer protocol."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_what_speaks_dlpack_is_taken(policy, examples):
    observations, actions = examples
    starts, weights = np.arange(40) % 20 == 0, np.linspace(0, 1, 40, dtype=np.float32)
    sums, gradient = Tensor(np.zeros(policy.parameter_count, np.float32)), learn.Gradient(policy)
    outputs = gradient.forward(Tensor(observations), Tensor(policy.parameters.copy()), starts=Tensor(starts.view("u1")))
    assert np.array_equal(outputs, gradient.forward(observations, starts=starts))
    assert gradient.backward(Tensor(actions), out=sums) is sums
    assert np.array_equal(sums.values, policy.gradient(observations, actions, starts=starts))
    one, _ = learn.fit(policy, *map(Tensor, examples), starts=Tensor(starts.view("u1")), weights=Tensor(weights))
    two, _ = learn.fit(policy, *examples, starts=starts, weights=weights)
    assert np.array_equal(one.parameters, two.parameters)


def test_nothing_is_copied_on_the_way_in(policy, random):
    """A call allocates less than a tenth of what it is given; NumPy tells tracemalloc of every array."""
    observations = random.integers(0, 256, (640, 24, 24, 3), np.uint8)
    actions = random.uniform(LOW, HIGH, (640, 2)).astype(np.float32)
    fitting = learn.Fit(policy)
    tracemalloc.start()
    try:
        fitting.run(Tensor(observations), Tensor(actions), steps=1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < observations.nbytes / 10


def test_torch_shares_memory_both_ways(examples, torch):
    policy = make("iap-rank", controller="lstm", hidden=5, top=4)
    observations, actions = (torch.from_dlpack(x) for x in examples)
    hidden, cell = torch.zeros(5), torch.zeros(5)
    gradient, outputs = learn.Gradient(policy), torch.empty(40, 2)
    assert gradient.forward(observations, hidden=hidden, cell=cell, out=outputs) is outputs
    assert hidden.abs().sum() > 0 and cell.abs().sum() > 0  # the recurrent state came back in torch's memory
    result = gradient.backward(actions)
    taken = torch.from_dlpack(result)
    assert taken.data_ptr() == result.__array_interface__["data"][0]
    assert np.array_equal(np.from_dlpack(outputs), learn.Gradient(policy).forward(examples[0]))
    starts = (torch.arange(40) == 0).to(torch.uint8)  # torch's DLPack has no booleans
    fitted, _ = learn.fit(policy, observations, actions, steps=4, weights=torch.ones(40), starts=starts)
    same, _ = learn.fit(policy, *examples, steps=4, weights=np.ones(40, np.float32))
    assert np.array_equal(fitted.parameters, same.parameters)


def test_fit_is_the_gradient_with_adam(examples):
    """Every step of a fit is Adam's on the gradient that Gradient gives of the mean square error in half ranges."""
    policy = make("cnn", image_size=0, conv_channels="4", conv_kernel=5, conv_stride=4, controller="linear")
    observations, actions = examples
    fitted, losses = learn.fit(policy, observations, actions, epochs=3, batch=40, rate=0.01)
    x, half = policy.parameters.astype(np.float64), (HIGH - LOW) / 2
    first, second = np.zeros_like(x), np.zeros_like(x)
    gradient = learn.Gradient(policy)
    for step in range(1, 4):
        error = (gradient.forward(observations, x.astype(np.float32)) - actions) / half
        loss = (error ** 2).mean()
        g = gradient.backward((2 * error / error.size / half).astype(np.float32)).astype(np.float64)
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
        x -= 0.01 * (first / (1 - 0.9 ** step)) / (np.sqrt(second / (1 - 0.999 ** step)) + 1e-8)
        assert abs(loss - losses[step - 1]) < 1e-5 * loss
    # Adam divides by the gradient's size, so that where that is near rounding a step may be another
    off = np.abs(fitted.parameters - x)
    assert np.median(off) < 1e-6 and off.max() < 0.01


def test_fit_learns_and_threads_give_the_same_bits(policy, examples):
    one, losses = learn.fit(policy, *examples, epochs=100, rate=3e-3, batch=20)
    two, _ = learn.fit(policy, *examples, epochs=100, rate=3e-3, batch=20, threads=2)
    assert losses[-1] < 0.2 * losses[0]
    assert np.array_equal(one.parameters, two.parameters)


def test_a_fit_goes_on_from_its_state(policy, examples):
    whole, part = learn.Fit(policy, average=0.9), learn.Fit(policy, average=0.9)
    whole.run(*examples, steps=5)
    part.set_state(whole.state())
    whole.run(*examples, steps=3)
    part.run(*examples, steps=3)
    assert np.array_equal(whole.policy.parameters, part.policy.parameters)
    assert np.array_equal(whole.average.parameters, part.average.parameters)
    assert not np.array_equal(whole.policy.parameters, policy.parameters)
    with pytest.raises(ValueError, match="expected average"):
        part.set_state({"steps": 1})


def test_a_fit_that_diverges_is_said(examples):
    policy = make("cnn", image_size=0, conv_channels="4", conv_kernel=5, conv_stride=4, controller="linear",
                  activation="clip")
    with pytest.raises(saccade.DivergedError, match="the fit diverged: .* try a rate below 900") as raised:
        learn.fit(policy, *examples, optimiser="sgd", rate=900, epochs=1000)
    assert isinstance(raised.value, ArithmeticError)


def test_what_does_not_fit_is_said(policy, examples):
    observations, actions = examples
    with pytest.raises(ValueError, match="observations: shape"):
        learn.fit(policy, observations[:, 1:], actions)
    with pytest.raises(TypeError, match="actions: float64"):
        learn.fit(policy, observations, actions.astype(float))
    with pytest.raises(saccade.ArgumentError, match="action 1 of example 3 is not a finite number"):
        bad = actions.copy()
        bad[3, 1] = np.nan
        learn.fit(policy, observations, bad)
    with pytest.raises(saccade.ArgumentError, match="did you mean 'sgd'"):
        learn.fit(policy, observations, actions, optimiser="sdg")
    with pytest.raises(ValueError, match="expected straight, soft or fixed"):
        learn.Gradient(policy, "hard")
    with pytest.raises(ValueError, match="starts: shape"):
        policy.gradient(observations, actions, starts=[1, 0])
    assert policy.gradient(observations, actions).shape == (policy.parameter_count,)


# --- policies of vectors, depth pictures and several parts ---


def make_of_parts(kind, names, **options):
    spaces = {"state": saccade.Space("state", "vector", (5,)), "touch": saccade.Space("touch", "vector", (2,)),
              "camera": saccade.Space("camera", "picture", (24, 24, 3)),
              "rays": saccade.Space("rays", "floats", (20, 26, 3), low=np.array([-1], np.float32),
                                    high=np.array([3], np.float32)),
              "depth": saccade.Space("depth", "depth", (24, 20), low=np.array([0], np.float32), high=np.array([4], np.float32))}
    policy = saccade.Policy(kind, inputs=[spaces[name] for name in names], action_size=2, action_low=LOW,
                            action_high=HIGH, **options)
    return policy.with_parameters(policy.draw(1))


def parts_of(random, count):
    return {"state": random.normal(size=(count, 5)).astype(np.float32),
            "touch": random.normal(size=(count, 2)).astype(np.float32),
            "camera": random.integers(0, 256, (count, 24, 24, 3), np.uint8),
            "rays": random.uniform(-2, 4, (count, 20, 26, 3)).astype(np.float32),
            "depth": random.uniform(-1, 5, (count, 24, 20)).astype(np.float32)}


@pytest.mark.parametrize("kind,names,options", [
    ("mlp", ["state"], {"hidden": 8, "layers": 2}),
    ("mlp", ["touch", "state"], {"hidden": 8, "motion": True}),
    ("iap-trans", ["camera", "state"], {"patch": 4, "stride": 0, "attention": "relu", "controller": "mlp"}),
    ("iap-trans", ["depth"], {"patch": 4, "stride": 0, "attention": "relu", "controller": "mlp"}),
    ("iap-trans", ["rays"], {"patch": 4, "stride": 0, "attention": "relu", "controller": "mlp", "image_size": 16}),
    ("cnn", ["rays", "state"], {"conv_kernel": 3, "conv_stride": 2, "conv_channels": "4,3"}),
    ("cnn", ["depth", "touch"], {"conv_kernel": 3, "conv_stride": 2, "conv_channels": "4,3"}),
])
def test_policies_of_parts_learn(random, kind, names, options):
    policy, parts = make_of_parts(kind, names, **options), parts_of(random, 40)
    seen = {name: parts[name] for name in names}
    state = policy.state()
    acted = np.stack([state.act({name: part[i] for name, part in seen.items()}) for i in range(40)])
    outputs = learn.Gradient(policy).forward(seen if len(names) > 1 else seen[names[0]])
    assert np.allclose(np.clip(outputs, LOW, HIGH), acted, atol=1e-4)  # up to rounding, see test_gradient.c
    actions = random.uniform(LOW, HIGH, (40, 2)).astype(np.float32)
    fitted, losses = learn.fit(policy, parts, actions, epochs=40, rate=1e-2, batch=20)
    assert losses[-1] < losses[0]


def test_parts_that_are_missing_are_named(random):
    policy, parts = make_of_parts("mlp", ["state", "touch"]), parts_of(random, 4)
    gradient = learn.Gradient(policy)
    with pytest.raises(TypeError, match="state, touch"):
        gradient.forward(parts["state"])
    with pytest.raises(KeyError, match="touch"):
        gradient.forward({"state": parts["state"]})
    with pytest.raises(ValueError, match="touch: 3 frames"):
        gradient.forward({"state": parts["state"], "touch": parts["touch"][:3]})


# --- softmax policies become linear ---


def test_a_softmax_policy_is_up_trained(tmp_path):
    saccade.train("tasks/toy.yaml", run=tmp_path / "run", generations=2)
    policy = saccade.load(tmp_path / "run" / "best.safetensors")
    trained = saccade.uptrain(policy, features=2, frames=512, match_steps=60, tune_steps=4, rounds=2)
    assert trained.policy.options["attention"] == "sara-exp" and trained.policy.info == policy.info
    assert trained.match_last < trained.match_first and 0 <= trained.kept_last <= 1
    assert trained.frames == 512 and trained.features == 2
    again = saccade.uptrain(policy, features=2, frames=512, match_steps=60, tune_steps=4, rounds=2, threads=3)
    assert np.array_equal(again.policy.parameters, trained.policy.parameters)
    with pytest.raises(saccade.ArgumentError, match="only softmax"):
        saccade.uptrain(trained.policy)
    with pytest.raises(saccade.ArgumentError, match="did you mean 'relu'"):
        saccade.uptrain(policy, attention="rleu")
    with pytest.raises(ValueError, match="env: the policy does not say"):
        saccade.uptrain(make())
