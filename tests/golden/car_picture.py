"""Scenes and pictures of Gymnasium's CarRacing, for tests/unit/test_car_picture.c.

    python car_picture.py RECORDINGS OUT [EVERY]

RECORDINGS is the folder with carracing_*.npz, whose actions are replayed in gymnasium 1.4.0 (Box2D 2.3.10); OUT.txt
receives the lap of each recording and the scene of each stored frame, OUT.png the frames below one another. With EVERY,
every so many steps instead of the stored ones. The replay is checked against the stored poses and frames.
"""

import os
import sys

os.environ["SDL_VIDEODRIVER"] = "dummy"
import gymnasium
import numpy as np
from PIL import Image

NAMES = ["seed1", "seed2", "seed3", "driver_seed5"]


def write_track(out, env):
    kerbs = set()
    tiles = [poly for poly, colour in env.road_poly if len(set(colour)) == 1 and colour[0] != 255]
    index = -1
    for poly, colour in env.road_poly:
        is_kerb = tuple(colour) in [(255, 255, 255), (255, 0, 0)]
        index += not is_kerb
        if is_kerb:
            kerbs.add(index)
    assert len(tiles) == len(env.track)
    print("track", len(env.track), file=out)
    for i, node in enumerate(env.track):
        print(*("%.17g" % v for v in node), int(i in kerbs), file=out)


def write_scene(out, env, shown):
    car = env.car
    touched = "".join("1" if tuple(t.color) == tuple(env.road_color) and t.idx % 3 != 0 or t.road_visited else "0" for t in env.road)
    body = lambda b: ["%.9g" % v for v in (b.position[0], b.position[1], b.angle)]
    print("scene %.17g %.17g" % (env.t, shown), file=out)
    velocity = ["%.9g" % v for v in (*car.hull.linearVelocity, car.hull.angularVelocity)]
    print(*body(car.hull), *velocity, "%.9g" % car.wheels[0].joint.angle, file=out)
    for wheel in car.wheels:
        print(*body(wheel), "%.17g" % wheel.omega, "%.17g" % wheel.phase, file=out)
    print(touched, file=out)


def main():
    frames = []
    with open(sys.argv[2] + ".txt", "w") as out:
        for name in NAMES:
            z = np.load(os.path.join(sys.argv[1], "carracing_%s.npz" % name))
            every = int(sys.argv[3]) if len(sys.argv) > 3 else 0
            env = gymnasium.make("CarRacing-v3", render_mode=None).unwrapped
            frame, _ = env.reset(seed=int(name[-1]))
            stored = {int(s): f for s, f in zip(z["frame_step"], z["frames"])}
            write_track(out, env)
            for step in range(len(z["action"]) + 1):
                if step > 0:
                    frame = env.step(z["action"][step - 1])[0]
                assert tuple(env.car.hull.position) == tuple(z["hull_pos"][step]), (name, step)
                if step in stored:
                    assert (stored[step] == frame).all()
                if step % every == 0 if every else step in stored:
                    write_scene(out, env, env.reward + (0.1 if step > 0 else 0.0))
                    frames.append(frame)
    Image.fromarray(np.concatenate(frames)).save(sys.argv[2] + ".png", optimize=True)


main()
