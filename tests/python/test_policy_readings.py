"""What a policy reads from attention by name: it trains, is saved and looked at, and is the library's reading."""
import pathlib

import numpy as np
import pytest
import saccade
from saccade import readings

TASK = pathlib.Path(__file__).resolve().parents[2] / "tasks/toy.yaml"
READINGS = [{}, {"projection": "learned"}, {"selection": "sample"}, {"selection": "tree"}, {"heads": "3"},
            {"key_period": "3"}, {"projection": "learned", "selection": "sample", "heads": "2", "key_period": "2"}]


@pytest.fixture(params=READINGS, ids=lambda words: "-".join(words) or "values")
def words(request):
    return request.param


def images(policy, random, count=4):
    return random.integers(0, 256, (count, *policy.observation_shape), np.uint8)


def test_it_trains_and_is_saved(words, tmp_path, random):
    task = tmp_path / "task.yaml"
    task.write_text("env: {id: toy}\npolicy: {kind: iap-rank, top: 4}\nsearch: {method: sep-cma-es, population: 8}\n"
                    "train: {generations: 2}\nevaluation: {every: 2, episodes: 2}\n")
    run = saccade.train(task, tmp_path / "run", settings={f"policy.{k}": v for k, v in words.items()})
    policy = run.load()
    assert all(policy.options[k] == v for k, v in words.items()) and policy.options["patch_features"] == "values"
    policy.save(tmp_path / "copy.safetensors")
    copy = saccade.load(tmp_path / "copy.safetensors")
    seen = images(policy, random)
    a, b = (np.stack([state.act(image) for image in seen]) for state in (policy.state(), copy.state()))
    assert np.array_equal(a, b)
    assert len(saccade.evaluate(policy, seeds=range(2)).episodes) == 2


def drawn(**words):
    """A policy of the toy with drawn parameters, also of tensors that start at zero, and its attention."""
    policy = saccade.World("toy").policy("iap-rank", top=4, **words)
    random = np.random.default_rng(5)
    policy = policy.with_parameters(random.uniform(-0.3, 0.3, policy.parameter_count).astype(np.float32))
    return policy, saccade.Attention("relu", key_size=4, feature_count=16, normalise=True)


def planar(gaze):
    return np.ascontiguousarray(gaze.queries.T), np.ascontiguousarray(gaze.keys.T)


def test_a_learned_projection_is_rank_scores(random):
    policy, attention = drawn(projection="learned")
    gaze = policy.attend(images(policy, random)[0])
    queries, keys = planar(gaze)
    weights = 1 + policy.tensors["rank.projection"]
    scores = readings.rank_scores(attention, readings.rank_summary(attention, queries, weights[None]), keys)
    assert np.array_equal(gaze.importance.ravel(), scores[0])


def test_heads_are_multi_head(random):
    policy, attention = drawn(heads="3")
    gaze = policy.attend(images(policy, random)[0])
    assert np.array_equal(gaze.importance.ravel(), saccade.MultiHead([attention] * 3).importance(*planar(gaze)))


def test_kept_keys_are_a_key_database(random):
    policy, attention = drawn(key_period="3")
    state, database = policy.state(), None
    for step, image in enumerate(images(policy, random)):
        state.act(image)
        gaze = state.gaze()
        queries, keys = planar(gaze)
        database = database or readings.KeyDatabase(attention, keys.shape[1], period=3)
        if database.frame():
            assert step % 3 == 0
            database.refresh(keys)
        scores = database.scores(readings.rank_summary(attention, queries), keys.shape[1])
        assert np.array_equal(gaze.importance.ravel(), scores[0])


def test_drawn_patches_come_again_in_every_episode(random):
    for words in ({"selection": "sample"}, {"selection": "tree"}):
        policy, _ = drawn(**words)
        seen, kept = images(policy, random), []
        for _ in range(2):
            policy.reset()
            kept.append([policy.attend(image).top for image in seen])
        assert np.array_equal(kept[0], kept[1])
        assert any(not np.array_equal(a, b) for a, b in zip(kept[0], kept[0][1:]))
