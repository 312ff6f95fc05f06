#include "vision/vision.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "peer.h"
#include "vision/scene.h"

const char *const bench_vision_forms[] = {"softmax", "relu", "relu-mapped", "exp", "square", "positive", "trig", NULL};
const int bench_vision_sides[] = {224, 448, 672, 896, 1344, 0}, bench_vision_patches[] = {16, 32, 0};

enum
{
    CHANNELS = 3,
    CLASSES = 1000
};

const bench_look *bench_vision_find(const bench_looks *looks, const bench_look_at *at, const char *peer)
{
    for (int i = 0; i < looks->count; i++)
    {
        const bench_look_at *a = &looks->all[i].at;
        if (a->patch == at->patch && a->side == at->side && a->back == at->back && strcmp(a->form, at->form) == 0 &&
            (!peer || strcmp(looks->all[i].peer, peer) == 0))
            return &looks->all[i];
    }
    return NULL;
}

// --- ours ---

// bytes of a line of /proc/self/status, such as VmRSS
static double status_of(const char *word)
{
    char line[128];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0 && line[strlen(word)] == ':')
            (void)sscanf(line + strlen(word) + 1, "%lg", &kilobytes);
    if (file) fclose(file);
    return 1024 * kilobytes;
}

// the largest resident memory counts from now on
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

static sac_status create(bench_net_scene *s, const bench_look_at *at, bool profile)
{
    char patch[16];
    snprintf(patch, sizeof patch, "%d", at->patch);
    const sac_setting settings[] = {{"patch", patch},  {"width", "192"},   {"layers", "12"},       {"heads", "3"},
                                    {"hidden", "768"}, {"features", "64"}, {"attention", at->form}};
    return bench_net_create(s, &(bench_net_def){.kind = "vit",
                                                .settings = settings,
                                                .setting_count = sizeof settings / sizeof *settings,
                                                .input = {at->side, at->side, CHANNELS},
                                                .classes = CLASSES,
                                                .batch = 1,
                                                .slices = 1,
                                                .backward = at->back,
                                                .profile = profile});
}

// two steps or more after a first one
static void time_steps(bench_look *look, void (*run)(void *), bench_net_scene *s)
{
    run(s);
    look->own = INFINITY;
    const double begin = sac_clock();
    for (; look->runs < 2 || (look->runs < 200 && sac_clock() - begin < 0.3); look->runs++)
    {
        const double start = sac_clock();
        run(s);
        const double taken = 1e3 * (sac_clock() - start);
        look->own = fmin(look->own, taken);
        look->own_worst = fmax(look->own_worst, taken);
    }
}

// Memory that was freed goes back to the system, so that what one net left is not there for the next one to take.
static void return_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    malloc_trim(0);
}

static sac_status measure(bench_look *look)
{
    bench_net_scene s;
    return_memory();
    const double before = status_of("VmRSS");
    forget_peak();
    const sac_status status = create(&s, &look->at, false);
    if (status == SAC_OK)
    {
        look->parameters = sac_net_parameters(s.net);
        time_steps(look, look->at.back ? bench_net_both : bench_net_forward, &s);
        look->own_memory = status_of("VmHWM") - before;
    }
    bench_net_destroy(&s);
    return status;
}

static sac_status show_profile(const bench_look_at *at)
{
    bench_net_scene s;
    const sac_status status = create(&s, at, true);
    if (status == SAC_OK)
    {
        fprintf(stderr, "%s, %d pixels, patches of %d\n", at->form, at->side, at->patch);
        (at->back ? bench_net_both : bench_net_forward)(&s);
        bench_net_show_times(&s, 1);
    }
    bench_net_destroy(&s);
    return status;
}

// --- the peer's ---

static bench_look *find(bench_looks *looks, const bench_look_at *at)
{
    return (bench_look *)bench_vision_find(looks, at, NULL);
}

static sac_status read_row(bench_looks *looks, const json_t *row, const char *peer, int patch, int side)
{
    const char *form = json_string_value(json_object_get(row, "form"));
    bench_look_at at = {.back = json_is_true(json_object_get(row, "back")), .patch = patch, .side = side};
    snprintf(at.form, sizeof at.form, "%s", form ? form : "");
    bench_look *look = find(looks, &at);
    if (!look) return SAC_OK;
    const long long parameters = json_integer_value(json_object_get(row, "parameters"));
    if (parameters != (long long)look->parameters)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "bench: %s, %d pixels: %s has %lld parameters, saccade %zu", at.form,
                        side, peer, parameters, look->parameters);
    snprintf(look->peer, sizeof look->peer, "%s", peer);
    look->theirs = json_number_value(json_object_get(row, "best"));
    look->their_memory = json_number_value(json_object_get(row, "memory"));
    return SAC_OK;
}

static sac_status read_peer(bench_looks *looks, const json_t *json, int patch, int side)
{
    const json_t *rows = json_object_get(json, "rows"), *row;
    const char *peer = json_string_value(json_object_get(json, "peer"));
    size_t i;
    json_array_foreach(rows, i, row) SAC_TRY(read_row(looks, row, peer, patch, side));
    return SAC_OK;
}

// --- the sweep ---

static sac_status measure_side(const bench_place *place, const char *only, int patch, int side, bench_looks *looks)
{
    const int begin = looks->count;
    for (const char *const *form = bench_vision_forms; *form; form++)
        for (int back = 0; back < 2; back++)
        {
            if (only && strcmp(only, *form) != 0) continue;
            SAC_ASSERT(looks->count < BENCH_LOOKS);
            bench_look *look = &looks->all[looks->count++];
            *look = (bench_look){.at = {.back = back, .patch = patch, .side = side}};
            snprintf(look->at.form, sizeof look->at.form, "%s", *form);
        }
    for (int i = begin; i < looks->count; i++) SAC_TRY(measure(&looks->all[i]));
    char command[96];
    snprintf(command, sizeof command, "vision.py %d %d %s", side, patch, only ? only : "all");
    json_t *json = bench_peer_answer(command, place);
    const sac_status status = json ? read_peer(looks, json, patch, side) : SAC_OK;
    json_decref(json);
    SAC_TRY(status);
    for (int i = begin; place->verbose && i < looks->count; i++) SAC_TRY(show_profile(&looks->all[i].at));
    return SAC_OK;
}

sac_status bench_vision_sweep(const bench_place *place, const char *only, int first, int last, bench_looks *looks)
{
    for (const int *patch = bench_vision_patches; *patch; patch++)
        for (const int *side = bench_vision_sides; *side; side++)
            if (*side >= first && *side <= last) SAC_TRY(measure_side(place, only, *patch, *side, looks));
    return SAC_OK;
}
