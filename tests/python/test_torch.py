"""Policies as PyTorch modules: the library's outputs and gradients to the bit, under PyTorch's optimisers."""
import pathlib

import numpy as np
import pytest
import saccade
from saccade import learn

LOW, HIGH = np.array([-1, 0], np.float32), np.array([1, 1], np.float32)


def make(kind="iap-trans", **options):
    options = {"patch": 4, "stride": 0, **options} if kind != "cnn" else options
    policy = saccade.Policy(kind, observation_shape=(24, 24, 3), action_size=2, action_low=LOW, action_high=HIGH,
                            **options)
    return policy.with_parameters(policy.draw(1))


KINDS = [("iap-trans", {"attention": "relu", "controller": "mlp"}), ("iap-rank", {"controller": "linear", "top": 4}),
         ("attention-agent", {"controller": "mlp", "top": 5}), ("cnn", {"conv_channels": "4,4", "conv_kernel": 3, "controller": "mlp"})]


@pytest.fixture
def frames(random, torch):
    return torch.from_dlpack(random.integers(0, 256, (6, 24, 24, 3), np.uint8))


def flat_gradient(module):
    """The gradients of all tensors in the policy's order; zeros of those that are measured."""
    named, shapes = dict(module.named_parameters()), module.policy.tensors
    return np.concatenate([np.from_dlpack(named[n].grad).ravel() if n in named else np.zeros(shapes[n].size, np.float32)
                           for n in shapes])


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_outputs_and_gradients_are_the_librarys(kind, options, frames, torch):
    policy = make(kind, **options)
    module, gradient = policy.to_torch(), learn.Gradient(policy)
    outputs = module(frames)
    assert np.array_equal(np.from_dlpack(outputs.detach()), gradient.forward(frames))
    weights = torch.linspace(-1, 1, outputs.numel()).reshape(outputs.shape)
    (outputs * weights).sum().backward()
    assert np.array_equal(flat_gradient(module), gradient.backward(weights)) and np.any(flat_gradient(module))


def test_names_and_parameters_are_the_policys(torch):
    policy = make("iap-trans", attention="relu", controller="mlp", normaliser=True)
    module = policy.to_torch()
    state = module.state_dict()
    assert set(state) == set(policy.tensors)
    assert all(np.array_equal(np.from_dlpack(state[name].detach()), tensor) for name, tensor in policy.tensors.items())
    assert {name for name, _ in module.named_buffers()} == {"filter.mean", "filter.deviation"}
    assert np.array_equal(module.to_policy().parameters, policy.parameters)
    other = make("iap-trans", attention="relu", controller="mlp", normaliser=True)
    other = other.with_parameters(other.draw(2)).to_torch()
    other.load_state_dict(state)
    assert np.array_equal(other.to_policy().parameters, policy.parameters)


def test_optimisers_of_pytorch_train_it(frames, torch):
    policy = make("iap-trans", attention="relu", controller="mlp")
    module, wanted = policy.to_torch(), torch.tensor([[0.5, 0.25]]).expand(6, 2)
    optimiser = torch.optim.SGD(module.parameters(), lr=0.125)  # a power of two: the product is exact
    ((module(frames) - wanted) ** 2).sum().backward()
    expected = policy.parameters - np.float32(0.125) * flat_gradient(module)
    optimiser.step()
    assert np.array_equal(module.to_policy().parameters, expected)
    adam = torch.optim.Adam(module.parameters(), lr=0.01)
    losses = []
    for _ in range(60):
        adam.zero_grad()
        loss = ((module(frames) - wanted) ** 2).mean()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    assert losses[-1] < 0.01 * losses[0]


def test_frames_may_be_counted_by_any_shape(frames, torch):
    module = make(attention="relu", controller="mlp").to_torch()
    whole = module(frames)
    assert torch.equal(module(frames.reshape(2, 3, 24, 24, 3)), whole.reshape(2, 3, 2))
    assert torch.equal(module(frames[0]), whole[0])
    with torch.no_grad():
        assert torch.equal(module(frames), whole)


@pytest.mark.parametrize("options", [{"controller": "lstm", "hidden": 5}, {"controller": "mlp", "motion": True}])
def test_memory_goes_on(options, random, torch):
    policy = make("iap-rank", top=4, **options)
    module, gradient = policy.to_torch(), learn.Gradient(policy)
    frames = torch.from_dlpack(random.integers(0, 256, (7, 3, 24, 24, 3), np.uint8))
    whole, after = module.sequence(frames)
    for b in range(3):  # each episode is what it is alone
        alone = gradient.forward(frames[:, b].contiguous())
        assert np.array_equal(np.from_dlpack(whole[:, b].detach().contiguous()), alone)
    first, memory = module.sequence(frames[:4])
    second, last = module.sequence(frames[4:], memory)
    assert torch.equal(torch.cat([first, second]), whole)
    assert all(torch.equal(x, y) for x, y in zip(last, after)) and any(x.abs().sum() > 0 for x in after)
    starts = torch.zeros(7, 3, dtype=torch.bool)
    starts[4] = True  # as if nothing had been before
    again, _ = module.sequence(frames, starts=starts)
    assert torch.equal(again[4:], module.sequence(frames[4:])[0]) and not torch.equal(again[4:], second)
    with pytest.raises(TypeError, match="module.sequence"):
        module(frames)


def test_several_forwards_wait_for_their_backwards(frames, torch):
    module = make(attention="relu", controller="mlp").to_torch()
    (module(frames[:3]).sum() + module(frames[3:]).sum()).backward()
    parts = flat_gradient(module)
    module.zero_grad()
    module(frames).sum().backward()
    assert np.allclose(parts, flat_gradient(module), rtol=1e-4, atol=1e-5 * np.abs(parts).max())


def test_what_cannot_be_is_said(frames, torch):
    module = make(attention="relu", controller="mlp").to_torch()
    with pytest.raises(ValueError, match=r"expected \[..., 24, 24, 3\]"):
        module(frames[..., :2])
    with pytest.raises(TypeError, match="uint8"):
        module(frames.float())
    with pytest.raises(TypeError, match="float32 on the CPU"):
        module.double()(frames)
    outputs = make(attention="relu", controller="mlp").to_torch()(frames).sum()
    outputs.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="once for each forward"):
        outputs.backward()
    with pytest.raises(ValueError, match="choosing"):
        make(attention="relu", controller="mlp").to_torch("hard")


def test_a_policy_that_ships_goes_on_with_pytorch(torch):
    root = pathlib.Path(__file__).parents[2]
    policy = saccade.load(root / "zoo/control/reacher-easy-taught.safetensors")
    module = policy.to_torch()
    shapes = {space.name: space for space in policy.inputs}
    random = np.random.default_rng(3)
    parts = {name: torch.from_dlpack(random.integers(0, 256, (2, *space.shape)).astype(space.dtype)) for name, space in
             shapes.items()}
    outputs = module.sequence({n: x[:, None] for n, x in parts.items()})[0] if module.remembers else module(parts)
    outputs.square().sum().backward()
    assert np.isfinite(flat_gradient(module)).all() and np.any(flat_gradient(module))
