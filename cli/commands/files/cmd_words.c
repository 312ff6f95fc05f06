#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "cli.h"
#include "files/json.h"
#include "saccade/words.h"

/// saccade words: how much each patch of a picture has to do with a text, from embeddings that others made.

enum
{
    MOST_KEPT = 64
};

static const cli_flag flags[] = {
    {"text", "TEXT", "one of the file's texts; without it, the highest scores of all of them are listed", false},
    {"picture", "N", "of the file's pictures, from 0 on; default 0", false},
    {"set", "KEY=VALUE", "an option: kernel, features, orthogonal, seed, scale, kept", true},
    {"json", NULL, "print JSON: with --text all scores", false},
    {0},
};

typedef struct config
{
    char kernel[SAC_TEXT_SIZE];
    int features, kept;
    bool orthogonal;
    uint64_t seed;
    double scale;
} config;

static const sac_option options[] = {
    {"kernel", SAC_OPTION_TEXT, offsetof(config, kernel), "softmax", 0, 0, "softmax relu exp square",
     "K of the scores"},
    {"features", SAC_OPTION_INT, offsetof(config, features), "0", 0, 4096, NULL,
     "rows of the random matrix G of relu, exp and square; 0: none"},
    {"orthogonal", SAC_OPTION_BOOL, offsetof(config, orthogonal), "false", 0, 0, NULL, "they are so in blocks"},
    {"seed", SAC_OPTION_SEED, offsetof(config, seed), "1", 0, 0, NULL, "of G, and of what is drawn"},
    {"scale", SAC_OPTION_REAL, offsetof(config, scale), "1", 1e-9, 1e9, NULL, "of q.k in softmax"},
    {"kept", SAC_OPTION_INT, offsetof(config, kept), "3", 1, MOST_KEPT, NULL,
     "patches with the highest scores, of which one is drawn"},
    {0},
};

/// Scores of one text.
typedef struct scored
{
    float *scores, shares[MOST_KEPT];
    int top[MOST_KEPT], kept, drawn; ///< drawn: among the kept
    float mean[2];                   ///< row and column of all patches, weighed by their scores
} scored;

typedef struct job
{
    const config *config;
    sac_words_file file;
    sac_words *words;
    void *workspace, *sums;
    float *places; ///< [patches, 2] row and column
    scored s;
    int picture;
} job;

static int count_of(const job *j)
{
    return j->file.rows * j->file.columns;
}

static sac_status open(job *j, const char *path)
{
    const config *c = j->config;
    SAC_TRY(sac_words_file_load(&j->file, path));
    if (j->picture >= j->file.pictures)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: --picture %d, expected 0 to %d", path, j->picture,
                        j->file.pictures - 1);
    sac_words_def def = sac_words_default_def();
    def.kernel = c->kernel;
    def.size = j->file.size;
    def.features = c->features;
    def.orthogonal = c->orthogonal;
    def.seed = c->seed;
    def.scale = c->scale;
    SAC_TRY(sac_words_create(&j->words, &def));
    j->workspace = sac_alloc(sac_words_workspace_size(j->words, count_of(j)));
    j->sums = sac_alloc(sac_words_expect_workspace_size(j->words, count_of(j), 2));
    j->s.scores = SAC_NEW_ARRAY(float, (size_t)count_of(j));
    j->places = SAC_NEW_MATRIX(float, (size_t)count_of(j), 2);
    if (!j->workspace || !j->sums || !j->s.scores || !j->places) return sac_fail_memory("scores");
    for (int i = 0; i < count_of(j); i++)
    {
        const int row = i / j->file.columns;
        j->places[2 * i] = (float)row;
        j->places[2 * i + 1] = (float)(i % j->file.columns);
    }
    return SAC_OK;
}

static sac_status score(job *j, int text, const char *path)
{
    const size_t size = (size_t)j->file.size;
    const float *keys = j->file.patches + (size_t)j->picture * (size_t)count_of(j) * size;
    const float *query = j->file.vectors + (size_t)text * size;
    sac_stream random = sac_stream_create(j->config->seed, (uint64_t)j->picture, (uint64_t)text);
    if (!sac_words_score(j->words, j->s.scores, query, keys, count_of(j), j->workspace) ||
        !sac_words_expect(j->words, j->s.mean, query, 1, keys, j->places, count_of(j), 2, j->sums))
        return sac_fail(SAC_ERROR_FORMAT,
                        "%s: the scores of '%.80s' leave the range of float32, expected embeddings of a length near 1",
                        path, j->file.names[text]);
    j->s.kept = j->config->kept < count_of(j) ? j->config->kept : count_of(j);
    sac_words_keep(j->s.top, j->s.shares, j->s.kept, j->s.scores, count_of(j));
    j->s.drawn = sac_words_choose(j->s.shares, j->s.kept, sac_stream_uniform(&random, 0, 1));
    return SAC_OK;
}

