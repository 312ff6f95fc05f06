#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/student.h"
#include "files/json.h"
#include "same_world.h"

enum
{
    MAX_EPISODES = 100000,
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    CLI_TARGET_FLAGS,
    {"seeds", "A..B", "episodes that both drive; default 1000..1099, for 0..99 are for reporting alone", false},
    {"threads", "N", "default 1", false},
    {"json", NULL, "print JSON", false},
    {0},
};

static sac_status report(const cli_args *args, const sac_episode *a, const sac_episode *b, sac_episode *difference,
                         int count)
{
    for (int i = 0; i < count; i++) difference[i].episode_return = a[i].episode_return - b[i].episode_return;
    sac_score score_a = sac_score_of(a, count), score_b = sac_score_of(b, count);
    sac_score paired = sac_score_of(difference, count);
    double half = sac_student_quantile(0.95, count - 1) * paired.std / sqrt(count);
    if (cli_has(args, "json"))
    {
        json_t *root =
            json_pack("{s:[o,o], s:[o,o], s:o, s:[o,o], s:i}", "mean", sac_json_number(score_a.mean),
                      sac_json_number(score_b.mean), "std", sac_json_number(score_a.std), sac_json_number(score_b.std),
                      "difference", sac_json_number(paired.mean), "interval_95", sac_json_number(paired.mean - half),
                      sac_json_number(paired.mean + half), "episodes", count);
        return sac_json_print(stdout, root);
    }
    for (int i = 0; i < 2; i++)
    {
        char text[2 * SAC_VALUE_SIZE];
        sac_format_spread(text, i ? score_b.mean : score_a.mean, " +- ", i ? score_b.std : score_a.std);
        printf("%s: %s\n", cli_positional(args, i), text);
    }
    int d = sac_decimals(paired.mean, half);
    printf("difference %+.*f, 95 %% confidence %+.*f .. %+.*f, %d episodes in pairs: %s\n", d, paired.mean, d,
           paired.mean - half, d, paired.mean + half, count,
           paired.mean - half > 0   ? "the first is better"
           : paired.mean + half < 0 ? "the second is better"
                                    : "no difference shown");
    return SAC_OK;
}

// both drive the same episodes
static int drive_both(const cli_args *args, const cli_target targets[2], uint64_t first, int count, int threads)
{
    sac_episode *episodes[2] = {NULL}, *difference = calloc((size_t)count, sizeof *difference);
    int code = difference ? CLI_OK : cli_fail(sac_fail_memory("episodes"));
    for (int i = 0; code == CLI_OK && i < 2; i++)
    {
        code = cli_target_drive(&targets[i], first, count, threads, &episodes[i]);
        if (code == CLI_OK) code = cli_check_returns("compare", episodes[i], count);
    }
    if (code == CLI_OK)
    {
        sac_status status = report(args, episodes[0], episodes[1], difference, count);
        if (status != SAC_OK) code = cli_fail(status);
    }
    free(episodes[0]);
    free(episodes[1]);
    free(difference);
    return code;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "seeds", "1000..1099", &first, &last, &ok);
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    if (last == first) return cli_usage("compare: a comparison needs at least two episodes");
    if (last - first >= MAX_EPISODES) return cli_usage("compare: more than %d episodes", MAX_EPISODES);

    cli_target targets[2];
    int code = cli_target_open(&targets[0], args, cli_positional(args, 0));
    if (code != CLI_OK) return code;
    code = cli_target_open(&targets[1], args, cli_positional(args, 1));
    if (code == CLI_OK)
    {
        sac_status status = cli_check_same_world(&targets[0], &targets[1]);
        code = status == SAC_OK ? drive_both(args, targets, first, (int)(last - first + 1), threads) : cli_fail(status);
        cli_target_close(&targets[1]);
    }
    cli_target_close(&targets[0]);
    return code;
}

const cli_command cli_compare = {"compare", "POLICY_A POLICY_B", "two policies on the same episodes: paired difference",
                                 flags, run};
