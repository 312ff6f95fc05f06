"""What dm_control does, for tests/unit/test_control_physics.c: 200 steps, two resets, reward probes of each task.

    python make_control.py OUT.safetensors [RECORDINGS]

Needs dm_control 1.0.50 with MuJoCo 3.17.0 (no rendering). RECORDINGS is the folder with dmc_*.npz, which were recorded
in the same way for five of the tasks: with it the two are compared bit by bit.
"""

import json
import os
import sys

os.environ["MUJOCO_GL"] = "disabled"

import numpy as np
from dm_control import suite

TASKS = (
    "cheetah_run walker_walk cartpole_swingup ball_in_cup_catch reacher_easy finger_spin quadruped_walk"
).split()
SEED, STEPS, PROBES, OBSERVE_EVERY = 1, 200, 64, 20


def load(name):
    domain, task = name.rsplit("_", 1)
    return suite.load(domain, task, task_kwargs={"random": SEED})


def model_state(name, physics):
    """What a reset changes in the model."""
    return {"target_geom_pos": physics.named.model.geom_pos["target"].copy()} if name == "reacher_easy" else {}


def record(name):
    env = load(name)
    observations = [env.reset().observation]
    physics, out = env.physics, {}
    spec = env.action_spec()
    actions = np.random.RandomState(1000 + SEED).uniform(spec.minimum, spec.maximum, (STEPS, spec.shape[0]))
    rows = {"qpos": [physics.data.qpos.copy()], "qvel": [physics.data.qvel.copy()]}
    out.update(model_state(name, physics))
    rewards = []
    for action in actions:
        step = env.step(action)
        rewards.append(step.reward)
        observations.append(step.observation)
        rows["qpos"].append(physics.data.qpos.copy())
        rows["qvel"].append(physics.data.qvel.copy())
    out.update({k: np.stack(v) for k, v in rows.items()}, action=actions, reward=np.array(rewards))
    for part in observations[0]:
        out["observed_" + part] = np.stack([np.ravel(o[part]) for o in observations[::OBSERVE_EVERY]])
    env.reset()
    out["second_reset_qpos"], out["second_reset_qvel"] = physics.data.qpos.copy(), physics.data.qvel.copy()
    out.update({"second_reset_" + k: v for k, v in model_state(name, physics).items()})
    return out


def probe(name):
    """Rewards of states that random play never reaches, for the tasks that have no recorded probes."""
    env, random = load(name), np.random.RandomState(7)
    env.reset()
    physics = env.physics
    out = {k: [] for k in ("qpos", "qvel", "ctrl", "reward")}
    for _ in range(PROBES):
        qpos = physics.data.qpos + 0.3 * random.randn(physics.model.nq)
        qvel = random.uniform(-30, 30) * random.rand(physics.model.nv)
        if name == "quadruped_walk":
            qpos[3:7] /= np.linalg.norm(qpos[3:7])
            qvel /= 10
        ctrl = random.uniform(-0.8, 0.8, physics.model.nu)
        with physics.reset_context():
            physics.data.qpos[:], physics.data.qvel[:] = qpos, qvel
        physics.set_control(ctrl)
        physics.forward()
        for key, value in zip(out, (qpos, qvel, ctrl, env.task.get_reward(physics))):
            out[key].append(value)
        env.reset()
    return {k: np.array(v) for k, v in out.items()}


def compare(name, arrays, folder):
    path = os.path.join(folder, f"dmc_{name}_seed{SEED}.npz")
    if not os.path.exists(path):
        return
    recorded = np.load(path)
    for key, value in arrays.items():
        if key in recorded.files and not np.array_equal(recorded[key], value):
            print(f"{name}: {key} differs from the recording by up to {np.abs(recorded[key] - value).max():g}")


def save(path, tensors):
    header, offset = {}, 0
    for key, value in tensors.items():
        header[key] = {"dtype": "F64", "shape": value.shape, "data_offsets": [offset, offset + value.nbytes]}
        offset += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for value in tensors.values():
            file.write(np.ascontiguousarray(value, dtype="<f8").tobytes())


def main():
    path, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    tensors = {}
    for name in TASKS:
        arrays = record(name)
        compare(name, arrays, folder)
        probes = os.path.join(folder, f"dmc_{name}_rewardprobe_seed{SEED}.npz")
        recorded = os.path.exists(probes)
        found = dict(np.load(probes)) if recorded else probe(name)
        print(f"{name}: {STEPS} steps, {'recorded' if recorded else 'own'} probes up to {found['reward'].max():g}")
        tensors.update({f"{name}.{k}": v for k, v in arrays.items()})
        tensors.update({f"{name}.probe_{k}": v for k, v in found.items()})
    random = np.random.RandomState(123456)
    tensors["rand"], tensors["randn"] = random.rand(1000), random.randn(1001)
    tensors["rand_wide"] = np.random.RandomState([42, 7]).rand(16)
    save(path, {k: np.asarray(v, dtype=np.float64) for k, v in tensors.items()})


main()
