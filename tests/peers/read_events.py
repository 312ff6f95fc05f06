"""Reads a run's TensorBoard events with TensorBoard's own reader and compares them with its metrics.csv.

usage: read_events.py RUN; exit code 77 when tensorboard is not installed.
"""
import csv
import math
import sys

try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError:
    sys.exit(77)

run = sys.argv[1]
events = EventAccumulator(run, size_guidance={"scalars": 0})
events.Reload()
columns = {
    "population/mean": "mean",
    "population/best": "best",
    "population/std": "std",
    "search/sigma": "sigma",
    "evaluation/mean": "eval_mean",
    "evaluation/std": "eval_std",
}
assert set(events.Tags()["scalars"]) == set(columns), events.Tags()["scalars"]
with open(f"{run}/metrics.csv") as file:
    rows = list(csv.DictReader(file))
for tag, column in columns.items():
    told = [(e.step, e.value) for e in events.Scalars(tag)]
    written = [(int(r["steps"]), float(r[column])) for r in rows if r[column]]
    assert len(told) == len(written) > 0, (tag, len(told), len(written))
    for (step, value), (expected_step, expected) in zip(told, written):
        # events hold 32-bit floats, the table six decimals
        assert step == expected_step and math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-6), (tag, step)
print(f"{len(rows)} generations, {len(columns)} curves")
