"""Reads a run's TensorBoard events with TensorBoard's own reader and compares them with its metrics.csv and task.yaml,
and asks TensorBoard's HPARAMS tab for the folder that holds the run.

usage: read_events.py RUN; exit code 77 when tensorboard is not installed.
"""
import csv
import math
import os
import sys

try:
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.context import RequestContext
    from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups, metadata
except ImportError:
    sys.exit(77)

run = os.path.abspath(sys.argv[1])
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
derived = {"evaluation/best", "throughput/steps_per_second"}
assert set(events.Tags()["scalars"]) == set(columns) | derived, events.Tags()["scalars"]
with open(f"{run}/metrics.csv") as file:
    rows = list(csv.DictReader(file))
for tag, column in columns.items():
    told = [(e.step, e.value) for e in events.Scalars(tag)]
    written = [(int(r["steps"]), float(r[column])) for r in rows if r[column]]
    assert len(told) == len(written) > 0, (tag, len(told), len(written))
    for (step, value), (expected_step, expected) in zip(told, written):
        # events hold 32-bit floats, the table six decimals
        assert step == expected_step and math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-6), (tag, step)
evaluated = [row for row in rows if row["eval_mean"]]
best = [max(float(row["eval_mean"]) for row in evaluated[:i + 1]) for i in range(len(evaluated))]
assert [e.step for e in events.Scalars("evaluation/best")] == [int(row["steps"]) for row in evaluated]
assert all(math.isclose(e.value, b, rel_tol=1e-6, abs_tol=1e-6) for e, b in zip(events.Scalars("evaluation/best"), best))
rates = events.Scalars("throughput/steps_per_second")
steps = [int(row["steps"]) for row in rows]
# the rows that this process wrote all have a rate; of those before, the rows without an evaluation that took a while do
first = len(rows) - int(sys.argv[2])
assert {e.step for e in rates} <= set(steps) and set(steps[first:]) <= {e.step for e in rates}, [e.step for e in rates]
assert all(e.value > 0 for e in rates)

# the HPARAMS tab over the folder
multiplexer = plugin_event_multiplexer.EventMultiplexer().AddRunsFromDirectory(os.path.dirname(run))
multiplexer.Reload()
provider = data_provider.MultiplexerDataProvider(multiplexer, os.path.dirname(run))
backend, context = backend_context.Context(_Tb := type("TbContext", (), {"data_provider": provider})()), RequestContext()
told = backend.hparams_metadata(context, "")
session = metadata.parse_session_start_info_plugin_data(told[os.path.basename(run)][metadata.SESSION_START_INFO_TAG])
written, section = {}, None
for line in open(f"{run}/task.yaml"):
    key, value = line.rstrip("\n").split(":", 1)
    if not key.startswith(" "):
        section = key
    else:
        written[f"{section}.{key.strip()}"] = value.strip().strip("'\"")
kinds = {"number_value": float, "string_value": str, "bool_value": lambda text: {"true": True, "false": False}[text]}
assert set(session.hparams) == set(written) and len(written) > 20, set(session.hparams) ^ set(written)
for key, value in session.hparams.items():
    kind = value.WhichOneof("kind")
    assert getattr(value, kind) == kinds[kind](written[key]), (key, value, written[key])
assert session.hparams["search.sigma"].WhichOneof("kind") == "number_value"
assert session.hparams["train.common_episodes"].WhichOneof("kind") == "bool_value"
end = metadata.parse_session_end_info_plugin_data(told[os.path.basename(run)][metadata.SESSION_END_INFO_TAG])
assert end.status == api_pb2.STATUS_SUCCESS and end.end_time_secs >= session.start_time_secs
experiment = backend.experiment_from_metadata(context, "", True, told, [])
differing = {info.name for info in experiment.hparam_infos if info.differs}
assert differing == set(sys.argv[3:]), differing
request = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=100, allowed_statuses=[api_pb2.STATUS_SUCCESS])
groups = list_session_groups.Handler(context, backend, "", request).run().session_groups
assert len(groups) == len(told) > 1, groups
for group in groups:
    metrics = {metric.name.tag: metric.value for metric in group.sessions[0].metric_values}
    assert {"evaluation/best", "throughput/steps_per_second"} <= set(metrics), metrics
print(f"{len(rows)} generations, {len(columns) + len(derived)} curves, {len(written)} hyper-parameters, {len(groups)} sessions")
