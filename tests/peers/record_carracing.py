"""Recordings of Gymnasium's CarRacing-v3 that tests/unit/test_car_racing.c replays to the bit.

    record_carracing.py record OUT_DIR              drive the scenarios below in Gymnasium
    record_carracing.py pack GOLDEN_ENVS OUT_DIR    the same arrays from the stored recordings, without the frames

Exit code 77 where a peer is missing or of another version. Peers, checked: gymnasium 1.4.0, Box2D 2.3.10, pygame-ce 2.5.8, numpy 2.4.6, safetensors 0.8.0.
"""

import os
import sys
from importlib.metadata import PackageNotFoundError, version

PINNED = {"gymnasium": "1.4.0", "Box2D": "2.3.10", "pygame-ce": "2.5.8", "numpy": "2.4.6", "safetensors": "0.8.0"}

for package, wanted in PINNED.items():
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "missing"
    if found != wanted:
        print(f"{package} is {found}, expected {wanted}", file=sys.stderr)
        sys.exit(77)

os.environ["SDL_VIDEODRIVER"] = "dummy"

import numpy as np  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402


def standing(step):
    """Nothing at all: the car falls asleep again and again; later the wheels are turned in its sleep."""
    return [0, 0, 0] if step < 120 else [1, 0, 0] if step < 200 else [-0.3, 0, 0.95]


