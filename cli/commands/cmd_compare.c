#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "files/json.h"
#include "paired.h"
#include "same_world.h"
#include "target.h"

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

static sac_status report(const cli_args *args, const sac_episode *a, const sac_episode *b, int count)
{
    const cli_paired paired = cli_paired_of(a, b, count);
    if (cli_has(args, "json"))
    {
        json_t *root =
            json_pack("{s:[o,o], s:[o,o], s:o, s:[o,o], s:i}", "mean", sac_json_number(paired.first.mean),
                      sac_json_number(paired.second.mean), "std", sac_json_number(paired.first.std),
                      sac_json_number(paired.second.std), "difference", sac_json_number(paired.mean), "interval_95",
                      sac_json_number(paired.low), sac_json_number(paired.high), "episodes", count);
        return sac_json_print(stdout, root);
    }
    for (int i = 0; i < 2; i++)
    {
        char text[2 * SAC_VALUE_SIZE];
        const sac_score *score = i ? &paired.second : &paired.first;
        sac_format_spread(text, score->mean, " +- ", score->std);
        printf("%s: %s\n", cli_positional(args, i), text);
    }
    char text[CLI_PAIRED_SIZE];
    cli_paired_format(text, &paired);
    printf("difference %s, %d episodes in pairs: %s\n", text, count,
           paired.low > 0    ? "the first is better"
           : paired.high < 0 ? "the second is better"
                             : "no difference shown");
    return SAC_OK;
}

// both drive the same episodes
static int drive_both(const cli_args *args, const cli_target targets[2], uint64_t first, int count, int threads)
{
    sac_episode *episodes[2] = {NULL};
    int code = CLI_OK;
    for (int i = 0; code == CLI_OK && i < 2; i++)
    {
        code = cli_target_drive(&targets[i], first, count, threads, NULL, &episodes[i]);
        if (code == CLI_OK) code = cli_check_returns("compare", episodes[i], count);
    }
    if (code == CLI_OK)
    {
        sac_status status = report(args, episodes[0], episodes[1], count);
        if (status != SAC_OK) code = cli_fail(status);
    }
    free(episodes[0]);
    free(episodes[1]);
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
        sac_status status = cli_check_same_world(&targets[0].env, &targets[1].env);
        code = status == SAC_OK ? drive_both(args, targets, first, (int)(last - first + 1), threads) : cli_fail(status);
        cli_target_close(&targets[1]);
    }
    cli_target_close(&targets[0]);
    return code;
}

const cli_command cli_compare = {"compare", "POLICY_A POLICY_B", "two policies on the same episodes: paired difference",
                                 flags, run};
