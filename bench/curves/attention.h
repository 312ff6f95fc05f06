#pragma once

#include "bench.h"
#include "saccade/attention.h"
#include "saccade/key_database.h"
#include "saccade/trans.h"

/// Benchmarks of attention by itself, with given tokens: every form, everything that is computed from it, and any
/// number of tokens. D = 16 and V = 16; the peer is bench/peers/attention.py.

enum
{
    BENCH_KEY_SIZE = 16,
    BENCH_VALUE_SIZE = 16,
    BENCH_RANKS = 4, ///< rows of P that rank reads
    BENCH_KEPT = 10, ///< rows of P that trans reads
    BENCH_BITS = 256,
    BENCH_SHOWN = 8, ///< numbers of an answer that are compared with a peer's
};

typedef enum bench_reading
{
    BENCH_IMPORTANCE,
    BENCH_OUTPUT,
    BENCH_RANK,
    BENCH_TRANS,
    BENCH_HASH,      ///< features, bits and scores
    BENCH_HASH_KEPT, ///< the same in a frame that keeps its keys: queries and scores
} bench_reading;

/// One curve.
typedef struct bench_form
{
    const char *name; ///< in tables, in CSV, and to the peer
    const char *form; ///< of sac_attention_def
    bench_reading reading;
    int features; ///< M
    bool normalise;
    double scale; ///< 0: the form's
} bench_form;

/// All forms; a NULL name at the end.
extern const bench_form bench_forms[];

const bench_form *bench_form_named(const char *name);

/// A form with its inputs and its memory.
typedef struct bench_scene
{
    const bench_form *form;
    int tokens, stride;
    sac_attention *attention;
    sac_key_database *database; ///< of hashing; else NULL
    sac_trans trans;
    float *queries, *keys, *values, *rows; ///< planar; rows: P [BENCH_KEPT, stride]
    float *result, *z;
    void *workspace;
    size_t memory; ///< bytes beside inputs and result
} bench_scene;

/// Number `index` of the inputs of a kind, uniform with variance 1; bench/peers/attention.py draws the same.
float bench_number(int kind, size_t index);

sac_status bench_scene_create(bench_scene *scene, const bench_form *form, int tokens);
void bench_scene_destroy(bench_scene *scene);

/// Make one call, as a user would each frame.
void bench_scene_run(void *scene);

/// Give the first numbers of the last answer, in the peer's order: [BENCH_SHOWN].
void bench_scene_answer(const bench_scene *scene, double *answer);

/// How much a peer may differ from these numbers: their largest magnitude times the rounding of float32, or one bit.
double bench_scene_tolerance(const bench_scene *scene, const double *answer);

/// Microseconds of single calls.
typedef struct bench_latency
{
    double best, p50, p99, mean;
    int runs;
} bench_latency;

/// Time single calls for about so many seconds, at least three calls.
bench_latency bench_time(void (*call)(void *), void *self, double seconds);

/// One point of a curve.
typedef struct bench_point
{
    char by[16];      ///< "saccade", "torch", "torch-default", "jax"
    char version[32]; ///< of a peer
    char form[24];
    int tokens;
    bench_latency latency; ///< microseconds
    double memory;         ///< bytes
} bench_point;

/// The points that a sweep measured.
typedef struct bench_points
{
    bench_point *all;
    int count, capacity;
} bench_points;

sac_status bench_points_add(bench_points *points, const bench_point *point);
const bench_point *bench_points_find(const bench_points *points, const char *by, const char *form, int tokens);
void bench_points_destroy(bench_points *points);

/// The numbers of tokens of a sweep, ascending, 0 at the end: powers of two, 529 and 19,200.
extern const int bench_sizes[];

/// Measure every form between these sizes, for saccade and for all installed peers, and print a table of each.
/// @param only  the name of the one form; NULL: all
sac_status bench_sweep(const bench_place *place, const char *only, int first, int last, bench_points *points);

/// Write the points and draw their curves and the papers' figures into a folder.
sac_status bench_draw(const bench_points *points, const char *folder);

/// Write the points as a table, which `saccade plot` draws.
sac_status bench_points_write(const bench_points *points, const char *path);

/// Write them to bench/results/<processor>/attention.csv, where points that were not measured now stay as they are.
sac_status bench_land_points(const bench_points *points);
