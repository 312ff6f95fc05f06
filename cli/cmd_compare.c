#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "files/json.h"
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

// the two-sided 95 % quantile of Student's t, by Fisher's expansion around the normal one
static double student_95(int freedom)
{
    const double z = 1.959963984540054, n = freedom;
    return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n);
}

// drives the policy at positional `index`; NULL after a message
static sac_episode *drive(const cli_args *args, int index, uint64_t first, int count, int threads, int *code)
{
    cli_target target;
    *code = cli_target_open(&target, args, cli_positional(args, index));
    if (*code != CLI_OK) return NULL;
    sac_episode *episodes;
    *code = cli_target_drive(&target, first, count, threads, &episodes);
    cli_target_close(&target);
    return episodes;
}

static sac_status report(const cli_args *args, const sac_episode *a, const sac_episode *b, sac_episode *difference,
                         int count)
{
    for (int i = 0; i < count; i++) difference[i].episode_return = a[i].episode_return - b[i].episode_return;
    sac_score score_a = sac_score_of(a, count), score_b = sac_score_of(b, count);
    sac_score paired = sac_score_of(difference, count);
    double half = student_95(count - 1) * paired.std / sqrt(count);
    if (cli_has(args, "json"))
    {
        json_t *root =
            json_pack("{s:[o,o], s:[o,o], s:o, s:[o,o], s:i}", "mean", sac_json_number(score_a.mean),
                      sac_json_number(score_b.mean), "std", sac_json_number(score_a.std), sac_json_number(score_b.std),
                      "difference", sac_json_number(paired.mean), "interval_95", sac_json_number(paired.mean - half),
                      sac_json_number(paired.mean + half), "episodes", count);
        return sac_json_print(stdout, root);
    }
    printf("%s: %.1f +- %.1f\n%s: %.1f +- %.1f\n", cli_positional(args, 0), score_a.mean, score_a.std,
           cli_positional(args, 1), score_b.mean, score_b.std);
    printf("difference %+.1f, 95 %% confidence %+.1f .. %+.1f, %d episodes in pairs: %s\n", paired.mean,
           paired.mean - half, paired.mean + half, count,
           paired.mean - half > 0   ? "the first is better"
           : paired.mean + half < 0 ? "the second is better"
                                    : "no difference shown");
    return SAC_OK;
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

    int count = (int)(last - first + 1), code = CLI_OK;
    sac_episode *a = drive(args, 0, first, count, threads, &code);
    sac_episode *b = a ? drive(args, 1, first, count, threads, &code) : NULL;
    sac_episode *difference = b ? calloc((size_t)count, sizeof *difference) : NULL;
    sac_status status = !b ? SAC_OK : difference ? report(args, a, b, difference, count) : sac_fail_memory("episodes");
    if (status != SAC_OK) code = cli_fail(status);
    free(a);
    free(b);
    free(difference);
    return code;
}

const cli_command cli_compare = {"compare", "POLICY_A POLICY_B", "two policies on the same episodes: paired difference",
                                 flags, run};
