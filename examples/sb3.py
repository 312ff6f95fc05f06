"""Stable-Baselines3's PPO in a batch of saccade's worlds: returns before and after, over the same episodes.

    python3 examples/sb3.py [--world saccade/Toy-v0] [--parts state] [--steps 8192] [--worlds 16] [--threads 1]

It needs the Python package and Stable-Baselines3 (pip install stable-baselines3). The worlds are one batch that the
library steps at once, without a process for each. `--parts camera` learns from pictures, by CnnPolicy.
"""
import argparse

import torch
from saccade.stable_baselines3 import VecEnv
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecMonitor

EPISODES = 16


def evaluate(model: PPO, given: argparse.Namespace) -> float:
    """The mean return of the policy's best guesses over EPISODES episodes from seed 1000 on, one in each world."""
    worlds = VecMonitor(VecEnv(given.world, EPISODES, threads=given.threads, parts=given.parts))
    worlds.seed(1000)
    mean, _ = evaluate_policy(model, worlds, EPISODES)
    worlds.close()
    return float(mean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", default="saccade/Toy-v0", help="its id; default saccade/Toy-v0")
    parser.add_argument("--parts", default="state", help="what the policy sees; default state")
    parser.add_argument("--steps", type=int, default=8192, help="of all worlds together; default 8192")
    parser.add_argument("--worlds", type=int, default=16, help="in the batch; default 16")
    parser.add_argument("--threads", type=int, default=1, help="that share them; default 1")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)

    worlds = VecMonitor(VecEnv(given.world, given.worlds, threads=given.threads, parts=given.parts))
    kind = "CnnPolicy" if is_image_space(worlds.observation_space) else "MlpPolicy"
    model = PPO(kind, worlds, n_steps=64, batch_size=128, learning_rate=1e-3, gamma=0.9, seed=1, device="cpu")
    before = evaluate(model, given)
    model.learn(given.steps)
    after = evaluate(model, given)
    print(f"{kind} in {given.world}: return {before:.1f} before, {after:.1f} after {given.steps} steps")


if __name__ == "__main__":
    main()
