#!/usr/bin/env python3
"""Write the seeds of tests/fuzz/corpus: good files and one for each way of being wrong. Needs the standard library
alone, and tests/golden/data."""
import gzip
import json
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent
CORPUS = HERE / "corpus"
DATA = HERE.parent / "golden" / "data"


def put(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def tensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def one(dtype="F32", shape=(1,), begin=0, end=4):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def without_or_more(header, data, entries, bad):
    """A file of tensors without each of these entries of its metadata, with a bad one, and with a tensor more."""
    seeds = {}
    for name in entries:
        out = json.loads(json.dumps(header))
        del out["__metadata__"][name]
        seeds["without_" + name] = tensors(out, data)
        out["__metadata__"][name] = bad
        seeds["bad_" + name] = tensors(out, data)
    out = json.loads(json.dumps(header))
    out["more"] = one(shape=(0,), begin=len(data), end=len(data))
    seeds["more_tensors"] = tensors(out, data)
    return seeds


def wad():
    def file(lumps, kind=b"PWAD", count=None, directory=None):
        body = b"".join(data for _, data in lumps)
        entries, at = b"", 12
        for name, data in lumps:
            entries += struct.pack("<ii8s", at, len(data), name)
            at += len(data)
        head = struct.pack("<4sII", kind, len(lumps) if count is None else count, at if directory is None else directory)
        return head + body + entries

    seeds = {
        "good": file([(b"MAP01", b""), (b"TEXTMAP", b"heightceiling = 104;"), (b"LONGNAME", b"\0\1")]),
        "iwad": file([(b"A", b"= 104= 104")], b"IWAD"),
        "empty": file([]),
        "no_kind": file([], b"ZWAD"),
        "short": b"PWAD\0\0",
        "count_beyond": file([(b"A", b"x")], count=2),
        "count_huge": file([], count=2**32 - 1),
        "directory_beyond": file([(b"A", b"x")], directory=1000),
        "directory_huge": file([(b"A", b"x")], directory=2**32 - 1),
        "lump_beyond": b"PWAD" + struct.pack("<IIii8s", 1, 12, 20, 100, b"A"),
        "lump_negative": b"PWAD" + struct.pack("<IIii8s", 1, 12, -1, -1, b"A"),
        "overlap": b"PWAD" + struct.pack("<IIii8sii8s", 2, 12, 0, 44, b"A", 0, 44, b"B"),
    }
    for name, data in seeds.items():
        put("wad", name, data)


def safetensors():
    four, eight = bytes(4), bytes(8)
    seeds = {
        "good": tensors({"__metadata__": {"k": "v"}, "a": one(), "b": one("U8", (2, 2), 4, 8)}, eight),
        "empty": tensors({}),
        "scalar": tensors({"a": one(shape=())}, four),
        "no_elements": tensors({"a": one(shape=(0, 3), end=0)}),
        "short": b"\0\0\0",
        "header_beyond_file": tensors({}, length=1000),
        "header_huge": tensors({}, length=2**64 - 1),
        "header_beyond_limit": tensors({}, length=2**23),
        "no_brace": tensors(b" {}"),
        "bad_json": tensors(b'{"a":'),
        "after_json": tensors(b"{}x"),
        "deep_json": tensors(b'{"a":' * 3000),
        "bad_utf8": tensors(b'{"\xff":1}'),
        "dtype_unknown": tensors({"a": one("BF16", (2,))}, four),
        "dtype_no_text": tensors({"a": one(7)}, four),
        "shape_negative": tensors({"a": one(shape=(-1,))}, four),
        "shape_overflow": tensors({"a": one(shape=(2**62, 4), end=0)}),
        "shape_hidden_overflow": tensors({"a": one(shape=(0, 2**62, 4), end=0)}),
        "shape_real": tensors({"a": one(shape=(1.0,))}, four),
        "shape_long": tensors({"a": one(shape=[1] * 9)}, four),
        "shape_mismatch": tensors({"a": one(shape=(2,))}, four),
        "offsets_backwards": tensors({"a": one(begin=4, end=0)}, four),
        "offsets_negative": tensors({"a": one(begin=-4, end=0)}, four),
        "offsets_beyond": tensors({"a": one(shape=(2,), end=8)}, four),
        "offsets_three": tensors({"a": dict(one(), data_offsets=[0, 4, 8])}, eight),
        "hole_first": tensors({"a": one(begin=4, end=8)}, eight),
        "hole_between": tensors({"a": one(), "b": one(begin=8, end=12)}, eight + four),
        "overlap": tensors({"a": one(shape=(2,), end=8), "b": one(begin=4, end=8)}, eight),
        "same_place": tensors({"a": one(), "b": one()}, four),
        "twice": tensors(json.dumps({"a": one(), "b": one(begin=4, end=8)}).replace('"b"', '"a"').encode(), eight),
        "truncated": tensors({"a": one()}, bytes(3)),
        "trailing": tensors({"a": one()}, bytes(5)),
        "metadata_number": tensors({"__metadata__": {"k": 1}}),
        "metadata_list": tensors({"__metadata__": ["k"]}),
        "metadata_twice": tensors(b'{"__metadata__":{"k":"1","k":"2"}}'),
        "entry_number": tensors({"a": 1}),
        "entry_more": tensors({"a": dict(one(), more=1)}, four),
    }
    for name, data in seeds.items():
        put("safetensors", name, data)
    put("safetensors", "python", (DATA / "arrays.safetensors").read_bytes())


def npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", data=bytes(8), version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + data


def archive(members):
    body, directory = b"", b""
    for name, data, method in members:
        packed = zlib.compress(data, 9)[2:-4] if method == 8 else data
        sizes = struct.pack("<HHHHHIII", 20, 0, method, 0, 0, zlib.crc32(data), len(packed), len(data))
        names = struct.pack("<H", len(name))
        directory += b"PK\1\2" + struct.pack("<H", 20) + sizes + names + bytes(12) + struct.pack("<I", len(body))
        directory += name.encode()
        body += b"PK\3\4" + sizes + names + bytes(2) + name.encode() + packed
    counts = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + counts


def npz():
    good = archive([("a.npy", npy(), 0), ("b.npy", npy(), 8)])
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': %s}"
    seeds = {
        "good": good,
        "empty": archive([]),
        "cut": good[:-30],
        "comment": good[:-2] + b"\5\0hello",
        "volumes": good[:-18] + b"\1" + good[-17:],
        "twice": archive([("a.npy", npy(), 0), ("a.npy", npy(), 0)]),
        "other_member": archive([("a.txt", b"text", 0)]),
        "bzip2": archive([("a.npy", npy(), 12)]),
        "bad_crc": good.replace(b"\x93NUMPY\1\0", b"\x93NUMPY\1\1"),
        "npy_v1": npy(),
        "npy_v2": npy(version=2),
        "npy_v3": npy(version=3),
        "npy_scalar": npy(header % ("<f8", "False", "()")),
        "npy_matrix": npy(header % ("|u1", "False", "(2, 4)")),
        "npy_fortran": npy(header % ("<f4", "True", "(2,)")),
        "npy_object": npy(header % ("|O", "False", "(1,)")),
        "npy_big_endian": npy(header % (">f4", "False", "(2,)")),
        "npy_overflow": npy(header % ("<f4", "False", "(4611686018427387904, 4)")),
        "npy_negative": npy(header % ("<f4", "False", "(-2,)")),
        "npy_mismatch": npy(header % ("<f4", "False", "(3,)")),
        "npy_long_header": b"\x93NUMPY\1\0\xff\xff{}",
        "npy_record": npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
    }
    for name, data in seeds.items():
        put("npz", name, data)
    put("npz", "numpy_stored", (DATA / "arrays_stored.npz").read_bytes())
    put("npz", "numpy_deflated", (DATA / "arrays_deflated.npz").read_bytes())


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(width=2, height=2, depth=8, colour=2, interlace=0, rows=b"\0\1\2\3\4\5\6" * 2, before=b""):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + before + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def png():
    seeds = {
        "good": picture(),
        "interlaced": picture(interlace=1, rows=b"\0\1\2\3" * 2 + b"\0\1\2\3\4\5\6"),
        "gamma": picture(before=chunk(b"gAMA", struct.pack(">I", 100000))),
        "transparent_colour": picture(before=chunk(b"tRNS", b"\0\1\0\2\0\3")),
        "no_palette": picture(colour=3, rows=b"\0\1\2" * 2),
        "short_palette": picture(colour=3, rows=b"\0\1\2" * 2, before=chunk(b"PLTE", b"\1\2\3")),
        "grey_16": picture(depth=16, colour=0, rows=b"\0\1\2\3\4" * 2),
        "rows_missing": picture(rows=b"\0\1\2\3\4\5\6"),
        "rows_too_many": picture(rows=b"\0\1\2\3\4\5\6" * 9),
        "bad_filter": picture(rows=b"\7\1\2\3\4\5\6" * 2),
        "huge": picture(width=2**31 - 1, height=2**31 - 1),
        "large": picture(width=1 << 16, height=2),
        "no_pixels": picture(width=0),
        "bad_depth": picture(depth=3),
        "bad_crc": picture().replace(b"IDAT", b"IDAU"),
        "cut": picture()[:-20],
        "signature": b"\x89PNG\r\n\x1a\n",
        "empty": b"",
    }
    for name, data in seeds.items():
        put("png", name, data)
    for path in DATA.glob("png_*.png"):
        put("png", path.stem, path.read_bytes())


def idx():
    def file(*sizes, data=None, zeros=b"\0\0", kind=8, rank=None):
        count = 1
        for size in sizes:
            count *= size
        head = zeros + bytes([kind, len(sizes) if rank is None else rank])
        return head + b"".join(struct.pack(">I", size) for size in sizes) + (bytes(range(count)) if data is None else data)

    good = file(2, 3, 4)
    packed = gzip.compress(good, mtime=0)
    seeds = {
        "good": good,
        "labels": file(5),
        "colours": file(1, 2, 2, 3),
        "empty": b"",
        "short": b"\0\0\x08",
        "no_zeros": file(2, zeros=b"\1\0"),
        "floats": file(2, kind=13),
        "no_rank": file(rank=0),
        "rank_5": file(1, 1, 1, 1, 1),
        "header_cut": file(rank=3),
        "size_zero": file(0, 3),
        "size_huge": file(2**32 - 1, data=b""),
        "overflow": file(2**31 - 1, 2**31 - 1, 2**31 - 1, data=b""),
        "cut": good[:-1],
        "trailing": good + b"x",
        "packed": packed,
        "packed_cut": packed[:-9],
        "packed_trailing": packed + b"x",
        "packed_checksum": packed[:-8] + b"\0" * 8,
        "packed_bomb": gzip.compress(file(2**31 - 1, data=b""), mtime=0),
        "packed_short": gzip.compress(b"\0\0", mtime=0),
        "packed_more": gzip.compress(good + b"x", mtime=0),
        "packed_less": gzip.compress(good[:-1], mtime=0),
        "gzip_start": b"\x1f\x8b",
        "packed_members": gzip.compress(good[:3], mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(good[3:], mtime=0),
        "packed_members_cut": packed + gzip.compress(b"", mtime=0)[:-1],
        "packed_members_more": packed + packed,
    }
    for name, data in seeds.items():
        put("idx", name, data)


def cifar():
    record = bytes([9]) + bytes(3072)
    seeds = {
        "good": record * 2,
        "label": bytes([10]) + bytes(3072),
        "second_label": record + bytes([255]) + bytes(3072),
        "empty": b"",
        "cut": record[:-1],
        "trailing": record + b"x",
    }
    for name, data in seeds.items():
        put("cifar", name, data)


def csv():
    seeds = {
        "good": "\3-1,0.5,0\n1,1e-3,.25\n",
        "crlf": "\2 1 ,\t2\r\n3,4",
        "empty": "\3",
        "nan": "\1nan\n",
        "infinite": "\0011e99\n",
        "hex": "\0010x10\n",
        "few_columns": "\0031,2\n",
        "many_columns": "\0021,2,3\n",
        "empty_cell": "\0031,,3\n",
        "empty_line": "\0011\n\n2\n",
        "header": "\3steer,gas,brake\n0,0,0\n",
        "zero_byte": "\0011\0\n",
        "long_number": "\1" + "1" * 100 + "\n",
        "many_rows": "\1" + "1\n" * 1001,
        "wide": "\xff".encode("latin1") + b"1,2\n",
        "no_text": b"\1\xff\xfe\n",
    }
    for name, data in seeds.items():
        put("csv", name, data)


def table():
    seeds = {
        "good": "a,b\n1,2\n",
        "crlf": "a,b\r\n1,\r\n,2",
        "empty": "",
        "line": "\n",
        "more": "a\n1,2\n",
        "fewer": "a,b,c\n1\n",
        "zero_byte": "a,b\n1,\0002\n",
        "wide": "," * 20000 + "\n",
        "worlds": "policy,environment,kept,variant,episodes,mean,std,article_mean,article_std\n"
                  "p,toy,4,original,8,1.5,2,,\n",
    }
    for name, data in seeds.items():
        put("table", name, data)


def yaml():
    task = """# a task
env: {id: car-racing, rules: 'v3'}
policy:
  kind: attention-agent
  attention: softmax
train:
  stages:
    - {above: 100, episodes: 2}
    - above: 800
      episodes: 4
note: "two\\nlines"
text: |
  block
folded: >-
  of
  lines
empty:
"""
    seeds = {
        "task": task,
        "empty": "",
        "comment": "# nothing\n",
        "twice": "a: 1\nb: 2\na: 3\n",
        "twice_below": "a:\n  b: 1\n  b: 2\n",
        "value_and_map": "a: 1\na: {b: 2}\n",
        "anchor": "a: &x 1\nb: *x\n",
        "alias": "a: *x\n",
        "bomb": "a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        "tag": "a: !!int 1\n",
        "local_tag": "a: !x {}\n",
        "merge": "a: {b: 1}\nc: {<<: *a}\n",
        "deep": "a: " + "{b: " * 9 + "1" + "}" * 9 + "\n",
        "very_deep": "[" * 5000,
        "list": "- a\n- b\n",
        "word": "word\n",
        "documents": "a: 1\n---\nb: 2\n",
        "directive": "%YAML 1.1\n---\na: 1\n",
        "dotted": "a.b: 1\n",
        "empty_key": "'': 1\n",
        "list_key": "? [a]\n: 1\n",
        "zero": 'a: "x\\0y"\n',
        "unclosed": "a: [1, 2\n",
        "quote": 'a: "b\n',
        "tab": "\ta: 1\n",
        "utf8": b"a: \xff\n",
        "utf16": "a: 1\n".encode("utf-16"),
        "bom": b"\xef\xbb\xbfa: 1\n",
        "long_key": "k" * 300 + ": 1\n",
        "many": "".join(f"k{i}: 1\n" for i in range(1025)),
        "digits": "a: {0: x, b: y}\n",
    }
    for name, data in seeds.items():
        put("yaml", name, data)


def options():
    seeds = {
        "good": "text=any thing\nyes=false\nwhole=-5\nseed=18446744073709551614\nreal=-1.5e-300\nword=two\n",
        "missing": "yes=true\n",
        "unknown": "text=\nwhle=3\n",
        "range": "text=\nwhole=1000001\n",
        "overflow": "text=\nwhole=4294967303\n",
        "seed_negative": "text=\nseed=-1\n",
        "seed_last": "text=\nseed=18446744073709551615\n",
        "real_nan": "text=\nreal=nan\n",
        "real_hex": "text=\nreal=0x1p3\n",
        "two_words": "text=\nword=one two\n",
        "part_of_word": "text=\nword=on\n",
        "long_text": "text=" + "x" * 256,
        "longest_text": "text=" + "x" * 255,
        "blank": "text=\nwhole= 7\n",
    }
    for name, data in seeds.items():
        put("options", name, data)


def policy():
    """From corpus/policy/agent_lstm, which `saccade train tasks/toy.yaml` wrote.

    mlp_state and agent_parts take other parts than one picture, and levels is of kind hierarchical; `saccade train`
    wrote them, too (policy.inputs).
    """

    def split(name):
        source = (CORPUS / "policy" / name).read_bytes()
        size = struct.unpack("<Q", source[:8])[0]
        return source, json.loads(source[8 : 8 + size]), source[8 + size :]

    source, header, data = split("agent_lstm")
    _, levels_header, levels_data = split("levels")

    def changed(metadata, header=header, data=data, **changes):
        out = json.loads(json.dumps(header))
        inner = json.loads(out["__metadata__"][metadata])
        for key, value in changes.items():
            (inner["settings"] if key in inner["settings"] else inner)[key] = value
        out["__metadata__"][metadata] = json.dumps(inner)
        return tensors(out, data)

    seeds = {
        "checksum": source[:-1] + bytes([source[-1] ^ 1]),
        "not_finite": source[:-4] + b"\xff\xff\xff\x7f",
        "cut": source[:-1],
        "kind_unknown": changed("policy", kind="attention-agnet"),
        "patch_text": changed("policy", patch="seven"),
        "patch_number": changed("policy", patch=7),
        "patch_large": changed("policy", patch="33"),
        "hidden_other": changed("policy", hidden="3"),
        "hidden_large": changed("policy", hidden="1000000"),
        "top_large": changed("policy", top="1000"),
        "height_negative": changed("policy", height=-1),
        "height_large": changed("policy", height=2**31 - 1, width=2**31 - 1),
        "height_beyond": changed("policy", height=2**40),
        "channels_none": changed("policy", channels=0),
        "actions_many": changed("policy", action_size=1 << 30),
        "actions_few": changed("policy", action_low=[-1]),
        "actions_swapped": changed("policy", action_low=[1, 1], action_high=[-1, -1]),
        "choices": changed("policy", action_choices=3),
        "settings_list": changed("policy", settings=[1, 2]),
        "info_number": changed("info", environment=7),
        "info_seed": changed("info", seed="-1"),
    }
    for name, option, value in (
        ("kind", "high.kind", "iap-trans"),
        ("kind_own", "high.kind", "hierarchical"),
        ("parts", "high.parts", "state camera state"),
        ("parts_none", "high.parts", "camra"),
        ("times", "shortest", "1000000"),
        ("latent", "latent", "256"),
        ("large", "high.top", "128"),
        ("low", "low.controller", "lstm"),
    ):
        seeds["levels_" + name] = changed("policy", levels_header, levels_data, **{option: value})
    seeds |= without_or_more(header, data, ("policy", "info", "format", "version", "checksum"), "[1")
    for name, data in seeds.items():
        put("policy", name, data)


def task():
    source = (HERE.parent.parent / "tasks" / "toy.yaml").read_text()
    seeds = {
        "toy": source,
        "car_racing": (HERE.parent.parent / "tasks" / "car-racing.yaml").read_text(),
        "small": "env: {id: toy}\npolicy: {kind: attention-agent}\nsearch: {method: sep-cma-es}\n",
        "empty": "",
        "no_policy": "env: {id: toy}\nsearch: {method: sep-cma-es}\n",
        "unknown_env": source.replace("id: toy", "id: toi"),
        "unknown_kind": source.replace("attention-agent", "attention-agnet"),
        "levels": "env: {id: toy}\npolicy: {kind: hierarchical, high: {kind: cnn, conv_pool: 2}, low: {hidden: 3}}\n"
        "search: {method: ars}\n",
        "levels_scalar": "env: {id: toy}\npolicy: {kind: hierarchical, high: cnn}\nsearch: {method: ars}\n",
        "levels_twice": "env: {id: toy}\npolicy: {kind: hierarchical, high: {rows: 3}, high.kind: iap-trans}\n"
        "search: {method: ars}\n",
        "levels_list": "env: {id: toy}\npolicy: {kind: hierarchical, high: [{kind: cnn}]}\nsearch: {method: ars}\n",
        "unknown_option": source.replace("hidden:", "hiden:"),
        "unknown_section": source.replace("train:", "trian:"),
        "bad_value": source.replace("hidden: 8", "hidden: eight"),
        "out_of_range": source.replace("population: 32", "population: -1"),
        "scalar_section": "env: toy\npolicy: 1\nsearch: 2\n",
        "list_section": "env: [toy]\npolicy: {kind: attention-agent}\nsearch: {method: sep-cma-es}\n",
        "stages": source.replace("generations: 60", "generations: 60\n  stages:\n    - {above: 1, patience: 3}"),
        "stages_no_list": source.replace("generations: 60", "generations: 60\n  stages: {above: 1}"),
        "stage_empty": source.replace("generations: 60", "generations: 60\n  stages: [{patience: 3}]"),
        "stage_deep": source.replace("generations: 60", "generations: 60\n  stages: [[1]]"),
        "variant": source.replace("id: toy", "id: car-racing\n  variant: video=film.mp4"),
        "start": source.replace("generations: 60", "start: policy.safetensors"),
        "twice": source + "train: {generations: 1}\n",
        "long": source.replace("generations: 60", "start: " + "x" * 300),
    }
    for name, data in seeds.items():
        put("task", name, data)


def recipe():
    source = """start: zoo/toy/other.safetensors
parts:
  - run: first
    task: tasks/toy.yaml
    generations: 4
    steps: 300
    vector: mean
    set: {search: {sigma: 0.05}, train.seed: 3}
  - run: linear
    uptrain: {attention: relu, frames: 512, match-rounds: 2, random: true}
    steps: 512
  - run: student
    task: tasks/taught.yaml
    generations: 2
    steps: 5
    teacher: linear
    start: first
verified: {date: 2026-11-26, parameters: 0123456789abcdef}
scores:
  - {variant: original, mean: 7.5, std: 1}
""".replace("train.seed: 3", "train: {seed: 3}")
    alone = "parts: [{run: a, uptrain: {attention: exp}, steps: 1}]\n"
    seeds = {
        "good": source,
        "empty": "",
        "alone": "start: a.safetensors\n" + alone,
        "from_nothing": alone,
        "start_nothing": "start: a.safetensors\n" + alone.replace("run: a", "run: a, start: nothing"),
        "unknown_option": source.replace("frames:", "frame:"),
        "bad_map": source.replace("relu", "rleu"),
        "few_frames": source.replace("512, match", "511, match"),
        "no_attention": source.replace("attention: relu, ", ""),
        "one_value": source.replace("{attention: relu, frames: 512, match-rounds: 2, random: true}", "relu"),
        "empty_map": source.replace("{attention: relu, frames: 512, match-rounds: 2, random: true}", "{}"),
        "two_levels": source.replace("relu", "{relu: 1}"),
        "with_task": source.replace("steps: 512", "steps: 512\n    task: tasks/toy.yaml"),
        "with_vector": source.replace("steps: 512", "steps: 512\n    vector: best"),
        "with_set": source.replace("steps: 512", "steps: 512\n    set: {search: {sigma: 1}}"),
        "with_teacher": source.replace("steps: 512", "steps: 512\n    teacher: first"),
        "later_start": source.replace("start: first", "start: student"),
        "no_teacher": source.replace("teacher: linear", "teacher: nobody"),
        "no_task": source.replace("    task: tasks/toy.yaml\n", ""),
        "no_steps": source.replace("    steps: 300\n", ""),
        "no_parts": "start: a.safetensors\n",
        "parts_word": "parts: 3\n",
        "parts_many": "start: a\nparts: [" + ", ".join(
            "{run: r%d, uptrain: {attention: exp}, steps: 1}" % i for i in range(9)) + "]\n",
        "run_twice": source.replace("run: linear", "run: first"),
        "run_folder": source.replace("run: first", "run: ../first"),
        "steps_huge": source.replace("steps: 512", "steps: 18446744073709551614"),
        "seed_early": source.replace("frames: 512", "from: 999999"),
        "long_run": source.replace("first", "x" * 250),
        "bad_score": source.replace("std", "spread"),
    }
    for name, data in seeds.items():
        put("recipe", name, data)


def fit_task():
    source = (HERE.parent / "train" / "pictures_fit.yaml").read_text()
    seeds = {
        "good": source,
        "small": "net: {kind: resnet}\n",
        "empty": "",
        "attention": "net: {kind: attention-net, encoding: relative, heads: 4, dropout: 0.1}\n",
        "vit": "net: {kind: vit, attention: trig, features: 8}\ntrain: {optimiser: adamw, schedule: constant}\n",
        "falls": source + "  schedule: falls\n  falls: 80 150 250\n",
        "falls_commas": source + "  schedule: falls\n  falls: 80, 150,250 \n",
        "falls_many": source + "  schedule: falls\n  falls: 1 2 3 4 5 6 7 8 9\n",
        "falls_large": source + "  schedule: falls\n  falls: 99999999999999999999\n",
        "falls_word": source + "  schedule: falls\n  falls: 8 nine\n",
        "falls_none": source + "  schedule: falls\n",
        "falls_unused": source + "  falls: 8\n",
        "no_kind": "net: {width: 16}\n",
        "unknown_kind": source.replace("resnet", "resnt"),
        "kind_twice": source + "net.kind: vit\n",
        "other_kind": source.replace("resnet", "vit"),
        "unknown_option": source.replace("width:", "widht:"),
        "unknown_section": source.replace("train:", "trian:"),
        "bad_value": source.replace("width: 16", "width: sixteen"),
        "out_of_range": source.replace("width: 16", "width: 1025"),
        "scalar_section": "net: resnet\ndata: 1\n",
        "list_section": "net: [resnet]\n",
        "long": source.replace("stripes", "x" * 300, 2),
        "policy": (HERE.parent.parent / "tasks" / "toy.yaml").read_text(),
    }
    for name, data in seeds.items():
        put("fit_task", name, data)


def net():
    """From tests/golden/data/net_v2.safetensors, which `saccade fit` wrote. It wrote attention and vit, too,
    after one epoch."""
    source = (DATA / "net_v2.safetensors").read_bytes()
    size = struct.unpack("<Q", source[:8])[0]
    header, data = json.loads(source[8 : 8 + size]), source[8 + size :]

    def changed(old="", new="", **entries):
        """Another task, or other numbers of an array."""
        out, bytes_ = json.loads(json.dumps(header)), bytearray(data)
        out["__metadata__"]["task"] = out["__metadata__"]["task"].replace(old, new)
        for name, numbers in entries.items():
            begin, end = out[name.replace("_", ".")]["data_offsets"]
            form = {"I64": "q", "F64": "d", "F32": "f"}[out[name.replace("_", ".")]["dtype"]]
            packed = struct.pack(f"<{len(numbers)}{form}", *numbers)
            bytes_[begin : begin + len(packed)] = packed
            assert begin + len(packed) <= end
        return tensors(out, bytes(bytes_))

    nan = float("nan")
    seeds = {
        "good": source,
        "cut": source[:-1],
        "checksum": source[:-1] + bytes([source[-1] ^ 1]),
        "policy": (DATA / "policy_v1.safetensors").read_bytes(),
        "rows_none": changed(input=[0]),
        "rows_negative": changed(input=[-1]),
        "rows_huge": changed(input=[2**62, 2**62]),
        "rows_other": changed(input=[9]),
        "rows_most": changed(input=[4096, 4096]),
        "channels_two": changed(input=[8, 8, 2]),
        "channels_many": changed(input=[8, 8, 5]),
        "classes_one": changed(classes=[1]),
        "classes_many": changed(classes=[2**40]),
        "classes_other": changed(classes=[5]),
        "mean_nan": changed(view=[nan]),
        "deviation_none": changed(view=[0, 0, 0, 0, 0]),
        "deviation_negative": changed(view=[0, 0, 0, 0, -1]),
        "deviation_tiny": changed(view=[0, 0, 0, 0, 5e-324]),
        "weight_nan": changed(linear_bias=[nan]),
        "weight_huge": changed(linear_bias=[3e38, -3e38]),
        "measured_infinite": changed(measured=[float("inf")]),
        "measured_negative": changed(measured=[-3e38] * 54),
        "width_other": changed("width: 3", "width: 4"),
        "width_large": changed("width: 3", "width: 1024"),
        "stages_more": changed("stages: 2", "stages: 3"),
        "blocks_many": changed("blocks: 1", "blocks: 32"),
        "kind_other": changed("kind: resnet", "kind: vit"),
        "kind_unknown": changed("kind: resnet", "kind: resnt"),
        "attention_large": changed("kind: resnet\n  width: 3\n  blocks: 1\n  stages: 2",
                                   "kind: attention-net\n  patch: 1\n  heads: 64\n  width: 4096", input=[4096, 4096]),
        "task_no_yaml": changed("data:", "data: ["),
        "batch_large": changed("batch: 20", "batch: 65536"),
    }
    seeds |= without_or_more(header, data, ("format", "version", "checksum", "task"), "1")
    seeds["attention_overflows"] = overflowing((CORPUS / "net" / "attention").read_bytes())
    for name, data in seeds.items():
        put("net", name, data)


def overflowing(source):
    """A net whose numbers are finite, and too large for the queries and keys that it makes of them."""
    size = struct.unpack("<Q", source[:8])[0]
    header, data = json.loads(source[8 : 8 + size]), bytearray(source[8 + size :])
    for name in ("embedding.weight", "layer0.queries_keys.weight"):
        begin, end = header[name]["data_offsets"]
        numbers = struct.unpack(f"<{(end - begin) // 4}f", data[begin:end])
        data[begin:end] = struct.pack(f"<{len(numbers)}f", *(1e35 * number for number in numbers))
    return tensors(header, bytes(data))


def demonstrations():
    """One episode of two frames of a picture of 1 x 2 pixels, and one for each way of being wrong."""
    def part(name="camera", kind="picture", shape=(1, 2, 3), choices=0, low=None, high=None):
        return {"name": name, "kind": kind, "shape": list(shape), "choices": choices, "low": low, "high": high,
                "privileged": False}

    arrays = {  # name: (type, shape, bytes), the widest first
        "rewards": ("F64", [2], struct.pack("<2d", 1, 2)),
        "returns": ("F64", [1], struct.pack("<d", 3)),
        "lengths": ("I64", [1], struct.pack("<q", 2)),
        "seeds": ("I64", [1], struct.pack("<q", 5)),
        "actions": ("F32", [2, 1], struct.pack("<2f", 0.5, -0.5)),
        "observation.camera": ("U8", [2, 1, 2, 3], bytes(range(12))),
        "terminated": ("U8", [1], b"\1"),
        "truncated": ("U8", [1], b"\0"),
    }
    world = {"environment": "toy", "variant": "", "version": "0", "seed": "0", "generation": 0, "score": 3.0,
             "score_std": 0.0, "score_episodes": 1, "settings": {}}
    texts = {"format": "saccade demonstrations", "version": "1", "checksum": "0" * 16, "driver": "seed",
             "parts": [part()], "action": [part("action", "vector", (1, 1, 1), low=[-1.0], high=[1.0])],
             "world": world}

    def file(arrays=arrays, **changes):
        header = {"__metadata__": {key: value if isinstance(value, str) else json.dumps(value)
                                   for key, value in {**texts, **changes}.items() if value is not None}}
        data = b""
        for name, (dtype, shape, content) in arrays.items():
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
            data += content
        text = json.dumps(header).encode()
        return tensors(text + b" " * (-len(text) % 8), data)

    def other(name, dtype, shape, content):
        return file({**arrays, name: (dtype, shape, content)})

    put("demonstrations", "good", file())
    put("demonstrations", "choice", file({**arrays, "actions": ("F32", [2, 1], struct.pack("<2f", 0, 2))},
                                         action=[part("action", "choice", (0, 0, 0), 3)]))
    seeds = {
        "choice_beyond": file(action=[part("action", "choice", (0, 0, 0), 3)]),
        "no_parts": file(parts=[]),
        "parts_text": file(parts="[1"),
        "two_actions": file(action=[part("a", "vector", (1, 1, 1)), part("b", "vector", (1, 1, 1))]),
        "action_picture": file(action=[part("action")]),
        "part_unknown": file(parts=[part("other")]),
        "part_shape": file(parts=[part(shape=(2, 2, 3))]),
        "part_huge": file(parts=[part(shape=(16384, 16384, 64))]),
        "no_world": file(world=None),
        "no_driver": file(driver=None),
        "world_list": file(world=[]),
        "version_other": file(version="9"),
        "lengths_more": other("lengths", "I64", [1], struct.pack("<q", 3)),
        "lengths_less": other("lengths", "I64", [1], struct.pack("<q", 1)),
        "lengths_zero": other("lengths", "I64", [1], struct.pack("<q", 0)),
        "lengths_negative": other("lengths", "I64", [1], struct.pack("<q", -(2**63))),
        "lengths_none": other("lengths", "I64", [0], b""),
        "seed_negative": other("seeds", "I64", [1], struct.pack("<q", -2)),
        "action_nan": other("actions", "F32", [2, 1], struct.pack("<2f", float("nan"), 0)),
        "end_two": other("terminated", "U8", [1], b"\2"),
        "rewards_short": other("rewards", "F64", [1], struct.pack("<d", 1)),
        "unaligned": file({"truncated": arrays["truncated"], **arrays}),
    }
    for name, data in seeds.items():
        put("demonstrations", name, data)


def action():
    seeds = {
        "good": "\2" + "0.4654 -0.0703 1.0000",
        "line_feed": "\0" + "-0\n",
        "two_line_feeds": "\0" + "1\n\n",
        "two_spaces": "\1" + "1  2",
        "five_decimals": "\0" + "0.12345",
        "few": "\2" + "1 2",
        "many": "\0" + "1 2",
        "nan": "\0" + "nan",
        "hex": "\0" + "0x10",
        "exponent": "\0" + "1e3",
        "long": "\0" + "9" * 15 + ".1234",
        "too_long": "\0" + "9" * 16,
        "empty": "\3",
        "escape": "\0" + "\x1b[2J",
    }
    for name, data in seeds.items():
        put("action", name, data)


def words():
    """Embeddings of a picture of 1 x 2 patches and of two texts, two numbers each, and each way of being wrong."""
    def made(patches=(1, 1, 2, 2), texts=(2, 2), names="red ball\nblue box", dtype="F32", first=0.5):
        bytes_, header = b"", {}
        for name, shape in (("patches", patches), ("texts", texts)):
            count = 1
            for side in shape:
                count *= side
            data = struct.pack(f"<{count}f", first, *[0.25 * i for i in range(count - 1)]) if count else b""
            header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(bytes_), len(bytes_) + len(data)]}
            bytes_ += data
        if names is not None:
            header["__metadata__"] = {"texts": names}
        return tensors(header, bytes_)

    good = made()
    seeds = {
        "good": good,
        "cut": good[:-1],
        "line_end": made(names="red ball\nblue box\n"),
        "names_none": made(names=None),
        "names_empty": made(names=""),
        "names_few": made(names="red ball"),
        "names_many": made(names="red ball\nblue box\ngreen cone"),
        "size_other": made(texts=(2, 3)),
        "rank_other": made(patches=(1, 2, 2)),
        "none": made(patches=(0, 1, 2, 2)),
        "integers": made(dtype="I32"),
        "nan": made(first=float("nan")),
        "huge": made(first=3e38),
        "texts_alone": tensors({"texts": one(shape=(1, 1))}, bytes(4)),
    }
    for name, data in seeds.items():
        put("words", name, data)


