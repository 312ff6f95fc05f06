"""Training and evaluation from Python: the command's bits, reports, ends with a checkpoint."""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
import saccade

TASK = pathlib.Path(__file__).resolve().parents[2] / "tasks/toy.yaml"


def test_a_run_trains_and_reports(tmp_path):
    reports = []
    run = saccade.train(TASK, tmp_path / "run", generations=4, threads=2, progress=reports.append)
    assert [r.generation for r in reports] == [1, 2, 3, 4]
    assert run.state == "finished" and run.generation == 4 and run.environment == "toy"
    policy = run.load("mean")
    assert policy.info.environment == "toy" and policy.info.generation == 4
    assert saccade.summary(tmp_path / "run") == run


def test_a_resumed_run_is_the_uninterrupted_one(tmp_path):
    saccade.train(TASK, tmp_path / "a", generations=6)
    saccade.train(TASK, tmp_path / "b", generations=4)
    saccade.train(TASK, tmp_path / "b", generations=6, resume=True)
    a, b = (saccade.load(tmp_path / x / "mean.safetensors").parameters for x in "ab")
    assert np.array_equal(a, b)


def test_settings_are_fields_of_the_task(tmp_path):
    run = saccade.train(TASK, tmp_path / "run", generations=1, settings={"search.population": 8, "train.seed": 5})
    assert run.seed == 5
    with pytest.raises(saccade.ArgumentError, match="population"):
        saccade.train(TASK, tmp_path / "other", settings={"search.populaton": 8})


def test_an_exception_ends_a_run_with_a_checkpoint(tmp_path):
    def enough(report):
        if report.generation == 2:
            raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError):
        saccade.train(TASK, tmp_path / "run", generations=100000, progress=enough)
    run = saccade.summary(tmp_path / "run")
    assert run.state == "interrupted" and run.generation >= 2
    assert saccade.train(TASK, tmp_path / "run", generations=run.generation + 1, resume=True).state == "finished"


def test_an_interrupt_ends_a_run_at_once(tmp_path):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        saccade.train(TASK, tmp_path / "run", generations=10**7)
    assert time.monotonic() - begin < 30
    assert saccade.summary(tmp_path / "run").state == "interrupted"


def test_an_empty_path_is_refused_everywhere(tmp_path, policy_path):
    policy = saccade.load(policy_path)
    shown = {"position": np.zeros((1, 2), np.float32)}
    for name, take in (("run", lambda: saccade.train(TASK, "")), ("task", lambda: saccade.train("", tmp_path / "run")),
                       ("run", lambda: saccade.summary("")), ("path", lambda: saccade.load("")),
                       ("path", lambda: policy.save("")), ("path", lambda: saccade.load_plugin("")),
                       ("path", lambda: saccade.Demonstrations("")), ("path", lambda: saccade.record(policy, "", seeds=[1])),
                       ("path", lambda: saccade.write_demonstrations("", shown, np.zeros((1, 1), np.float32))),
                       ("teacher", lambda: saccade.distill(TASK, tmp_path / "run", teacher="")),
                       ("demonstrations", lambda: saccade.distill(TASK, tmp_path / "run", demonstrations=b"")),
                       ("train.start", lambda: saccade.train(TASK, tmp_path / "run", settings={"train.start": ""}))):
        with pytest.raises(saccade.ArgumentError, match=f"{name} is empty, expected "):
            take()
    assert not (tmp_path / "run").exists()


def test_failures_are_exceptions(tmp_path):
    with pytest.raises(saccade.FileError, match="nothing.yaml"):
        saccade.train(tmp_path / "nothing.yaml", tmp_path / "run")
    saccade.train(TASK, tmp_path / "run", generations=1)
    with pytest.raises(saccade.Error, match="run"):
        saccade.train(TASK, tmp_path / "run", generations=1)  # the folder is there
    with pytest.raises(saccade.FileError):
        saccade.summary(tmp_path)


