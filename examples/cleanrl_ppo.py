"""PPO in one file, in the manner of CleanRL, trains a policy of saccade's through policy.to_torch().

    python3 examples/cleanrl_ppo.py [--iterations 12] [--out trained.safetensors]

The worlds are gymnasium.make_vec's, the loop and the optimiser are PyTorch's, and the actor's mean is a small vision
policy whose forward and backward pass are the library's. What was trained is a policy file, which `saccade eval` and
every other command takes. The critic may see what the actor may not: the state of the world. It needs the Python
package, Gymnasium and PyTorch.
"""
import argparse

import gymnasium
import numpy as np
import saccade
import torch
from torch.distributions import Normal

WORLDS, STEPS, EPOCHS, MINIBATCHES = 16, 64, 4, 8
GAMMA, LAMBDA, CLIP, VALUE_WEIGHT, MAX_NORM, RATE = 0.9, 0.95, 0.2, 0.5, 0.5, 3e-3


def tensor(array: np.ndarray) -> torch.Tensor:
    """The numbers of an array, by DLPack, which any NumPy and any PyTorch both speak: pictures as they are, all else as
    float32."""
    return torch.from_dlpack(array if array.dtype == np.uint8 else array.astype(np.float32))


class Agent(torch.nn.Module):
    """An actor that is a policy of saccade's, with noise around its actions, and a critic that sees the state."""

    def __init__(self, policy: saccade.Policy, state_size: int, action_size: int) -> None:
        super().__init__()
        self.actor = policy.to_torch()
        self.log_deviation = torch.nn.Parameter(torch.full((action_size,), -0.5))
        self.critic = torch.nn.Sequential(torch.nn.Linear(state_size, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64),
                                          torch.nn.Tanh(), torch.nn.Linear(64, 1))

    def value(self, state: torch.Tensor) -> torch.Tensor:
        return self.critic(state).squeeze(-1)

    def actions(self, camera: torch.Tensor) -> Normal:
        return Normal(self.actor(camera), self.log_deviation.exp())


class Rollout:
    """What happened in WORLDS worlds over STEPS steps: [STEPS, WORLDS, ...]."""

    def __init__(self, envs: gymnasium.vector.VectorEnv) -> None:
        self.envs = envs
        self.seen, _ = envs.reset(seed=1_000_000)
        self.over = np.zeros(WORLDS, bool)  # the step after an end starts the next episode, and is no step of one

    @torch.no_grad()
    def collect(self, agent: Agent) -> None:
        low, high = self.envs.single_action_space.low, self.envs.single_action_space.high
        rows = []
        for _ in range(STEPS):
            camera, state = tensor(self.seen["camera"]), tensor(self.seen["state"])
            distribution = agent.actions(camera)
            action = distribution.sample()
            moves = np.clip(np.from_dlpack(action), low, high)
            self.seen, reward, terminated, truncated, _ = self.envs.step(moves)
            # an episode that only ran out of time is worth what its last observation promises
            promised = agent.value(tensor(self.seen["state"])) * tensor(~terminated)
            counts, self.over = ~self.over, terminated | truncated
            rows.append((camera, state, action, distribution.log_prob(action).sum(-1), agent.value(state), promised,
                         tensor(reward), tensor(~self.over), tensor(counts) > 0))
        (self.camera, self.state, self.action, self.log_prob, self.value, self.promised, self.reward, self.goes_on,
         self.counts) = (torch.stack(column) for column in zip(*rows))

    def advantages(self) -> torch.Tensor:
        """Generalised advantage estimation, which does not reach over the end of an episode."""
        out, later = torch.zeros_like(self.value), torch.zeros(WORLDS)
        for t in reversed(range(STEPS)):
            error = self.reward[t] + GAMMA * self.promised[t] - self.value[t]
            later = error + GAMMA * LAMBDA * later * self.goes_on[t]
            out[t] = later
        return out


def update(agent: Agent, optimiser: torch.optim.Optimizer, rollout: Rollout) -> None:
    """EPOCHS passes over the rollout, by the clipped objective of PPO."""
    kept = rollout.counts.flatten()
    advantages = rollout.advantages()
    columns = (rollout.camera, rollout.state, rollout.action, rollout.log_prob, advantages, advantages + rollout.value)
    camera, state, action, old, advantage, target = (column.flatten(0, 1)[kept] for column in columns)
    for _ in range(EPOCHS):
        for some in torch.randperm(len(old)).tensor_split(MINIBATCHES):
            ratio = (agent.actions(camera[some]).log_prob(action[some]).sum(-1) - old[some]).exp()
            a = (advantage[some] - advantage[some].mean()) / (advantage[some].std() + 1e-8)
            gain = torch.min(a * ratio, a * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            error = (agent.value(state[some]) - target[some]).square().mean()
            optimiser.zero_grad()
            (VALUE_WEIGHT * error - gain).backward()
            torch.nn.utils.clip_grad_norm_(agent.parameters(), MAX_NORM)
            optimiser.step()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=12, help=f"of {WORLDS * STEPS} steps each; default 12")
    parser.add_argument("--out", default="trained.safetensors", help="the policy file; default trained.safetensors")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)

    envs = gymnasium.make_vec("saccade/Toy-v0", num_envs=WORLDS, parts=["camera", "state"])
    policy = saccade.World("toy").policy("cnn", conv_channels="8,8", controller="mlp")
    policy = policy.with_parameters(policy.draw(1))
    agent = Agent(policy, envs.single_observation_space["state"].shape[0], envs.single_action_space.shape[0])
    optimiser = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    rollout = Rollout(envs)
    for iteration in range(given.iterations):
        rollout.collect(agent)
        update(agent, optimiser, rollout)
        print(f"iteration {iteration + 1}: mean reward {rollout.reward[rollout.counts].mean():.3f}")

    agent.actor.to_policy().save(given.out, info=saccade.Info(environment="toy"))
    before, after = (saccade.evaluate(p, "toy", seeds=range(1000, 1016)) for p in (policy, saccade.load(given.out)))
    print(f"{policy.parameter_count} numbers, return {before.mean:.1f} before and {after.mean:.1f} after: {given.out}")


if __name__ == "__main__":
    main()