def cloud():
    """A depth picture of 8 x 8 pixels with a wall at 1 m and a thing before it, and each way of being wrong."""
    upright = [1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3]

    def made(sides=(8, 8), dtype="F32", nearest=0.5, camera=(8, 8, 3.5, 3.5), pose=upright, more=None):
        count = sides[0] * sides[1] if len(sides) == 2 else 1
        depth = [nearest if 9 <= i < 12 else 1.0 for i in range(count)]
        arrays = {"depth": (dtype, "f", sides, depth), "intrinsics": ("F64", "d", (len(camera),), camera)}
        if pose is not None:
            arrays["pose"] = ("F64", "d", (len(pose) // 4, 4), pose)
        if more:
            arrays[more] = ("F64", "d", (1,), (1,))
        header, data = {}, b""
        for name, (kind, letter, shape, numbers) in arrays.items():
            packed = struct.pack(f"<{len(numbers)}{letter}", *numbers)
            header[name] = one(kind, shape, len(data), len(data) + len(packed))
            data += packed
        return tensors(header, data)

    def posed(at, number):
        return made(pose=upright[:at] + [number] + upright[at + 1:])

    good, inf, nan = made(), float("inf"), float("nan")
    seeds = {
        "good": good,
        "cut": good[:-1],
        "more": made(more="colour"),
        "depth_none": made(sides=(0, 8)),
        "depth_rank": made(sides=(1,)),
        "depth_integers": made(dtype="I32"),
        "depth_infinite": made(nearest=inf),
        "depth_nan": made(nearest=nan),
        "depth_huge": made(nearest=3e38),
        "focal_zero": made(camera=(0, 8, 3.5, 3.5)),
        "focal_negative": made(camera=(8, -8, 3.5, 3.5)),
        "focal_nan": made(camera=(8, nan, 3.5, 3.5)),
        "focal_infinite": made(camera=(inf, 8, 3.5, 3.5)),
        "focal_tiny": made(camera=(1e-300, 8, 3.5, 3.5)),
        "middle_nan": made(camera=(8, 8, nan, 3.5)),
        "middle_huge": made(camera=(8, 8, 3.5, 1e300)),
        "camera_short": made(camera=(8, 8, 3.5)),
        "pose_left_out": made(pose=None),
        "pose_short": made(pose=upright[:8]),
        "pose_zero": made(pose=[0] * 12),
        "pose_long_axis": posed(0, 3),
        "pose_mirrored": posed(0, -1),
        "pose_skew": made(pose=upright[:4] + [0.1, 0.995] + upright[6:]),
        "pose_nan": posed(5, nan),
        "pose_huge": posed(5, 1e300),
        "position_nan": posed(3, nan),
        "position_huge": posed(7, 1e300),
        "depth_alone": tensors({"depth": one(shape=(1, 1))}, bytes(4)),
    }
    for name, data in seeds.items():
        put("cloud", name, data)


def qp():
    """Problems of the solver, which take their numbers from bytes as they come."""
    def drawn(seed, count):
        numbers = []
        for _ in range(count):
            seed = (1103515245 * seed + 12345) % (1 << 31)
            numbers.append(seed >> 16 & 255)
        return bytes(numbers)

    put("qp", "nothing", b"")
    put("qp", "zeros", bytes(300))
    put("qp", "ones", b"\xff" * 300)
    for seed in range(8):
        put("qp", f"drawn_{seed}", drawn(seed, 60 * (seed + 1)))


for write in (safetensors, npz, png, idx, cifar, csv, table, yaml, options, policy, task, recipe, fit_task, net, wad,
              words, cloud, demonstrations, action, qp):
    write()