def test_an_evaluation_is_the_sum_of_its_steps(policy_path):
    policy = saccade.load(policy_path)
    score = saccade.evaluate(policy, "car-racing", seeds=range(2, 5), threads=2, max_steps=30)
    returns = []
    for seed in range(2, 5):
        world, state = saccade.World("car-racing", max_steps=30), policy.state()
        observation, total, over = world.reset(seed), 0.0, False
        while not over:
            observation, reward, terminated, truncated = world.step(state.act(observation))
            total, over = total + reward, terminated or truncated
        returns.append(total)
    assert list(score.episodes["return"]) == returns and list(score.episodes["seed"]) == [2, 3, 4]
    assert score.mean == pytest.approx(np.mean(returns), rel=1e-12)
    assert score.std == pytest.approx(np.std(returns, ddof=1), rel=1e-12)


def test_an_evaluation_is_that_of_the_command(tmp_path):
    """The options and the variant of the training come from the policy, as they do for `saccade eval`."""
    run = saccade.train(TASK, tmp_path / "run", generations=2, settings={"env.variant": "noise", "env.max_steps": 20})
    policy = run.load("mean")
    command = pathlib.Path(os.environ["SACCADE_BUILD"]) / "saccade"
    for words, parameters in ([], {}), (["--variant", "original"], {"variant": "original"}):
        said = subprocess.run([command, "eval", tmp_path / "run/mean.safetensors", "--seeds", "0..9", "--json", *words],
                              stdout=subprocess.PIPE, check=True).stdout
        returns = [episode["return"] for episode in json.loads(said)["episodes"]]
        found = saccade.evaluate(policy, seeds=range(10), **parameters).episodes["return"]
        assert found.tolist() == returns, (words, found, returns)


def test_a_score_shows_what_the_command_shows(tmp_path):
    """Of any scale, and for one episode no spread."""
    episodes = np.zeros(2)
    for mean, std, shown in ((914.32, 20.14, "914.3 +- 20.1"), (0.5123, 0.0344, "0.512 +- 0.034"), (0.25, 0.0, "0.250 +- 0.000"),
                             (1.234e-7, 4.5e-8, "0.000000123 +- 0.000000045"), (0.0, 0.0, "0.0 +- 0.0"),
                             (20.3, 1e-14, "20.3 +- 0.0"), (float("nan"), float("nan"), "nan +- nan")):
        assert repr(saccade.Score(mean, std, episodes)) == f"<{shown}, 2 episodes>"
    assert repr(saccade.Score(16.44, 0.0, episodes[:1])) == "<16.4, 1 episode>"


def test_bad_evaluations_are_named(policy_path):
    policy = saccade.load(policy_path)
    with pytest.raises(ValueError, match="seeds"):
        saccade.evaluate(policy, "car-racing", seeds=range(0))
    with pytest.raises(saccade.Error):
        saccade.evaluate(policy, "toy", seeds=range(1))  # it sees another picture


def test_seeds_are_any_whole_numbers_in_their_order(policy_path):
    policy = saccade.load(policy_path)
    alone = {seed: saccade.evaluate(policy, "car-racing", seeds=[seed], max_steps=20).mean for seed in (3, 7, 1)}
    assert len(set(alone.values())) == 3
    for seeds in ([3, 7, 1], (3, 7, 1), np.array([3, 7, 1]), iter([3, 7, 1]), [np.int8(3), 7, np.uint64(1)]):
        score = saccade.evaluate(policy, "car-racing", seeds=seeds, threads=2, max_steps=20)
        assert list(score.episodes["seed"]) == [3, 7, 1]
        assert list(score.episodes["return"]) == [alone[seed] for seed in (3, 7, 1)]
    twice = saccade.evaluate(policy, "car-racing", seeds=[7, 7], max_steps=20)
    assert list(twice.episodes["return"]) == [alone[7]] * 2 and twice.std == 0
    assert list(saccade.evaluate(policy, "car-racing", seeds=range(7, 0, -3), max_steps=2).episodes["seed"]) == [7, 4, 1]
    assert saccade.evaluate(policy, "car-racing", seeds=3, max_steps=20).mean == alone[3]


