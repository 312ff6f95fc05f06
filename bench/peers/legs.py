"""legs.py [blind]: microseconds that PyBullet takes for 52 ms of its Laikago: 52 steps of physics, in each of which twelve
motors are told their torques, and unless told otherwise two depth pictures of 32 x 24 pixels by its software renderer.

It stands and has no controller: what PyBullet's own environment adds to this in Python, gait, estimators and stance
control, is left out.
"""

import os
import sys
import time

from common import absent, report

try:
    import pybullet
    import pybullet_data
    from pybullet_utils.bullet_client import BulletClient
except Exception as error:
    absent(error)

STEPS, PHYSICS = 20, 52
blind = len(sys.argv) > 1
answers = os.dup(1)
os.dup2(2, 1)  # it greets on standard output, where our one line goes
client = BulletClient(connection_mode=pybullet.DIRECT)
client.setAdditionalSearchPath(pybullet_data.getDataPath())
client.setGravity(0, 0, -10)
client.setPhysicsEngineParameter(fixedTimeStep=0.001, numSolverIterations=75)
client.loadURDF("plane.urdf")
robot = client.loadURDF("laikago/laikago_toes_zup.urdf", [0, 0, 0.48])
joints = [j for j in range(client.getNumJoints(robot)) if client.getJointInfo(robot, j)[2] == client.JOINT_REVOLUTE]
home = [0, 0.07, -0.59] * 4  # the released start pose, less the offsets of its motors
for joint, angle in zip(joints, home):
    client.resetJointState(robot, joint, angle)
    client.setJointMotorControl2(robot, joint, client.VELOCITY_CONTROL, force=0)


def hold():
    states = client.getJointStates(robot, joints)
    torques = [max(-30, min(30, 220 * (q - s[0]) - 2 * s[1])) for q, s in zip(home, states)]
    client.setJointMotorControlArray(robot, joints, client.TORQUE_CONTROL, forces=torques)


def look(ahead):
    place, _ = client.getBasePositionAndOrientation(robot)
    eye = [place[0] + ahead, place[1], place[2] - 0.11]
    view = client.computeViewMatrix(eye, [eye[0], eye[1], eye[2] - 1], [0, 1, 0])
    lens = client.computeProjectionMatrixFOV(75, 32 / 24, 0.01, 100)
    client.getCameraImage(32, 24, view, lens, renderer=client.ER_TINY_RENDERER)


best = None
for _ in range(3):
    begin = time.perf_counter()
    for _ in range(STEPS):
        for _ in range(PHYSICS):
            hold()
            client.stepSimulation()
        if not blind:
            look(0.197)
            look(-0.092)
    elapsed = 1e6 * (time.perf_counter() - begin) / STEPS
    best = elapsed if best is None else min(best, elapsed)
os.dup2(answers, 1)
report(f"PyBullet {pybullet.getAPIVersion()}", best)
