#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "curves/attention.h"
#include "peer.h"

/// Time and memory of every form against the number of tokens, beside PyTorch and JAX.

const int bench_sizes[] = {64, 128, 256, 512, 529, 1024, 2048, 4096, 8192, 16384, 19200, 32768, 65536, 0};

static const char *const peers[] = {"torch", "torch-default", "jax"};

enum
{
    PEERS = sizeof peers / sizeof *peers
};

// The answers of saccade, and whether a peer gave the same.
static bool agrees(const char *by, const bench_form *form, int tokens, const json_t *numbers)
{
    bench_scene scene;
    if (bench_scene_create(&scene, form, tokens) != SAC_OK) return false;
    bench_scene_run(&scene);
    double answer[BENCH_SHOWN], tolerance;
    bench_scene_answer(&scene, answer);
    tolerance = bench_scene_tolerance(&scene, answer);
    bench_scene_destroy(&scene);
    for (int i = 0; i < BENCH_SHOWN; i++)
    {
        double theirs = json_number_value(json_array_get(numbers, (size_t)i));
        if (fabs(theirs - answer[i]) <= tolerance) continue;
        fprintf(stderr, "saccade: bench: %s of %d tokens: number %d is %g, %s says %g\n", form->name, tokens, i,
                answer[i], by, theirs);
        return false;
    }
    return true;
}

static bool is_measured(const bench_form *form, const char *only)
{
    return !only || strcmp(form->name, only) == 0;
}

// Read a peer's rows as points. Answers are compared at the smallest sizes.
static sac_status read_rows(const json_t *json, const char *by, const char *only, bench_points *points)
{
    const char *version = strrchr(json_string_value(json_object_get(json, "peer")), ' ');
    const json_t *rows = json_object_get(json, "rows"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "form"));
        const bench_form *form = name ? bench_form_named(name) : NULL;
        if (!form || !is_measured(form, only)) continue;
        int tokens = (int)json_integer_value(json_object_get(row, "tokens"));
        bench_point point = {
            .tokens = tokens,
            .latency = {.best = json_number_value(json_object_get(row, "best")),
                        .p50 = json_number_value(json_object_get(row, "p50")),
                        .p99 = json_number_value(json_object_get(row, "p99")),
                        .runs = (int)json_integer_value(json_object_get(row, "runs"))},
            .memory = json_number_value(json_object_get(row, "memory")),
        };
        snprintf(point.by, sizeof point.by, "%s", by);
        snprintf(point.version, sizeof point.version, "%s", version ? version + 1 : "");
        snprintf(point.form, sizeof point.form, "%s", name);
        SAC_TRY(bench_points_add(points, &point));
        if (tokens <= 1024 && !agrees(by, form, tokens, json_object_get(row, "answer")))
            return sac_fail(SAC_ERROR_ENVIRONMENT, "bench: %s does not compute what saccade does", by);
    }
    return SAC_OK;
}

static sac_status measure_peers(const bench_place *place, const char *only, int first, int last, bench_points *points)
{
    for (int i = 0; i < PEERS; i++)
    {
        char command[96];
        snprintf(command, sizeof command, "attention.py sweep %s %d %d %s", peers[i], first, last, only ? only : "all");
        json_t *json = bench_peer_answer(command, place);
        sac_status status = json ? read_rows(json, peers[i], only, points) : SAC_OK;
        json_decref(json);
        SAC_TRY(status);
    }
    return SAC_OK;
}

static sac_status measure_own(const bench_form *form, int tokens, bench_points *points)
{
    bench_scene scene;
    SAC_TRY(bench_scene_create(&scene, form, tokens));
    bench_point point = {.by = "saccade", .tokens = tokens, .memory = (double)scene.memory};
    snprintf(point.form, sizeof point.form, "%s", form->name);
    point.latency = bench_time(bench_scene_run, &scene, 0.1);
    bench_scene_destroy(&scene);
    return bench_points_add(points, &point);
}

static void print_memory(double bytes)
{
    if (bytes < 1024 * 1024)
        printf(" %7.1f KiB", bytes / 1024);
    else
        printf(" %7.1f MiB", bytes / 1024 / 1024);
}

static void print_line(const bench_points *points, const bench_form *form, int tokens)
{
    const bench_point *own = bench_points_find(points, "saccade", form->name, tokens);
    if (!own) return;
    printf("%8d %11.4g %11.4g %11.4g", tokens, own->latency.best, own->latency.p50, own->latency.p99);
    print_memory(own->memory);
    double best = INFINITY;
    for (int i = 0; i < PEERS; i++)
    {
        const bench_point *peer = bench_points_find(points, peers[i], form->name, tokens);
        if (peer)
            printf("  %11.4g", peer->latency.best), print_memory(peer->memory);
        else
            printf("  %11s %11s", "-", "");
        if (peer) best = fmin(best, peer->latency.best);
    }
    if (isfinite(best)) printf("  %6.1f x", best / own->latency.best);
    puts("");
}

static void print_table(const bench_points *points, const bench_form *form, int first, int last)
{
    printf("%s, microseconds and memory beside inputs and results\n%8s %11s %11s %11s %11s", form->name, "tokens",
           "best", "p50", "p99", "memory");
    for (int i = 0; i < PEERS; i++) printf("  %11s %11s", peers[i], "memory");
    puts("  faster");
    for (const int *tokens = bench_sizes; *tokens; tokens++)
        if (*tokens >= first && *tokens <= last) print_line(points, form, *tokens);
    puts("");
    fflush(stdout);
}

sac_status bench_sweep(const bench_place *place, const char *only, int first, int last, bench_points *points)
{
    SAC_TRY(measure_peers(place, only, first, last, points));
    for (const bench_form *form = bench_forms; form->name; form++)
    {
        if (!is_measured(form, only)) continue;
        for (const int *tokens = bench_sizes; *tokens; tokens++)
            if (*tokens >= first && *tokens <= last) SAC_TRY(measure_own(form, *tokens, points));
        print_table(points, form, first, last);
    }
    return SAC_OK;
}
