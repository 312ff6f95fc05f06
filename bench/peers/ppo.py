"""ppo.py [defaults]: steps a second of PPO on dm_control's cheetah-run from state, action repeat 2, worlds and updates
included.

Stable-Baselines3 where it is installed, else PPO as CleanRL writes it, in PyTorch: both with 64 worlds, rollouts of 128
steps, 6 epochs of minibatches of 1,024 and two nets of two layers of 64 units, as saccade's row has them. "defaults": Stable-Baselines3 as it comes, with one world, rollouts of 2,048 steps and 10
epochs of minibatches of 64.
"""

import sys
import time
import warnings

from common import absent, go_on_within, report

go_on_within("baselines")
warnings.simplefilter("ignore")
try:
    import numpy as np
    import torch
    from dm_control import suite
    from importlib.metadata import version
except Exception as error:
    absent(error)

torch.set_num_threads(1)
WORLDS, STEPS, EPOCHS, BATCH, REPEAT = 64, 128, 6, 1024, 2
GAMMA, LAMBDA, CLIP, RATE = 0.99, 0.95, 0.2, 3e-4


class World:
    """A world that begins again by itself."""

    def __init__(self, seed):
        self.env = suite.load("cheetah", "run", task_kwargs={"random": seed})
        self.size = self.env.action_spec().shape[0]

    def reset(self):
        return self.look(self.env.reset())

    def look(self, step):
        return np.concatenate([np.ravel(x) for x in step.observation.values()]).astype(np.float32)

    def step(self, action):
        action, reward = np.clip(action, -1, 1), 0.0
        for _ in range(REPEAT):
            step = self.env.step(action)
            reward += step.reward or 0.0
            if step.last():
                return self.reset(), reward, True
        return self.look(step), reward, False


def net(inputs, outputs):
    layers = [torch.nn.Linear(inputs, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
              torch.nn.Linear(64, outputs)]
    return torch.nn.Sequential(*layers)


def tensor(x):
    # through the buffer protocol, which old versions of PyTorch and new ones of NumPy both speak
    x = np.ascontiguousarray(x, np.float32)
    return torch.frombuffer(bytearray(x.tobytes()), dtype=torch.float32).reshape(x.shape)


def array(x):
    return np.array(x.tolist(), np.float32)


class Learner:
    def __init__(self):
        self.worlds = [World(seed) for seed in range(WORLDS)]
        self.seen = np.stack([world.reset() for world in self.worlds])
        size = self.worlds[0].size
        self.actor, self.critic = net(self.seen.shape[1], size), net(self.seen.shape[1], 1)
        self.log = torch.nn.Parameter(torch.full((size,), -0.5))
        self.parameters = [*self.actor.parameters(), *self.critic.parameters(), self.log]
        self.adam = torch.optim.Adam(self.parameters, lr=RATE, eps=1e-5)

    def distribution(self, seen):
        return torch.distributions.Normal(self.actor(seen), self.log.exp())

    @torch.no_grad()
    def roll_out(self):
        rows = []
        for _ in range(STEPS):
            seen = tensor(self.seen)
            distribution, value = self.distribution(seen), self.critic(seen)[:, 0]
            action = distribution.sample()
            done = [world.step(a) for world, a in zip(self.worlds, array(action))]
            self.seen = np.stack([d[0] for d in done])
            rows.append((seen, action, distribution.log_prob(action).sum(1), value, tensor([d[1] for d in done]),
                         tensor([d[2] for d in done])))
        return rows, self.critic(tensor(self.seen))[:, 0]

    def advantages(self, rows, value):
        out, advantage = [], torch.zeros(WORLDS)
        for _, _, _, now, reward, end in reversed(rows):
            advantage = reward + GAMMA * value * (1 - end) - now + GAMMA * LAMBDA * (1 - end) * advantage
            value = now
            out.append(advantage)
        return torch.cat(out[::-1])

    def iterate(self):
        rows, value = self.roll_out()
        advantages = self.advantages(rows, value)
        seen, action, old, values = (torch.cat([row[i] for row in rows]) for i in range(4))
        for _ in range(EPOCHS):
            for index in torch.randperm(len(seen)).split(BATCH):
                a = advantages[index]
                a = (a - a.mean()) / (a.std() + 1e-8)
                distribution = self.distribution(seen[index])
                ratio = (distribution.log_prob(action[index]).sum(1) - old[index]).exp()
                target = advantages[index] + values[index]
                loss = -torch.min(a * ratio, a * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
                loss = loss + 0.25 * ((self.critic(seen[index])[:, 0] - target) ** 2).mean()
                self.adam.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.parameters, 0.5)
                self.adam.step()


def time_own():
    learner, best = Learner(), 0
    for _ in range(2):
        begin = time.perf_counter()
        learner.iterate()
        best = max(best, WORLDS * STEPS / (time.perf_counter() - begin))
    return f"CleanRL's way, PyTorch {torch.__version__}", best


def time_stable_baselines(defaults):
    import gymnasium
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    class Wrapped(gymnasium.Env):
        def __init__(self, seed):
            self.world = World(seed)
            count = len(self.world.reset())
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float32)
            self.action_space = gymnasium.spaces.Box(-1, 1, (self.world.size,), np.float32)

        def reset(self, seed=None, options=None):
            return self.world.reset(), {}

        def step(self, action):
            seen, reward, end = self.world.step(action)
            return seen, reward, False, end, {}

    if defaults:
        model = PPO("MlpPolicy", Wrapped(0), device="cpu")
    else:
        worlds = DummyVecEnv([lambda seed=seed: Wrapped(seed) for seed in range(WORLDS)])
        model = PPO("MlpPolicy", worlds, n_steps=STEPS, batch_size=BATCH, n_epochs=EPOCHS, device="cpu")
    best = 0
    for _ in range(2):
        begin = time.perf_counter()
        model.learn(WORLDS * STEPS)
        best = max(best, WORLDS * STEPS / (time.perf_counter() - begin))
    return f"Stable-Baselines3 {version('stable-baselines3')}{' as it comes' if defaults else ''}", best


defaults = sys.argv[1:] == ["defaults"]
try:
    name, value = time_stable_baselines(defaults)
except ImportError as error:
    if defaults:
        absent(error)
    name, value = time_own()
report(name, value)
sys.exit(0)
