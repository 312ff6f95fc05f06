#!/usr/bin/env python3
"""version.py: lets saccade.mujoco.Renderer and the renderer of the package mujoco that is on the path draw one scene of all
kinds of solids, from two cameras, and compares them. Ends with 1 where they are not close. tests/mujoco/versions.sh calls
it for several versions."""
import os
import sys

os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
import saccade.mujoco  # noqa: E402

# in words that all versions from 3.2 on know; from 3.12 on flat textures lie around solids and are repeated on texcoords
KINDS = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
SCENE = f"""
<mujoco>
  <visual><quality offsamples="0"/></visual>
  <asset>
    <texture name="flat" type="2d" builtin="checker" width="64" height="64" rgb1=".2 .3 .4" rgb2=".6 .7 .8"/>
    <texture name="cube" type="cube" builtin="gradient" width="32" height="192" rgb1=".9 .5 .2" rgb2=".2 .5 .9"/>
    <texture type="skybox" builtin="gradient" width="32" height="192" rgb1=".3 .5 .7" rgb2="0 0 0"/>
    <material name="floor" texture="flat" texrepeat="4 4" reflectance=".3"/><material name="cube" texture="cube"/>
    <material name="flat" texture="flat" texrepeat="2 3"/><material name="uniform" texture="flat" texrepeat="8 6" texuniform="true"/>
    <mesh name="mesh" vertex="0 0 0 .6 0 0 0 .6 0 0 0 .6"/>
    <mesh name="own" vertex="0 0 0 .6 0 0 0 .6 0 0 0 .6" face="0 2 1 0 1 3 1 2 3 0 3 2" texcoord="0 0 1 0 0 1 1 1"/>
    <hfield name="field" nrow="3" ncol="3" size=".5 .5 .3 .05" elevation="0 0 0 0 1 0 0 0 0"/>
  </asset>
  <worldbody>
    <light pos="1 -2 4" dir="-.2 .4 -1"/>
    <camera name="front" pos="0 -5 2" xyaxes="1 0 0 0 .37 1"/>
    <camera name="above" pos="0 0 6" xyaxes="1 0 0 0 1 0"/>
    <geom type="plane" size="4 4 .1" material="floor"/>
    {"".join(f'<geom type="{kind}" size=".25 .2 .3" pos="{i - 2} 0 .6" material="cube"/>' for i, kind in enumerate(KINDS))}
    {"".join(f'<geom type="{kind}" size=".25 .2 .3" pos="{i - 2} .8 1.4" euler="0 0 {40 * i}" material="{look}"/>'
             for i, (kind, look) in enumerate(zip(KINDS, ("flat", "uniform", "flat", "uniform", "flat"))))}
    <geom type="mesh" mesh="mesh" pos="-1 -1.5 .3" rgba=".8 .3 .3 1"/>
    <geom type="mesh" mesh="own" pos="2 -1.5 .3" material="uniform"/>
    <geom type="hfield" hfield="field" pos="1 -1.5 .1" rgba=".3 .8 .3 1"/>
    <body name="a" pos="-2 1.5 .8"><site name="a" size=".08"/><geom size=".15" rgba="1 1 0 .5"/></body>
    <body name="b" pos="2 1.5 .8"><site name="b" size=".08"/><geom size=".15"/></body>
    <flexcomp type="grid" count="4 4 1" spacing=".2 .2 .1" pos="0 -1.5 .8" radius=".02" name="cloth" dim="2" mass="1">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>
  </worldbody>
  <tendon><spatial width=".03" rgba=".9 .1 .9 1"><site site="a"/><site site="b"/></spatial></tendon>
</mujoco>"""
SIZE = 120, 160


def pictures(kind, model, data):
    """[(colour, depth, segmentation)] of both cameras; each is drawn twice, as MuJoCo's endless planes lag behind."""
    drawn = []
    with kind(model, *SIZE) as renderer:
        for camera in ("front", "above"):
            for start in (renderer.disable_segmentation_rendering, renderer.enable_depth_rendering,
                          renderer.enable_segmentation_rendering):
                start()
                for _ in range(2):
                    renderer.update_scene(data, camera)
                    picture = renderer.render()
                drawn.append(picture.copy())
    return [drawn[:3], drawn[3:]]


def main():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    close = True
    for own, other in zip(*(pictures(kind, model, data) for kind in (saccade.mujoco.Renderer, mujoco.Renderer))):
        mean = np.abs(own[0].astype(int) - other[0]).mean()
        depth = np.median(np.abs(own[1] - other[1]) / other[1])
        same = 100 * (own[2] == other[2]).all(2).mean()
        kinds = len(np.unique(own[2].reshape(-1, 2), axis=0))
        print(f"mujoco {mujoco.__version__}: mean difference {mean:.2f} grey levels, depth {depth:.1e}, {same:.2f} % show "
              f"the same of {kinds} objects")
        close = close and mean < 1 and depth < 1e-3 and same > 99 and kinds > 10
    return int(not close)


if __name__ == "__main__":
    sys.exit(main())
