#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "files/atomic.h"
#include "saccade/film.h"
#include "saccade/frame.h"
#include "saccade/viewer.h"
#include "target.h"

/// generalise: policies under every change of their worlds, beside the figures of the article.

enum
{
    MAX_EPISODES = 100000,
    MAX_THREADS = 1024,
    MAX_ROWS = 512,
    FRAMES_PER_SECOND = 50
};

static const cli_flag flags[] = {
    {"seeds", "A..B", "episodes of each; default 0..99, which report; choose by 1000..1999", false},
    {"threads", "N", "default 1", false},
    {"variant", "V", "only this one; default: all that the environment has", false},
    {"set", "KEY=VALUE", "option of the environment", true},
    {"film", "F", "a video or a folder of pictures for the variant video; without it that one is left out", false},
    {"out", "F.csv", "also write the table", false},
    {"worst", "DIR", "also film the worst episode of each as DIR/POLICY-VARIANT.mp4", false},
    {0},
};

/// What the article reports: 100 episodes, mean and standard deviation.
static const struct
{
    const char *environment, *variant;
    const char *trained; // the variant that the policy was trained in; NULL: any
    int kept;            // 0: any
    double mean, std;
} published[] = {
    {"car-racing", "original", "", 0, 914, 15},     {"car-racing", "color", "", 0, 866, 112},
    {"car-racing", "bars", "", 0, 900, 35},         {"car-racing", "blob", "", 0, 898, 53},
    {"car-racing", "noise", "", 0, -58, 12},        {"car-racing", "noise", "noise", 5, 452, 210},
    {"car-racing", "noise", "noise", 10, 577, 243}, {"car-racing", "noise", "noise", 20, 660, 259},
    {"take-cover", "original", "", 0, 1125, 589},   {"take-cover", "walls", "", 0, 934, 560},
    {"take-cover", "floor", "", 0, 1120, 613},      {"take-cover", "text", "", 0, 1035, 627},
};

enum
{
    PUBLISHED = sizeof published / sizeof *published
};

/// One policy in one variant.
typedef struct row
{
    const char *path;
    char environment[SAC_TEXT_SIZE], variant[SAC_TEXT_SIZE];
    int kept; // patches, 0: does not look
    sac_score score;
    int published; // -1: the article has no such figure
} row;

typedef struct study
{
    const cli_args *args;
    uint64_t first;
    int count, threads;
    const char *film, *worst;
    row rows[MAX_ROWS];
    int row_count;
    int code; // of the command once all rows are printed
} study;

static const char *setting(const sac_policy *policy, const char *key)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    for (int i = 0; i < def->setting_count; i++)
        if (strcmp(def->settings[i].key, key) == 0) return def->settings[i].value;
    return "0";
}

static int find_published(const row *r, const char *trained)
{
    for (int i = 0; i < PUBLISHED; i++)
        if (strcmp(published[i].environment, r->environment) == 0 && strcmp(published[i].variant, r->variant) == 0 &&
            strcmp(published[i].trained, trained) == 0 && (published[i].kept == 0 || published[i].kept == r->kept))
            return i;
    return -1;
}

static void print_row(const row *r, const row *original)
{
    char paper[48] = "-", share[24] = "-", score[2 * SAC_VALUE_SIZE];
    if (r->published >= 0)
        snprintf(paper, sizeof paper, "%.0f +- %.0f", published[r->published].mean, published[r->published].std);
    if (original && original->score.mean > 0)
        snprintf(share, sizeof share, "%.0f %%", 100 * r->score.mean / original->score.mean);
    const char *name = strrchr(r->path, '/') ? strrchr(r->path, '/') + 1 : r->path;
    sac_format_spread(score, r->score.mean, " +- ", r->score.std);
    printf("| %.*s | %s | %d | %s | %s | %s | %s |\n", (int)strcspn(name, "."), name, r->environment, r->kept,
           r->variant, score, share, paper);
    fflush(stdout);
}

// the film of one episode
static sac_status film(const cli_target *target, uint64_t seed, const char *title, const char *path)
{
    sac_viewer *viewer;
    sac_film *out = NULL;
    const uint8_t *rgb;
    SAC_TRY(sac_viewer_create(&viewer, target->policy, &target->env, SAC_FRAME_WIDTH, SAC_FRAME_HEIGHT));
    sac_status status = sac_film_create(&out, path, SAC_FRAME_WIDTH, SAC_FRAME_HEIGHT, FRAMES_PER_SECOND);
    if (status == SAC_OK) status = sac_viewer_reset(viewer, seed);
    while (status == SAC_OK)
    {
        status = sac_viewer_draw(viewer, title, NULL, &rgb);
        if (status == SAC_OK) status = sac_film_add(out, rgb);
        if (status != SAC_OK || sac_viewer_ended(viewer)) break;
        status = sac_viewer_step(viewer, NULL);
    }
    if (status == SAC_OK) status = sac_film_finish(out);
    sac_film_destroy(out);
    sac_viewer_destroy(viewer);
    return status;
}

static sac_status film_worst(const study *s, const cli_target *target, const row *r, const sac_episode *episodes)
{
    const sac_episode *worst = episodes;
    for (int i = 1; i < s->count; i++)
        if (episodes[i].episode_return < worst->episode_return) worst = &episodes[i];
    const char *name = strrchr(r->path, '/') ? strrchr(r->path, '/') + 1 : r->path;
    char file[SAC_TEXT_SIZE], path[SAC_PATH_SIZE], title[SAC_TEXT_SIZE];
    snprintf(file, sizeof file, "%.*s-%.40s.mp4", (int)strcspn(name, "."), name, r->variant);
    snprintf(title, sizeof title, "%.80s, %.40s, seed %llu", r->environment, r->variant,
             (unsigned long long)worst->seed);
    SAC_TRY(sac_make_folders(s->worst));
    SAC_TRY(sac_join_path(path, s->worst, file));
    return film(target, worst->seed, title, path);
}