@pytest.mark.parametrize("seeds, error, words", [
    ([], ValueError, "there are none"), ([1, -1], ValueError, "-1"), ([2**64 - 1], ValueError, "2\\^64"),
    ([1.5], TypeError, "1.5"), (["3"], TypeError, "'3'"), ("12", TypeError, "'1'"), (None, TypeError, "None")])
def test_bad_seeds_are_named(policy_path, seeds, error, words):
    with pytest.raises(error, match=words):
        saccade.evaluate(saccade.load(policy_path), "car-racing", seeds=seeds)


def test_an_interrupt_ends_an_evaluation_at_once(policy_path):
    policy = saccade.load(policy_path)
    before = saccade.evaluate(policy, "car-racing", seeds=[5], max_steps=20)
    threads = threading.active_count()
    for count in (1, 3):
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            saccade.evaluate(policy, "car-racing", seeds=range(100000), threads=count)  # an hour
        # half a second until the signal, then a step of 16 cars in each thread
        assert time.monotonic() - begin < 10
        timer.join()
    assert threading.active_count() == threads
    # nothing of it is left: the same again
    after = saccade.evaluate(policy, "car-racing", seeds=[5], max_steps=20)
    assert after.episodes.tobytes() == before.episodes.tobytes()


def test_exceptions_speak_of_parameters_and_not_of_flags(tmp_path):
    saccade.train(TASK, tmp_path / "run", generations=1)
    with pytest.raises(saccade.Error, match="resume=True") as raised:
        saccade.train(TASK, tmp_path / "run", generations=1)
    assert "--" not in str(raised.value)
    with pytest.raises(saccade.ArgumentError, match="settings") as raised:
        saccade.train(TASK, tmp_path / "other", settings={"search.populaton": 8})
    assert "--" not in str(raised.value)
    with pytest.raises(saccade.ArgumentError, match="another run") as raised:
        saccade.train(TASK, tmp_path / "run", settings={"train.seed": 7}, resume=True, generations=2)
    assert "--" not in str(raised.value)


def test_every_flag_of_a_training_has_a_word_in_python():
    """Whatever sentence a training can fail with: what it calls as the command does is a parameter here."""
    import inspect
    import re

    from saccade._core import _FLAGS, _in_python

    found = set()
    rooms = [TASK.parents[1] / "src" / room for room in ("rollout", "run", "train")]
    of_sweeps = {"halving", "rungs", "sweep", "sweep_runs"}  # which Python does not have
    for path in (path for room in rooms for path in room.rglob("*.c") if path.stem not in of_sweeps):
        code = re.sub(r'"\s*\n\s*"', "", path.read_text())  # sentences over several lines
        for call in re.findall(r"sac_fail(?:_in)?\(.*?\);|set_entry\(.*?\);", code, re.S):
            found |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", call))
    assert {"--resume", "--run", "--set"} <= found
    parameters = inspect.signature(saccade.train).parameters
    for flag in found:
        assert _FLAGS[flag].partition("=")[0] in parameters, flag
        assert "--" not in _in_python(f"folder: {flag} goes on, {flag}, or {flag}")
    assert _in_python("a--b and --unknown-flag stay") == "a--b and --unknown-flag stay"


def test_an_evaluation_counts_what_its_world_counts(policy_path):
    assert saccade.evaluate(saccade.load(policy_path), "car-racing", seeds=range(2), max_steps=5).counts == {}
    try:
        world = saccade.World("legs:stones", parts="state", seconds=4)
    except saccade.UnavailableError as reason:
        pytest.skip(f"needs MuJoCo (make worlds): {reason}")
    policy = world.policy("mlp", inputs="state", hidden=4)
    policy = policy.with_parameters(policy.draw(1))
    expected = dict.fromkeys(("fell", "crossed", "unsolved"), 0)
    for seed in range(3, 9):
        observation, state, over = world.reset(seed), policy.state(), False
        while not over:
            observation, _, terminated, truncated = world.step(state.act(observation))
            over = terminated or truncated
        columns = world.state()
        expected = {name: count + int(columns[name]) for name, count in expected.items()}
    assert saccade.evaluate(policy, "legs:stones", seeds=range(3, 9), threads=2, seconds=4).counts == expected
    assert expected["fell"] > 0
