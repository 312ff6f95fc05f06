"""doom.py STEPS: take_cover's steps a second at 160 x 120 in ViZDoom's own Python, by the actions that saccade bench uses."""

import os
import sys
import tempfile
import time

from common import absent, report

try:
    import vizdoom
except ImportError as error:
    absent(error)

game = vizdoom.DoomGame()
game.load_config(os.path.join(vizdoom.scenarios_path, "take_cover.cfg"))
game.set_doom_config_path("/dev/null")
game.set_window_visible(False)
game.set_screen_resolution(vizdoom.ScreenResolution.RES_160X120)
game.set_screen_format(vizdoom.ScreenFormat.RGB24)
game.set_seed(1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    game.init()
    os.chdir("/")

steps, best, buttons = int(sys.argv[1]), 0, ([False, False], [True, False], [False, True])
for _ in range(3):
    seconds = 0
    game.set_seed(1)
    game.new_episode()
    for step in range(steps):
        action = buttons[step // 10 % 3]
        begin = time.perf_counter()
        reward = game.make_action(action)
        done = game.is_episode_finished()
        if not done:
            picture = game.get_state().screen_buffer
        seconds += time.perf_counter() - begin
        if done:
            game.new_episode()
    best = max(best, steps / seconds)
game.close()
report(f"vizdoom {vizdoom.__version__}", best)
