"""saccade's worlds under PufferLib's vectorisation: one by one, in its processes, and a whole batch as one environment.

    python3 examples/puffer.py [--worlds 8] [--workers 2] [--beside CarRacing-v3]

It fails unless all three have the same rewards for the same seeds and actions, and prints steps a second of processor
time, of Gymnasium's environment `--beside` too. It needs the Python package, Gymnasium and PufferLib, of which
emulation and vectorisation suffice (pip install pufferlib-core==3.0.4).
"""
import argparse
import time
from typing import Any

import gymnasium
import numpy as np
import pufferlib
import pufferlib.emulation
import pufferlib.vector
import saccade.gym


def one(world: str, buf: Any = None, seed: int = 0) -> pufferlib.emulation.GymnasiumPufferEnv:
    """One world as PufferLib's processes make it, each for itself."""
    return pufferlib.emulation.GymnasiumPufferEnv(env_creator=gymnasium.make, env_args=[world], buf=buf, seed=seed)


class Batch(pufferlib.PufferEnv):
    """A batch that the library steps at once, as a native environment of as many agents."""

    def __init__(self, world: str, worlds: int, threads: int = 1, buf: Any = None, seed: int = 0) -> None:
        self.worlds = saccade.Worlds(saccade.gym.ids()[world], worlds, threads=threads)
        self.single_observation_space = saccade.gym.observation_space(self.worlds.spec)
        self.single_action_space = saccade.gym.action_space(self.worlds.spec)
        self.num_agents = worlds
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        self.worlds.reset(seed)
        self.observations[:] = self.worlds.observations
        self.rewards[:], self.terminals[:], self.truncations[:] = 0, False, False
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """The step after an end starts the next episode, as it does in PufferLib's other environments."""
        w, over = self.worlds, ~self.worlds.going
        w.step(actions)
        self.rewards[:], self.terminals[:], self.truncations[:] = w.rewards, w.terminated, w.truncated
        if over.any():
            w.reset(which=over)
            self.rewards[over], self.terminals[over], self.truncations[over] = 0, False, False
        self.observations[:] = w.observations
        return self.observations, self.rewards, self.terminals, self.truncations, []

    def close(self) -> None:
        self.worlds.close()


def drive(envs: Any, steps: int) -> np.ndarray:
    """What each world was rewarded with over so many steps of random actions, from seed 1 on."""
    random, rewards = np.random.default_rng(1), np.zeros(envs.num_agents)
    low, high = envs.single_action_space.low, envs.single_action_space.high
    envs.reset(seed=1)
    for _ in range(steps):
        actions = random.uniform(low, high, (envs.num_agents, len(low))).astype(np.float32)
        rewards += envs.step(actions)[1]
    return rewards


def speed(envs: Any, seconds: float) -> float:
    """Steps a second of this process, all worlds together."""
    actions, steps = envs.action_space.sample(), 0
    envs.reset(seed=1)
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        envs.step(actions)
        steps += envs.num_agents
    return steps / (time.process_time() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", default="saccade/CarRacing-v3", help="its id; default saccade/CarRacing-v3")
    parser.add_argument("--worlds", type=int, default=8, help="default 8")
    parser.add_argument("--workers", type=int, default=2, help="PufferLib's processes; default 2")
    parser.add_argument("--steps", type=int, default=100, help="whose rewards are compared; default 100")
    parser.add_argument("--seconds", type=float, default=2, help="of each measurement; default 2")
    parser.add_argument("--beside", metavar="ID", help="an environment of Gymnasium that is measured one by one, too")
    given = parser.parse_args()
    vector, several = pufferlib.vector, {"env_kwargs": {"world": given.world}, "num_envs": given.worlds}
    single = vector.make(one, **several, backend=vector.Serial)
    processes = vector.make(one, **several, backend=vector.Multiprocessing, num_workers=given.workers)
    batch = vector.make(Batch, env_kwargs={"world": given.world, "worlds": given.worlds})

    rewards = [drive(envs, given.steps) for envs in (single, processes, batch)]
    processes.close()
    # PufferLib counts seeds within a process, so the first process alone has those of the others
    first = given.worlds // given.workers
    if not np.array_equal(rewards[0], rewards[2]) or not np.array_equal(rewards[0][:first], rewards[1][:first]):
        raise SystemExit("puffer.py: worlds one by one, in processes and as one batch have different rewards")
    print(f"the same rewards one by one, in processes and as one batch: {rewards[0].round(2).tolist()}")

    measured = {"one by one": single, "as one batch": batch}
    if given.beside:
        measured[f"{given.beside} one by one"] = vector.make(one, env_kwargs={"world": given.beside}, num_envs=1,
                                                             backend=vector.Serial)
    for name, envs in measured.items():
        print(f"{name}: {speed(envs, given.seconds):.0f} steps a second")
        envs.close()


if __name__ == "__main__":
    main()
