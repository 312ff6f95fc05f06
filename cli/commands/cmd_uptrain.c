#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/json.h"
#include "looks/looks.h"
#include "paired.h"
#include "saccade/uptrain.h"
#include "stop.h"
#include "target.h"
#include "train/uptrain_part.h"
#include "uptrain/uptrain.h"

enum
{
    MAX_EPISODES = 100000,
    MAX_THREADS = 1024,
    VERSIONS = 3, // of the policy: softmax, its twin, and the up-trained one
    OPTIONS = 16, // more than there are
};

static const cli_flag flags[] = {
    CLI_TARGET_FLAGS,
    {"out", "F.safetensors", "where the new policy goes; must be given", false},
    {"attention", "MAP", "f of phi = v f(G y): relu, exp or square; default exp, of action-tokens and point-cloud relu",
     false},
    {"features", "N", "m, the features of a token; default 16; not of action-tokens and point-cloud", false},
    {"random", NULL, "G stays as it is drawn, so that the first phase is left out; not of those two", false},
    {"seed", "S", "draws G and the orders of pictures; default 1", false},
    {"from", "S", "seed of the first episode that pictures come from; default 1000000", false},
    {"frames", "N",
     "pictures to learn from, all held in memory; default 4096, of action-tokens 32768, of point-cloud 8192", false},
    {"match", "N", "steps of the first phase, in which G learns what softmax gives; default 1000, 0: none", false},
    {"match-rounds", "N", "of the first phase: the new policy drives from the second one on; default 1", false},
    {"match-rate", "R", "largest rate of the first phase; default 0.02", false},
    {"tune", "N",
     "steps of the second phase, in which the policy learns to act as before; default 400, of action-tokens 6000, of "
     "point-cloud 4000, or 0 "
     "where it has memory",
     false},
    {"rate", "R", "largest rate of the second phase; default 0.00005, of action-tokens 0.003, of point-cloud 0.002",
     false},
    {"rounds", "N", "of the second phase: the new policy drives from the second one on; default 4, of action-tokens 12",
     false},
    {"seeds", "A..B", "episodes that are compared; default 1000..1099, for 0..99 are for reporting alone", false},
    {"threads", "N", "default 1", false},
    {"json", NULL, "print JSON", false},
    {0},
};

// a policy with its episodes
typedef struct version
{
    const char *name;
    sac_policy *policy;
    sac_episode *episodes; // [count]
} version;

typedef struct plan
{
    const cli_args *args;
    cli_target target;
    sac_setting settings[OPTIONS]; // as typed
    int setting_count;
    sac_uptrain_options options;
    sac_uptrain_def def;
    uint64_t first; // episode
    int count;
    const volatile int *interrupt;
    const char *attention; // the map in use
    version versions[VERSIONS];
    sac_uptrain_result result;
} plan;

static void show_progress(void *user, const char *phase, uint64_t step, uint64_t steps, double loss)
{
    (void)user;
    fprintf(stderr, "saccade: %s, step %llu of %llu, loss %.3g\n", phase, (unsigned long long)step,
            (unsigned long long)steps, loss);
}