static const char table_head[] = "| policy | world | K | variant | return | of original | article |\n"
                                 "| --- | --- | --- | --- | --- | --- | --- |";

// one row of the table; `variant` as the environment is asked for it, `name` as it is listed
static int study_variant(study *s, cli_target *target, const char *path, const char *variant, const char *name)
{
    if (s->row_count == MAX_ROWS) return cli_usage("generalise: more than %d rows", MAX_ROWS);
    row *r = &s->rows[s->row_count];
    *r = (row){.path = path, .kept = atoi(setting(target->policy, "top"))};
    snprintf(r->environment, sizeof r->environment, "%s", target->env.id);
    snprintf(r->variant, sizeof r->variant, "%s", name);
    const char *trained = strcmp(target->info.variant, "original") == 0 ? "" : target->info.variant;
    r->published = find_published(r, trained);
    target->env.variant = variant;

    sac_episode *episodes;
    int code = cli_target_drive(target, s->first, s->count, s->threads, NULL, &episodes);
    if (code != CLI_OK) return code;
    r->score = sac_score_of(episodes, s->count);
    if (s->row_count++ == 0) puts(table_head);
    const row *original = r;
    while (original > s->rows && original[-1].path == path) original--;
    print_row(r, strcmp(original->variant, "original") == 0 ? original : NULL);
    if (cli_check_returns("generalise", episodes, s->count) != CLI_OK) s->code = CLI_FAILURE; // the table goes on
    sac_status status = s->worst ? film_worst(s, target, r, episodes) : SAC_OK;
    free(episodes);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

// Tells whether --variant names it, or names none.
static bool is_wanted(const study *s, const char *variant)
{
    const char *given = cli_value(s->args, "variant");
    return !given || strcmp(given, variant) == 0;
}

static int study_policy(study *s, const char *path)
{
    static const char *const alone[] = {"original", NULL};
    cli_target target;
    int code = cli_target_open(&target, s->args, path);
    if (code != CLI_OK) return code;
    const sac_env_ops *ops = sac_env_find(target.env.id);
    const char *const *variants = ops && ops->variants ? ops->variants : alone;
    for (int i = 0; code == CLI_OK && variants[i]; i++)
    {
        char name[SAC_TEXT_SIZE], variant[SAC_PATH_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(variants[i], "="), variants[i]);
        bool is_film = strcmp(name, "video") == 0,
             is_mixture = strcmp(name, "any") == 0 && !cli_value(s->args, "variant");
        snprintf(variant, sizeof variant, is_film ? "%s=%s" : "%s", name, s->film ? s->film : "");
        if (is_wanted(s, name) && !is_mixture && (!is_film || s->film))
            code = study_variant(s, &target, path, variant, name);
    }
    cli_target_close(&target);
    return code;
}

static sac_status write_table(const study *s, const char *path)
{
    sac_atomic file = {0};
    SAC_TRY(sac_atomic_begin(&file, path));
    static const char head[] = "policy,environment,kept,variant,episodes,mean,std,article_mean,article_std\n";
    sac_status status = sac_atomic_write(&file, head, sizeof head - 1);
    for (int i = 0; status == SAC_OK && i < s->row_count; i++)
    {
        const row *r = &s->rows[i];
        char line[SAC_PATH_SIZE + 3 * SAC_TEXT_SIZE];
        int length = snprintf(line, sizeof line, "%.4095s,%s,%d,%s,%d,%.9g,%.9g,", r->path, r->environment, r->kept,
                              r->variant, r->score.episodes, r->score.mean, r->score.std);
        if (r->published >= 0)
            length += snprintf(line + length, sizeof line - (size_t)length, "%g,%g\n", published[r->published].mean,
                               published[r->published].std);
        else
            length += snprintf(line + length, sizeof line - (size_t)length, ",\n");
        status = sac_atomic_write(&file, line, (size_t)length);
    }
    if (status == SAC_OK) return sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    return status;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t last;
    study *s = calloc(1, sizeof *s);
    if (!s) return cli_fail(sac_fail(SAC_ERROR_MEMORY, "out of memory for a table"));
    *s = (study){.args = args, .film = cli_value(args, "film"), .worst = cli_value(args, "worst")};
    cli_range(args, "seeds", "0..99", &s->first, &last, &ok);
    s->threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    int code = ok ? CLI_OK : CLI_USAGE;
    if (ok && last - s->first >= MAX_EPISODES) code = cli_usage("generalise: more than %d episodes", MAX_EPISODES);
    if (code == CLI_OK) code = cli_check_out(args, "out");
    s->count = (int)(last - s->first + 1);
    const char *path;
    for (int i = 0; code == CLI_OK && (path = cli_positional(args, i)); i++) code = study_policy(s, path);
    if (code == CLI_OK && s->row_count == 0) code = cli_usage("generalise: no environment has such a variant");
    if (code == CLI_OK && cli_has(args, "out"))
    {
        sac_status status = write_table(s, cli_value(args, "out"));
        if (status != SAC_OK) code = cli_fail(status);
    }
    if (code == CLI_OK) code = s->code;
    free(s);
    return code;
}

const cli_command cli_generalise = {
    "generalise", "POLICY...", "policies under every change of their worlds, beside the article's figures", flags, run};