// The scores as a picture of the grid, a digit a patch: tenths of the highest score
static void print_grid(const job *j)
{
    const float most = j->s.scores[j->s.top[0]];
    for (int row = 0; row < j->file.rows; row++)
    {
        printf("   ");
        for (int column = 0; column < j->file.columns; column++)
        {
            const float s = j->s.scores[row * j->file.columns + column];
            const int tenth = most > 0 ? (int)(10 * s / most) : 0;
            printf(" %c", tenth >= 10 ? '#' : tenth > 0 ? (char)('0' + tenth) : '.');
        }
        printf("\n");
    }
}

static void print_text(const job *j, int text, bool grid)
{
    printf("%s:", j->file.names[text]);
    for (int i = 0; i < j->s.kept; i++)
        printf(" (%d, %d) %.6f %.0f%%%s", j->s.top[i] / j->file.columns, j->s.top[i] % j->file.columns,
               (double)j->s.scores[j->s.top[i]], 100 * (double)j->s.shares[i], i == j->s.drawn ? " drawn" : "");
    printf(", mean (%.2f, %.2f)\n", (double)j->s.mean[0], (double)j->s.mean[1]);
    if (grid) print_grid(j);
}

static json_t *to_json(const job *j, int text, bool all)
{
    json_t *kept = json_array(), *scores = json_array();
    for (int i = 0; i < j->s.kept; i++)
        json_array_append_new(kept, json_pack("{s:i, s:i, s:f, s:f}", "row", j->s.top[i] / j->file.columns, "column",
                                              j->s.top[i] % j->file.columns, "score", (double)j->s.scores[j->s.top[i]],
                                              "share", (double)j->s.shares[i]));
    for (int i = 0; all && i < count_of(j); i++) json_array_append_new(scores, json_real((double)j->s.scores[i]));
    json_t *out = json_pack("{s:s, s:o, s:i, s:[f, f]}", "text", j->file.names[text], "kept", kept, "drawn", j->s.drawn,
                            "mean", (double)j->s.mean[0], (double)j->s.mean[1]);
    if (all)
        json_object_set_new(out, "scores", scores);
    else
        json_decref(scores);
    return out;
}

static int find_text(const job *j, const char *text)
{
    for (int i = 0; i < j->file.texts; i++)
        if (strcmp(j->file.names[i], text) == 0) return i;
    return -1;
}

static const char *name_at(const void *user, int index)
{
    const job *j = user;
    return index < j->file.texts ? j->file.names[index] : NULL;
}

// Print a text's scores, or add them to the list where there is one.
static sac_status show_one(job *j, json_t *list, int text, bool all, const char *path)
{
    SAC_TRY(score(j, text, path));
    if (!list)
        print_text(j, text, all);
    else if (json_array_append_new(list, to_json(j, text, all)) != 0)
        return sac_fail_memory("JSON");
    return SAC_OK;
}

static sac_status show_texts(job *j, int first, int end, bool all, bool json, const char *path)
{
    json_t *list = json ? json_array() : NULL;
    if (json && !list) return sac_fail_memory("JSON");
    sac_status status = SAC_OK;
    for (int i = first; status == SAC_OK && i < end; i++) status = show_one(j, list, i, all, path);
    if (list && status == SAC_OK) return sac_json_print(stdout, list);
    json_decref(list);
    return status;
}

static sac_status show(job *j, const cli_args *args)
{
    const char *text = cli_value(args, "text"), *path = cli_positional(args, 0);
    const int only = text ? find_text(j, text) : -1;
    const bool json = cli_has(args, "json");
    if (text && only < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: has no text '%.80s'%s", path, text,
                        sac_did_you_mean(sac_nearest(text, name_at, j)));
    if (text) return show_texts(j, only, only + 1, true, json, path);
    return show_texts(j, 0, j->file.texts, false, json, path);
}

static int run(const cli_args *args)
{
    config c;
    job j = {.config = &c};
    const sac_setting *settings;
    const int count = cli_settings(args, "set", &settings);
    const char *picture = cli_value(args, "picture");
    char *end = "";
    if (count < 0) return CLI_USAGE;
    if (picture) j.picture = (int)strtol(picture, &end, 10);
    sac_status status = SAC_OK;
    if (picture && (end == picture || *end || j.picture < 0))
        status = sac_fail(SAC_ERROR_ARGUMENT, "--picture: '%.40s', expected a whole number from 0 on", picture);
    if (status == SAC_OK) status = sac_options_read(options, &c, settings, count, "words");
    if (status == SAC_OK) status = open(&j, cli_positional(args, 0));
    if (status == SAC_OK) status = show(&j, args);
    sac_words_destroy(j.words);
    sac_free(j.workspace);
    sac_free(j.sums);
    sac_free(j.places);
    sac_free(j.s.scores);
    sac_words_file_clear(&j.file);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_words = {"words", "EMBEDDINGS.safetensors", "which patches have to do with a text", flags, run};