// The flags that are options of up-training, which a recipe has under the same names.
static int read_options(plan *p)
{
    for (const sac_option *option = sac_uptrain_option_table; option->name; option++)
    {
        if (!cli_has(p->args, option->name)) continue;
        SAC_ASSERT(p->setting_count < OPTIONS);
        const bool is_switch = option->type == SAC_OPTION_BOOL;
        p->settings[p->setting_count++] =
            (sac_setting){option->name, is_switch ? "true" : cli_value(p->args, option->name)};
    }
    const sac_status status = sac_uptrain_options_read(&p->options, p->settings, p->setting_count, "uptrain");
    p->def = sac_uptrain_typed_def(&p->options);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

static int read_plan(plan *p)
{
    const cli_args *args = p->args;
    bool ok = true;
    uint64_t last;
    cli_range(args, "seeds", "1000..1099", &p->first, &last, &ok);
    const int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    const int code = read_options(p);
    if (code != CLI_OK) return code;
    sac_uptrain_def *d = &p->def;
    d->threads = threads;
    if (last == p->first) return cli_usage("uptrain: a comparison needs at least two episodes");
    if (last - p->first >= MAX_EPISODES) return cli_usage("uptrain: more than %d episodes", MAX_EPISODES);
    if (last >= d->first_episode)
        return cli_usage("uptrain: episode %llu is compared, but those from %llu on are learned from",
                         (unsigned long long)last, (unsigned long long)d->first_episode);
    if (!cli_has(args, "out")) return cli_usage("uptrain: say with --out where the new policy goes");
    p->count = (int)(last - p->first + 1);
    d->interrupt = p->interrupt;
    if (!cli_has(args, "json")) d->progress = show_progress;
    return CLI_OK;
}

// --- episodes ---

static sac_status drive(plan *p, version *v)
{
    uint64_t *seeds = calloc((size_t)p->count, sizeof *seeds);
    v->episodes = calloc((size_t)p->count, sizeof *v->episodes);
    sac_status status = seeds && v->episodes ? SAC_OK : sac_fail_memory("episodes");
    for (int i = 0; seeds && i < p->count; i++) seeds[i] = p->first + (uint64_t)i;
    const sac_evaluation_def def = {v->policy, &p->target.env, seeds, p->count, p->def.threads, p->interrupt, NULL};
    if (status == SAC_OK) status = sac_evaluate_seeds(&def, v->episodes);
    free(seeds);
    return status;
}

static sac_status save(plan *p)
{
    sac_policy_info info = p->target.info;
    const sac_score score = sac_score_of(p->versions[2].episodes, p->count);
    info.score = score.mean, info.score_std = score.std, info.score_episodes = score.episodes;
    return sac_policy_save(p->versions[2].policy, NULL, &info, cli_value(p->args, "out"));
}

static sac_status train(plan *p)
{
    version *v = p->versions;
    v[0] = (version){.name = "softmax", .policy = p->target.policy};
    v[1].name = "without up-training";
    v[2].name = "up-trained";
    sac_status status = sac_uptrain_twin(&v[1].policy, v[0].policy, &p->def);
    if (status == SAC_OK) status = sac_uptrain(&v[2].policy, v[0].policy, &p->target.env, &p->def, &p->result);
    for (int i = 0; status == SAC_OK && i < VERSIONS; i++) status = drive(p, &v[i]);
    if (status == SAC_OK) status = save(p);
    return status;
}

// --- what is printed ---

static bool is_of_clouds(const plan *p)
{
    return strcmp(sac_policy_kind(p->target.policy), "point-cloud") == 0;
}

static json_t *json_of_version(const plan *p, int index)
{
    const version *v = &p->versions[index];
    const sac_score score = sac_score_of(v->episodes, p->count);
    json_t *row = json_pack("{s:s, s:o, s:o}", "policy", v->name, "mean", sac_json_number(score.mean), "std",
                            sac_json_number(score.std));
    if (index == 0) return row;
    const cli_paired paired = cli_paired_of(v->episodes, p->versions[0].episodes, p->count);
    json_object_set_new(row, "difference", sac_json_number(paired.mean));
    json_object_set_new(row, "interval_95",
                        json_pack("[o,o]", sac_json_number(paired.low), sac_json_number(paired.high)));
    return row;
}

static sac_status print_json(const plan *p, const cli_look *looks, int look_count)
{
    json_t *versions = json_array(), *times = json_array();
    for (int i = 0; i < VERSIONS; i++) json_array_append_new(versions, json_of_version(p, i));
    for (int i = 0; i < look_count; i++)
        json_array_append_new(times, json_pack("{s:i, s:b, s:f, s:f}", "patches", looks[i].patches, "noise",
                                               looks[i].noisy, "softmax_us", 1e6 * looks[i].seconds[0], "linear_us",
                                               1e6 * looks[i].seconds[1]));
    const sac_uptrain_result *r = &p->result;
    return sac_json_print(
        stdout, json_pack("{s:s, s:i, s:b, s:i, s:i, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "attention",
                          p->attention, "features", r->features, "random", p->def.random, "frames", r->frames,
                          "training_episodes", r->episodes, "training_steps", (json_int_t)r->steps, "episodes",
                          p->count, "policies", versions, "looks", times, "match_first",
                          sac_json_number(r->match_first), "match_last", sac_json_number(r->match_last), "kept_first",
                          sac_json_number(r->kept_first), "kept_last", sac_json_number(r->kept_last), "tune_first",
                          sac_json_number(r->tune_first), "tune_last", sac_json_number(r->tune_last)));
}

static void print_losses(const plan *p)
{
    const sac_uptrain_result *r = &p->result;
    if (isfinite(r->match_last))
        printf("%s: %.3g at first, %.3g at last\n",
               isfinite(r->kept_last) ? "divergence of the choices of patches, nats"
                                      : "what softmax gives, share that is not explained",
               r->match_first, r->match_last);
    if (isfinite(r->kept_last))
        printf("patches that softmax keeps and it keeps, too: %.0f %% at first, %.0f %% at last\n", 100 * r->kept_first,
               100 * r->kept_last);
    if (isfinite(r->tune_last))
        printf("loss of acting as before: %.3g at first, %.3g at last\n", r->tune_first, r->tune_last);
}

static void print_text(const plan *p, const cli_look *looks, int look_count)
{
    printf("%s, variant %s, seeds %llu..%llu; sara-%s, %d feature%s, %d pictures of %d episodes\n", p->target.env.id,
           cli_target_variant(&p->target), (unsigned long long)p->first,
           (unsigned long long)(p->first + (uint64_t)p->count - 1), p->attention, p->result.features,
           sac_plural(p->result.features), p->result.frames, p->result.episodes);
    print_losses(p);
    for (int i = 0; i < VERSIONS; i++)
    {
        char text[2 * SAC_VALUE_SIZE], paired_text[CLI_PAIRED_SIZE];
        const sac_score score = sac_score_of(p->versions[i].episodes, p->count);
        sac_format_spread(text, score.mean, " +- ", score.std);
        printf("%-20s %s", p->versions[i].name, text);
        if (i == 0)
        {
            putchar('\n');
            continue;
        }
        const cli_paired paired = cli_paired_of(p->versions[i].episodes, p->versions[0].episodes, p->count);
        cli_paired_format(paired_text, &paired);
        printf("%*s difference %s\n", 20 - (int)strlen(text), "", paired_text);
    }
    const bool clouds = is_of_clouds(p);
    printf("%-20s %10s %10s %6s\n", clouds ? "one look, points" : "one look, patches", "softmax us", "linear us",
           "ratio");
    for (int i = 0; i < look_count; i++)
        printf("%-7d %-12s %10.1f %10.1f %6.2f\n", looks[i].patches,
               clouds           ? ""
               : looks[i].noisy ? "with noise"
                                : "as they are",
               1e6 * looks[i].seconds[0], 1e6 * looks[i].seconds[1], looks[i].seconds[0] / looks[i].seconds[1]);
}

static int report(const plan *p)
{
    cli_look looks[CLI_MAX_LOOKS];
    int count;
    const bool clouds = is_of_clouds(p);
    sac_status status = (clouds ? cli_time_clouds : cli_time_looks)(p->versions[0].policy, p->versions[2].policy,
                                                                    &p->target.env, looks, &count);
    if (status == SAC_OK && cli_has(p->args, "json"))
        status = print_json(p, looks, count);
    else if (status == SAC_OK)
        print_text(p, looks, count);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

static int end(sac_status status)
{
    if (status != SAC_ERROR_INTERRUPTED) return cli_fail(status);
    fprintf(stderr, "saccade: uptrain was interrupted; nothing was written\n");
    return CLI_INTERRUPTED;
}

// Of a policy whose maps are its layers there is no first phase, and no map apart from them. @return a code
static int check_layers(const plan *p)
{
    const char *option = sac_uptrain_option_of_maps(p->settings, p->setting_count);
    if (!option || !sac_uptrain_in_layers(p->target.policy)) return CLI_OK;
    return cli_usage(
        "uptrain: --%s means nothing for %s, whose maps are its layers of queries and keys, which learn in "
        "the second phase",
        option, sac_policy_kind(p->target.policy));
}

static int run(const cli_args *args)
{
    plan p = {.args = args, .interrupt = cli_catch_signals()};
    int code = read_plan(&p);
    if (code == CLI_OK) code = cli_check_out(args, "out");
    if (code == CLI_OK) code = cli_target_open(&p.target, args, cli_positional(args, 0));
    if (code != CLI_OK) return code;
    p.attention = sac_uptrain_settle(&p.def, p.target.policy).attention;
    code = check_layers(&p);
    if (code == CLI_OK)
    {
        sac_status status = train(&p);
        code = status == SAC_OK ? report(&p) : end(status);
    }
    for (int i = 0; i < VERSIONS; i++)
    {
        if (i > 0) sac_policy_destroy(p.versions[i].policy);
        free(p.versions[i].episodes);
    }
    cli_target_close(&p.target);
    return code;
}

const cli_command cli_uptrain = {"uptrain", "POLICY", "softmax attention becomes linear, the policy stays: SARA-RT",
                                 flags, run};
