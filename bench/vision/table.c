#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "landed.h"
#include "vision/vision.h"

/// The sweep of vision transformers as tables, and their file.

// What is less than so many times as fast counts as even: each time is the least of as few as two steps.
static const double even = 1.03;

typedef enum quantity
{
    TIME,
    MEMORY
} quantity;

static double own(const bench_look *look, quantity what)
{
    return what == TIME ? look->own : look->own_memory / 1048576;
}

static double theirs(const bench_look *look, quantity what)
{
    return what == TIME ? look->theirs : look->their_memory / 1048576;
}

static const bench_look *look_at(const bench_looks *looks, bench_look_at at, const char *form)
{
    snprintf(at.form, sizeof at.form, "%s", form);
    return bench_vision_find(looks, &at, NULL);
}

// the forms that were measured at all
static int forms_of(const bench_looks *looks, const char *forms[BENCH_LOOKS])
{
    int count = 0;
    for (const char *const *form = bench_vision_forms; *form; form++)
    {
        bool there = false;
        for (int i = 0; i < looks->count; i++) there |= strcmp(looks->all[i].at.form, *form) == 0;
        if (there) forms[count++] = *form;
    }
    return count;
}

static void print_line(const bench_looks *looks, const bench_look_at *at, quantity what, int line,
                       const char *const *forms, int count)
{
    static const char *const names[] = {"saccade", "the peer", "times"};
    const int side = at->side / at->patch;
    if (line == 0)
        printf("%6d %6d", at->side, side * side);
    else
        printf("%13s", "");
    printf("  %-8s", names[line]);
    for (int i = 0; i < count; i++)
    {
        const bench_look *look = look_at(looks, *at, forms[i]);
        if (!look)
            printf(" %11s", "-");
        else if (line == 2)
            printf(" %11.2f", theirs(look, what) / own(look, what));
        else
            printf(" %11.*f", what == TIME ? 1 : 0, line ? theirs(look, what) : own(look, what));
    }
    puts("");
}

static void print_table(const bench_looks *looks, int patch, bool back, quantity what)
{
    const char *forms[BENCH_LOOKS];
    const int count = forms_of(looks, forms);
    if (count == 0) return; // nothing was measured
    const char *peer = looks->all[0].peer;
    printf("patches of %d, %s, %s%s%s\n%6s %6s  %8s", patch, back ? "forward and backward" : "forward",
           what == TIME ? "milliseconds" : "MiB", *peer ? ", beside " : "", peer, "pixels", "tokens", "");
    for (int i = 0; i < count; i++) printf(" %11s", forms[i]);
    puts("");
    for (const int *side = bench_vision_sides; *side; side++)
    {
        const bench_look_at at = {.back = back, .patch = patch, .side = *side};
        if (!look_at(looks, at, forms[0])) continue;
        for (int line = 0; line < (*peer ? 3 : 1); line++) print_line(looks, &at, what, line, forms, count);
    }
    puts("");
}

// the least side from which on a form is faster than softmax at every side, in saccade, and not even with it
static void print_crossing(const bench_looks *looks, const char *form, int patch, bool back)
{
    int from = 0;
    for (const int *side = bench_vision_sides; *side; side++)
    {
        const bench_look_at at = {.back = back, .patch = patch, .side = *side};
        const bench_look *linear = look_at(looks, at, form), *softmax = look_at(looks, at, "softmax");
        if (!linear || !softmax) continue;
        if (softmax->own < even * linear->own)
            from = 0;
        else if (!from)
            from = *side;
    }
    if (from)
        printf(" %s %d", form, from);
    else
        printf(" %s -", form);
}

static void print_crossings(const bench_looks *looks)
{
    const char *forms[BENCH_LOOKS];
    const int count = forms_of(looks, forms);
    if (count < 2 || strcmp(forms[0], "softmax") != 0) return;
    printf("%g times as fast as softmax, or more, from so many pixels on:\n", even);
    for (const int *patch = bench_vision_patches; *patch; patch++)
        for (int back = 0; back < 2; back++)
        {
            printf("patches of %d, %s:", *patch, back ? "forward and backward" : "forward");
            for (int i = 1; i < count; i++) print_crossing(looks, forms[i], *patch, back);
            puts("");
        }
}

void bench_vision_print(const bench_looks *looks)
{
    for (int what = TIME; what <= MEMORY; what++)
        for (const int *patch = bench_vision_patches; *patch; patch++)
            for (int back = 0; back < 2; back++) print_table(looks, *patch, back, what);
    print_crossings(looks);
    fflush(stdout);
}

void bench_vision_print_json(const bench_looks *looks)
{
    json_t *list = json_array();
    for (int i = 0; i < looks->count; i++)
    {
        const bench_look *look = &looks->all[i];
        const bool peer = look->peer[0];
        json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:i, s:f, s:o, s:o, s:o, s:o}", "form",
                                              look->at.form, "pass", look->at.back ? "both" : "forward", "patch",
                                              look->at.patch, "side", look->at.side, "ms", look->own, "worst_ms",
                                              look->own_worst, "runs", look->runs, "bytes", look->own_memory, "peer",
                                              peer ? json_string(look->peer) : json_null(), "peer_ms",
                                              peer ? json_real(look->theirs) : json_null(), "peer_bytes",
                                              peer ? json_real(look->their_memory) : json_null(), "ratio",
                                              peer ? json_real(look->theirs / look->own) : json_null()));
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    puts("");
    json_decref(list);
}

// --- the file ---

static bool read_line(bench_look *look, const char *line)
{
    char word[16];
    *look = (bench_look){0};
    const int read =
        sscanf(line, "%15[^,],%15[^,],%d,%d,%lg,%lg,%47[^,],%lg,%lg", look->at.form, word, &look->at.patch,
               &look->at.side, &look->own, &look->own_memory, look->peer, &look->theirs, &look->their_memory);
    look->at.back = strcmp(word, "both") == 0;
    return read >= 6;
}

// Keeps what has landed before and was not measured now. A point is replaced by one beside the same peer alone, so that
// each line holds two figures of one run.
static void add_landed(bench_looks *all, const bench_looks *measured, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    bench_look look;
    while (file && all->count < BENCH_LOOKS && fgets(line, sizeof line, file))
        if (read_line(&look, line) && !bench_vision_find(measured, &look.at, look.peer)) all->all[all->count++] = look;
    if (file) fclose(file);
}

static void write_line(const bench_look *look, FILE *file)
{
    fprintf(file, "%s,%s,%d,%d,%.6g,%.0f", look->at.form, look->at.back ? "both" : "forward", look->at.patch,
            look->at.side, look->own, look->own_memory);
    if (look->peer[0]) fprintf(file, ",%s,%.6g,%.0f", look->peer, look->theirs, look->their_memory);
    fputc('\n', file);
}

sac_status bench_vision_land(const bench_looks *looks)
{
    char path[256];
    static bench_looks all;
    all.count = 0;
    bench_landed_path(path, "vision.csv", true);
    add_landed(&all, looks, path);
    for (int i = 0; i < looks->count && all.count < BENCH_LOOKS; i++) all.all[all.count++] = looks->all[i];
    FILE *file = fopen(path, "w");
    if (!file) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    fputs("form,pass,patch,side,ms,bytes,peer,peer_ms,peer_bytes\n", file);
    for (int i = 0; i < all.count; i++) write_line(&all.all[i], file);
    if (fclose(file) != 0) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    fprintf(stderr, "landed in %s\n", path);
    return SAC_OK;
}
