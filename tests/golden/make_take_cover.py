"""tests/golden/data/take_cover_*.npz from ../shared/golden/envs/vizdoom_take_cover_*.npz: what ViZDoom's take_cover gave
for recorded actions under its own settings. A row a step, the reset first: y, health, the checksum of the picture, the
number of objects and the checksum of where they are.

usage: make_take_cover.py SHARED_GOLDEN_ENVS OUT
"""
import sys
import zlib

import numpy as np

source, out = sys.argv[1:]
for name in ("seed1", "idle_seed1"):
    data = np.load(f"{source}/vizdoom_take_cover_{name}.npz")
    names = list(data["gamevar_names"])
    rows = len(data["gamevars"])  # there is none after death
    objects = [np.ascontiguousarray(data["objects"][data["objects"][:, 0] == tic][:, [1, 3, 4, 5, 6, 7, 8, 9]])
               for tic in range(rows)]
    np.savez_compressed(f"{out}/take_cover_{name}.npz", seed=data["seed"].astype(np.int64)[None],
                        action=data["action"].astype(np.float32), reward=data["reward"],
                        done=data["done"].astype(np.uint8), y=data["gamevars"][:, names.index("POSITION_Y")],
                        health=data["gamevars"][:, names.index("HEALTH")], picture=data["frame_crc32"].astype(np.int64),
                        objects=np.array([len(o) for o in objects], np.int64),
                        places=np.array([zlib.crc32(o.tobytes()) for o in objects], np.int64))