def full_lock(step):
    """Full gas into full lock, changed over now and then."""
    return [1 if step // 60 % 2 == 0 else -1, 1, 0]


def reverse_spin(step):
    """Full lock with full gas from rest, then brakes and lock to the other side: the car turns on itself."""
    return [1, 1, 0] if step < 100 else [-1, 0, 0.8] if step < 130 else [-1, 1, 0]


def leaving(step):
    """Straight on until the playfield ends."""
    return [0, 1, 0]


def weaving(step):
    return [np.sin(0.05 * step), 0.5 + 0.5 * np.sin(0.013 * step), 0.3 * (step % 90 > 80)]


# name: (seed, resets without a seed after it, controller, most steps)
SCENARIOS = {
    "standing": (7, 0, standing, 260),
    "full_lock": (8, 0, full_lock, 300),
    "reverse_spin": (9, 0, reverse_spin, 300),
    "second_reset": (10, 1, weaving, 200),
    "leaving": (11, 0, leaving, 1000),
    "thrown": (12, 0, weaving, 80),
    "twisted_start": (1114, 0, weaving, 80),  # the end of the loop turns its first tile over
}

# name: (step before which the hull gets this velocity and spin): beyond the most that Box2D moves a body in a step
KICKS = {"thrown": (20, 150.0, -40.0, 300.0)}


def row_of(env):
    car = env.car
    bodies = [car.hull] + car.wheels
    pose = [[*b.position, b.angle, *b.linearVelocity, b.angularVelocity] for b in bodies]
    return {
        "body": np.array(pose, np.float32),
        "omega": np.array([w.omega for w in car.wheels], np.float64),
        "phase": np.array([w.phase for w in car.wheels], np.float64),
        "on_road": np.array([len(w.tiles) > 0 for w in car.wheels], np.uint8),
        "visited": np.int32(env.tile_visited_count),
    }


def record(seed, extra_resets, controller, most_steps, kick=None):
    from gymnasium.envs.box2d.car_racing import CarRacing

    env = CarRacing()
    attempts = []
    create = env._create_track
    env._create_track = lambda: attempts.append(create()) or attempts[-1]
    env._render = lambda mode: None
    env.reset(seed=seed)
    for _ in range(extra_resets):
        # a few steps, so that the world is not fresh
        for step in range(5):
            env.step(np.array(controller(step), np.float32))
        attempts.clear()
        env.reset()
    rows, actions, rewards, ends = [row_of(env)], [], [], []
    for step in range(most_steps):
        action = np.array(controller(step), np.float32)
        if kick and kick[0] == step:
            env.car.hull.linearVelocity = kick[1:3]
            env.car.hull.angularVelocity = kick[3]
        _, reward, terminated, _, _ = env.step(action)
        rows.append(row_of(env))
        actions.append(action)
        rewards.append(reward)
        ends.append(terminated)
        if terminated:
            break
    plain = [np.all(tile.color == env.road_color) for tile in env.road]
    return {
        "seed": np.array([seed], np.int64),
        "resets": np.array([1 + extra_resets], np.int32),
        "attempts": np.array([len(attempts)], np.int32),
        "track": np.array(env.track, np.float64),
        "action": np.array(actions, np.float32),
        "reward": np.array(rewards, np.float64),
        "terminated": np.array(ends, np.uint8),
        "plain": np.array(plain, np.uint8),
        **({"kick": np.array(kick, np.float32)} if kick else {}),
        **{key: np.array([row[key] for row in rows]) for key in rows[0]},
    }


def repack(source):
    hull = np.concatenate([source["hull_pos"], source["hull_angle"][:, None], source["hull_linvel"],
                           source["hull_angvel"][:, None]], 1)
    wheel = np.concatenate([source["wheel_pos"], source["wheel_body_angle"][..., None], source["wheel_linvel"],
                            source["wheel_angvel"][..., None]], 2)
    arrays = {
        "seed": source["seed"].reshape(1).astype(np.int64),
        "resets": np.array([1], np.int32),
        "attempts": np.array([len(source["create_track_results"])], np.int32),
        "track": source["track"],
        "border": border_nodes(source["road_poly_is_border"]),
        "first_visit": source["tile_first_visit_step"],
        "action": source["action"],
        "reward": source["reward"],
        "terminated": source["terminated"].astype(np.uint8),
        "body": np.concatenate([hull[:, None], wheel], 1),
        "omega": source["wheel_omega"],
        "phase": source["wheel_phase"],
        "on_road": (source["wheel_ntiles"] > 0).astype(np.uint8),
        "visited": source["tiles_visited"],
    }
    if "final_road_poly_color" in source:
        tiles = source["final_road_poly_color"][~source["road_poly_is_border"]]
        arrays["plain"] = np.all(tiles == 102, 1).astype(np.uint8)
    if "second_track" in source:
        arrays["second_track"] = source["second_track"]
        arrays["second_border"] = border_nodes(source["second_road_poly_is_border"])
    return arrays


def border_nodes(is_border):
    """One flag a tile from one flag a polygon: a border follows its tile."""
    flags = []
    for border in is_border:
        if border:
            flags[-1] = 1
        else:
            flags.append(0)
    return np.array(flags, np.uint8)


def repack_tracks(source):
    arrays = {}
    for key in source:
        if key.endswith("_track"):
            name = key[: -len("_track")]
            arrays[name + "_track"] = source[key]
            arrays[name + "_border"] = border_nodes(source[name + "_is_border"])
            arrays[name + "_attempts"] = np.array([len(source[name + "_create_track_results"])], np.int32)
    return arrays


def save(arrays, directory, name):
    path = os.path.join(directory, f"carracing_{name}.safetensors")
    save_file({key: np.ascontiguousarray(value) for key, value in arrays.items()}, path)


def main():
    if sys.argv[1:2] == ["record"] and len(sys.argv) == 3:
        for name, scenario in SCENARIOS.items():
            save(record(*scenario, KICKS.get(name)), sys.argv[2], name)
    elif sys.argv[1:2] == ["pack"] and len(sys.argv) == 4:
        for name in ["seed1", "seed2", "seed3", "driver_seed5"]:
            save(repack(np.load(os.path.join(sys.argv[2], f"carracing_{name}.npz"))), sys.argv[3], name)
        save(repack_tracks(np.load(os.path.join(sys.argv[2], "carracing_tracks.npz"))), sys.argv[3], "tracks")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
