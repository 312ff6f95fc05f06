#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/text.h"
#include "counts.h"
#include "files/json.h"
#include "target.h"

enum
{
    MAX_EPISODES = 1000000,
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    CLI_TARGET_FLAGS,
    {"seeds", "A..B", "episodes, both ends included; default 0..99, which report; choose by 1000..1999", false},
    {"threads", "N", "default 1", false},
    {"random", NULL, "draw actions at random instead: no POLICY, but --env", false},
    {"idle", NULL, "do nothing instead, all zeros or choice 0: no POLICY, but --env", false},
    {"json", NULL, "print JSON", false},
    {"stamp", "F.safetensors", "also write the policy to F with this score among its facts", false},
    {0},
};

static void print_text(const cli_target *target, const sac_episode *episodes, int count, const cli_counts *counts)
{
    sac_score score = sac_score_of(episodes, count);
    int decimals = sac_decimals(score.mean, score.std);
    printf("%s, variant %s\n%8s %10s %6s\n", target->env.id, cli_target_variant(target), "seed", "return", "steps");
    for (int i = 0; i < count; i++)
        printf("%8" PRIu64 " %10.*f %6d\n", episodes[i].seed, decimals, episodes[i].episode_return, episodes[i].steps);
    printf("mean %.*f, standard deviation %.*f, %d episode%s\n", decimals, score.mean, decimals, score.std, count,
           sac_plural(count));
    cli_counts_print(counts);
}

static sac_status print_json(const cli_target *target, const char *path, const sac_episode *episodes, int count,
                             const cli_counts *counts)
{
    sac_score score = sac_score_of(episodes, count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:I, s:o, s:i}", "seed", (json_int_t)episodes[i].seed, "return",
                                              sac_json_number(episodes[i].episode_return), "steps", episodes[i].steps));
    return sac_json_print(stdout,
                          json_pack("{s:o, s:o, s:o, s:o, s:s, s:s, s:s}", "mean", sac_json_number(score.mean), "std",
                                    sac_json_number(score.std), "counts", cli_counts_json(counts), "episodes", list,
                                    "env", target->env.id, "variant", cli_target_variant(target), "policy",
                                    path ? path : cli_baseline_name(target->baseline)));
}

static sac_status stamp(cli_target *target, const char *path, const sac_episode *episodes, int count)
{
    sac_score score = sac_score_of(episodes, count);
    target->info.score = score.mean;
    target->info.score_std = score.std;
    target->info.score_episodes = score.episodes;
    return sac_policy_save(target->policy, NULL, &target->info, path);
}

static int report(cli_target *target, const cli_args *args, const sac_episode *episodes, int count,
                  const cli_counts *counts)
{
    sac_status status = SAC_OK;
    bool whole = isfinite(sac_score_of(episodes, count).mean);
    if (whole && cli_has(args, "stamp")) status = stamp(target, cli_value(args, "stamp"), episodes, count);
    if (status == SAC_OK && cli_has(args, "json"))
        status = print_json(target, cli_positional(args, 0), episodes, count, counts);
    else if (status == SAC_OK)
        print_text(target, episodes, count, counts);
    // every return was printed, but what was asked for is their mean
    return status == SAC_OK ? cli_check_returns("eval", episodes, count) : cli_fail(status);
}

static int evaluate(cli_target *target, const cli_args *args, uint64_t first, int count, int threads)
{
    cli_counts counts;
    sac_episode *episodes = NULL;
    const sac_status status = cli_counts_open(&counts, &target->env, count);
    int code =
        status == SAC_OK ? cli_target_drive(target, first, count, threads, counts.ends, &episodes) : cli_fail(status);
    if (code == CLI_OK) code = report(target, args, episodes, count, &counts);
    free(episodes);
    cli_counts_close(&counts);
    return code;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "seeds", "0..99", &first, &last, &ok);
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    if (last - first >= MAX_EPISODES) return cli_usage("eval: more than %d episodes", MAX_EPISODES);

    const char *path = cli_positional(args, 0);
    bool random = cli_has(args, "random"), idle = cli_has(args, "idle");
    if (random + idle + (path != NULL) != 1)
        return cli_usage("eval: expected a policy, or one of --random and --idle with --env");
    if (!path && cli_has(args, "stamp"))
        return cli_usage("eval: --%s has no policy to stamp", random ? "random" : "idle");
    cli_target target;
    int code = cli_check_out(args, "stamp");
    if (code == CLI_OK) code = cli_target_open(&target, args, path);
    if (code != CLI_OK) return code;
    target.baseline = idle ? SAC_BASELINE_IDLE : SAC_BASELINE_RANDOM;

    code = evaluate(&target, args, first, (int)(last - first + 1), threads);
    cli_target_close(&target);
    return code;
}

const cli_command cli_eval = {"eval", "[POLICY]", "drive a policy over episodes: mean, spread, every return", flags,
                              run};
