#pragma once

#include "bench.h"

/// A vision transformer of the size of ViT-Tiny (Touvron et al. 2021: 12 layers of width 192, 3 heads, 768 hidden
/// units, 1,000 classes) over pictures of growing side: every form of attention, forward alone and forward with
/// backward, one picture a step, beside PyTorch (bench/peers/vision.py).

enum
{
    BENCH_LOOKS = 512 ///< measured points of a sweep, at most
};

/// Where in a sweep a point lies.
typedef struct bench_look_at
{
    char form[16]; ///< of the vit's option `attention`
    bool back;     ///< backward, too
    int patch;     ///< side of a patch, pixels
    int side;      ///< of the picture, pixels
} bench_look_at;

/// One point: saccade and the peer in one run.
typedef struct bench_look
{
    bench_look_at at;
    size_t parameters;      ///< numbers that are learned, the peer's too; 0 where they were read from a file
    double own, own_memory; ///< milliseconds of a step, the least; bytes, see bench_vision_sweep
    double own_worst;       ///< of the slowest step after the first; 0 where they were read from a file
    int runs;               ///< steps after the first; likewise
    char peer[48];          ///< "" where there is none
    double theirs, their_memory;
} bench_look;

typedef struct bench_looks
{
    bench_look all[BENCH_LOOKS];
    int count;
} bench_looks;

/// The forms, softmax first, and the sides and patches; NULL or 0 at the end.
extern const char *const bench_vision_forms[];
extern const int bench_vision_sides[], bench_vision_patches[];

/// The point at a place, or NULL. @param peer  NULL: whatever its peer is
const bench_look *bench_vision_find(const bench_looks *looks, const bench_look_at *at, const char *peer);

/// Measure between two sides, every form or the one that is named, saccade before the peer. Memory is the largest
/// resident memory of a step less that before the net was made.
sac_status bench_vision_sweep(const bench_place *place, const char *only, int first, int last, bench_looks *looks);

/// Print tables of times and memory, and from which side on each form is faster than softmax, where even is not faster.
void bench_vision_print(const bench_looks *looks);

/// Print them as one JSON list.
void bench_vision_print_json(const bench_looks *looks);

/// Write them to bench/results/<processor>/vision.csv, where points that were not measured now stay as they are.
sac_status bench_vision_land(const bench_looks *looks);
