"""The package as a whole: docstrings from the headers, memory, size, start, types."""
import gc
import importlib
import inspect
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import pytest
import saccade
from saccade._docs import DOCS

SITE = pathlib.Path(saccade.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["attention", "heads", "policy", "readings", "search", "show", "theory", "tokens", "training", "worlds"]


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def public():
    """(name, object) of everything that people call."""
    for module in MODULES:
        for name, item in vars(importlib.import_module("saccade." + module)).items():
            if name.startswith("_") or getattr(item, "__module__", "") != "saccade." + module:
                continue
            yield f"{module}.{name}", item
            if inspect.isclass(item):
                for part, method in vars(item).items():
                    if not part.startswith("_") and (callable(method) or isinstance(method, (property, classmethod))):
                        yield f"{module}.{name}.{part}", method


def test_a_misspelt_cpu_level_is_refused():
    """The library, which prints nothing, would take the best level in silence."""
    code = """
try:
    import saccade
except ValueError as error:
    print(error)
"""
    assert python(code, SACCADE_CPU="avx3").stdout == "SACCADE_CPU is 'avx3', expected one of: scalar, neon, avx2, avx512\n"
    assert python(code, SACCADE_CPU="scalar").stdout == ""


def test_an_empty_variable_that_names_a_path_is_refused():
    code = """
import saccade
try:
    saccade.World("gym:CartPole-v1")
except saccade.ArgumentError as error:
    print(error)
"""
    for name in ("SACCADE_PYTHON", "SACCADE_MODULES"):
        assert f"{name} is empty, expected " in python(code, **{name: ""}).stdout


def test_everything_is_documented():
    obvious = {"worlds.Worlds.close", "training.on_progress", "tokens.Grid.count", "tokens.Grid.index"}
    silent = [name for name, item in public() if not inspect.getdoc(item) and name not in obvious]
    assert silent == []


def test_docstrings_are_the_headers_own():
    sys.path.insert(0, str(ROOT / "python"))
    try:
        import headers
    finally:
        sys.path.pop(0)
    assert headers.documentation(ROOT / "include") == DOCS
    assert DOCS["sac_attention_importance"].startswith("How much attention each token receives.")
    assert "How much attention each token receives." in saccade.Attention.importance.__doc__
    assert "workspace" not in saccade.Attention.importance.__doc__  # Python brings it along
    declared = set(headers.constants(ROOT / "include"))
    assert all(hasattr(saccade.lib, name) for name in declared)


def test_definitions_have_every_field_of_the_headers():
    """A field that is added to a definition must be added to its class."""
    def fields(struct, *without):
        return {name for name, _ in saccade.ffi.typeof(struct).fields} - {"internal", *without}

    def parameters(target):
        return set(inspect.signature(target).parameters)

    assert parameters(saccade.Attention) == fields("sac_attention_def")
    from saccade import learn, readings

    assert parameters(learn.Fit) - {"policy"} == fields("sac_fit_def")
    assert parameters(learn.Gradient) - {"policy"} == fields("sac_gradient_def")
    assert parameters(readings.KeyDatabase) == fields("sac_key_database_def")
    assert parameters(readings.Trans) == fields("sac_trans", "rows", "projection_stride")
    assert parameters(saccade.uptrain) - {"policy", "env", "variant", "options"} == fields(
        "sac_uptrain_def", "interrupt", "progress", "user")
    assert {f.name for f in saccade.Uptrained.__dataclass_fields__.values()} - {"policy"} == fields("sac_uptrain_result")
    assert {f.name for f in saccade.Progress.__dataclass_fields__.values()} == fields("sac_progress")
    assert {f.name for f in saccade.Run.__dataclass_fields__.values()} - {"path"} == fields("sac_run_summary")
    assert {f.name for f in saccade.Info.__dataclass_fields__.values()} == fields("sac_policy_info", "setting_count")


def test_every_status_is_an_exception():
    names = [name for name in dir(saccade.lib) if name.startswith("SAC_ERROR_")]
    from saccade import _core

    assert {getattr(saccade.lib, name) for name in names} == set(_core._errors)


def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def growth(work, rounds=30):
    """KiB that memory grows by when work is done again and again."""
    for _ in range(10):
        work()
    gc.collect()
    before = resident()
    for _ in range(rounds):
        work()
    gc.collect()
    return resident() - before


def test_memory_does_not_grow(policy_path, random):
    q, image = random.standard_normal((4, 500), np.float32), np.zeros((96, 96, 3), np.uint8)
    attention, world = saccade.Attention("positive", key_size=4), saccade.World("car-racing")

    def create():
        saccade.Attention("hybrid", key_size=64, feature_count=64)
        policy = saccade.load(policy_path)
        policy.attend(image)
        policy.act(image)
        saccade.World("toy").reset(1)
        saccade.Search("cma-es", 50).ask()

    def use():
        for _ in range(20):
            attention.importance(q, q)
            attention.output(q, q, q)
        world.reset(1)
        for _ in range(5):
            world.step([0, 0.1, 0])

    # a leak of one object a round would show: an observation has 27 KiB, a search over 50 numbers 60
    assert growth(create) < 1024
    assert growth(use) < 1024


def test_references_are_given_back():
    q = np.zeros((4, 8), np.float32)
    attention, out = saccade.Attention(key_size=4), np.empty(8, np.float32)
    before = [sys.getrefcount(x) for x in (q, out)]
    for _ in range(100):
        attention.importance(q, q, out=out)
        with pytest.raises(ValueError):
            attention.importance(q, q[:, 1:], out=out)
    assert [sys.getrefcount(x) for x in (q, out)] == before


def test_objects_may_die_in_any_order_at_the_end(policy_path):
    python(f"""
import saccade
policy = saccade.load({str(policy_path)!r})
state, world, search = policy.state(), saccade.World("toy"), saccade.Search("cma-es", 4)
world.reset(1); search.ask()
knot = [state]; knot.append(knot)
raise SystemExit(0)
""")


def test_import_is_fast_and_brings_nothing():
    """In processor time, beside NumPy's own import in the same process: the least of five starts, because the other
    programs of a busy machine slow both."""
    starts = [python("""
import sys, time
begin = time.process_time()
import numpy
middle = time.process_time()
import saccade
end = time.process_time()
print(end - middle, middle - begin, *[m for m in ("gymnasium", "torch", "jax") if m in sys.modules])
""", PYTHONDONTWRITEBYTECODE="").stdout.split() for _ in range(5)]
    own, numpy = (min(float(start[i]) for start in starts) for i in (0, 1))
    print(f"import: {1e3 * own:.1f} ms over NumPy's {1e3 * numpy:.1f} ms")
    assert own < 0.75 * numpy and not any(start[2:] for start in starts)


def test_gymnasium_may_be_imported_before_or_after(gymnasium):
    for code in ("import gymnasium, saccade", "import saccade, gymnasium", "import saccade.gym, gymnasium"):
        python(code + "; gymnasium.make('saccade/Toy-v0').reset(seed=1)")
    python("import gymnasium; gymnasium.make('saccade:saccade/Toy-v0').reset(seed=1)")
    python("import saccade, importlib.util; assert importlib.util.find_spec('gymnasium')\n"  # who only asks where it lies
           "import gymnasium; gymnasium.make('saccade/Toy-v0').reset(seed=1)")


def test_the_wheel_is_small_and_needs_libc_alone():
    wheel = next((SITE.parents[1] / "../wheel").resolve().glob("saccade-*.whl"))
    assert wheel.stat().st_size < 10 * 2**20 and "cp39-abi3-manylinux" in wheel.name
    extension = next(SITE.glob("_saccade*.so"))
    assert extension.name == "_saccade.abi3.so"
    needed = subprocess.run(["readelf", "-d", extension], text=True, check=True, stdout=subprocess.PIPE).stdout
    libraries = {line.split("[")[1].split("]")[0].split(".so")[0] for line in needed.splitlines() if "NEEDED" in line}
    assert {name for name in libraries if not name.startswith("ld-")} <= {"libc", "libm", "libpthread", "libdl"}


def test_the_wheel_installs_fast(tmp_path):
    """In seconds of processor time, pip's own start included."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
        pytest.skip("needs pip (make setup-dev)")
    wheel = next((SITE.parents[1] / "../wheel").resolve().glob("saccade-*.whl"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", tmp_path, wheel],
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"pip install: {seconds:.1f} s of processor time, {wheel.stat().st_size / 1e6:.1f} MB")
    assert (tmp_path / "saccade" / "__init__.py").exists() and seconds < 5


def test_log_lines_arrive(tmp_path):
    """A resume over a damaged checkpoint goes on from the one before, and says so in the log."""
    task, run = ROOT / "tasks/toy.yaml", tmp_path / "run"

    def resume_after_damage(generations):
        newest = max((run / "checkpoints").glob("*.safetensors"))
        content = newest.read_bytes()
        newest.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert saccade.train(task, run, generations=generations, resume=True).generation == generations
        return newest.name

    saccade.train(task, run, generations=2)
    saccade.train(task, run, generations=4, resume=True)
    lines = []
    saccade.set_log(lambda level, line: lines.append((level, line)))
    try:
        damaged = resume_after_damage(6)
    finally:
        saccade.set_log(None)
    assert [level for level, _ in lines] == ["warning"] and damaged in lines[0][1]
    saccade.train(task, run, generations=8, resume=True)
    resume_after_damage(10)
    assert len(lines) == 1  # nobody listens any more


def test_types_are_right():
    try:
        import mypy.api
    except ImportError:
        pytest.skip("needs mypy (scripts/python.sh readers)")
    sources = [str(path) for path in SITE.glob("*.py*") if path.stem != "saccade-worker"]
    sources = [path for path in sources if path + "i" not in sources]  # a stub stands for its module
    out, _, status = mypy.api.run(["--strict", "--no-error-summary", "--cache-dir=/dev/null", *sources])
    assert status == 0, out


def test_a_call_costs_at_most_twelve_calls_of_numpy_over_c():
    """Twelve calls of np.add are five microseconds where one takes 0.42, and more on a slower machine, which is no
    slower saccade. In a process of its own, without what other tests have left in memory: the fastest of many short
    loops, which fit between other programs' turns, of the three in turns, so that all of them see the same machine."""
    said = python("""
import timeit
import numpy as np
import saccade
from saccade._core import ffi, lib, pointer

x, y, out = np.ones((4, 64), np.float32), np.empty((4, 64), np.float32), np.empty(64, np.float32)

def over(call, c):
    functions = call, c, lambda: np.add(x, x, out=y)
    rounds = [[timeit.timeit(function, number=100) / 100 * 1e6 for function in functions] for _ in range(300)]
    return [min(times) for times in zip(*rounds)]

attention = saccade.Attention("relu", key_size=4, feature_count=0)
scratch = ffi.new("float[]", 4096)
workspace = ffi.cast("void *", (int(ffi.cast("uintptr_t", scratch)) + 63) // 64 * 64)
assert lib.sac_attention_workspace_size(attention._handle, 64) <= 4 * 4096 - 64
a, b = pointer(out), pointer(x)
print(*over(lambda: attention.importance(x, x),
            lambda: lib.sac_attention_importance(attention._handle, a, b, b, 64, 64, workspace)))

world = saccade.World("toy")
state, image = world.policy().state(), world.reset(1)
action = np.empty(world.spec.action_size, np.float32)
c, d = pointer(image), pointer(action)
print(*over(lambda: state.act(image), lambda: lib.sac_policy_act(state._handle, c, d)))
""").stdout.splitlines()
    for name, line in zip(("importance", "act"), said):
        call, c, numpy_call = map(float, line.split())
        cost = call - c
        print(f"a call: {name} {cost:.1f} us over C, {cost / numpy_call:.1f} calls of np.add of {numpy_call:.2f} us")
        assert cost <= 12 * numpy_call
    assert len(said) == 2
