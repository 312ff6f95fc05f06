#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "files/json.h"
#include "saccade/demonstrations.h"
#include "stop.h"
#include "target.h"

enum
{
    MAX_EPISODES = 1000000,
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    {"out", "F.safetensors", "the file; it is written whole or not at all", false},
    CLI_TARGET_FLAGS,
    {"seeds", "A..B", "episodes, both ends included; default 1000000..1000009, of those that training draws", false},
    {"parts", "NAMES",
     "parts of the observation that are kept, separated by commas, such as camera,state; default: all that are not "
     "privileged",
     false},
    {"threads", "N", "default 1; any number writes the same bytes", false},
    {"random", NULL, "draw actions at random instead: no POLICY, but --env", false},
    {"idle", NULL, "do nothing instead, all zeros or choice 0: no POLICY, but --env", false},
    {"json", NULL, "print JSON", false},
    {0},
};

/// What came of a recording.
typedef struct outcome
{
    sac_score score;
    int64_t steps;
    long long bytes;
} outcome;

static outcome sum_up(const sac_episode *episodes, int count, const char *path)
{
    outcome o = {.score = sac_score_of(episodes, count)};
    for (int i = 0; i < count; i++) o.steps += episodes[i].steps;
    struct stat info;
    if (stat(path, &info) == 0) o.bytes = info.st_size;
    return o;
}

static void print_text(const outcome *o, const char *path)
{
    char returns[2 * SAC_VALUE_SIZE];
    sac_format_spread(returns, o->score.mean, " +- ", o->score.std);
    printf("%s: %d episode%s, %" PRId64 " steps, return %s, %.1f MB\n", path, o->score.episodes,
           sac_plural(o->score.episodes), o->steps, returns, 1e-6 * (double)o->bytes);
}

static sac_status print_json(const outcome *o, const char *path, const char *driver)
{
    return sac_json_print(stdout, json_pack("{s:s, s:s, s:i, s:I, s:o, s:o, s:I}", "file", path, "driver", driver,
                                            "episodes", o->score.episodes, "steps", (json_int_t)o->steps, "mean",
                                            sac_json_number(o->score.mean), "std", sac_json_number(o->score.std),
                                            "bytes", (json_int_t)o->bytes));
}

static sac_status record(const cli_args *args, const cli_target *target, uint64_t first, int count, int threads)
{
    const char *out = cli_value(args, "out");
    const char *driver = cli_positional(args, 0) ? cli_positional(args, 0) : cli_baseline_name(target->baseline);
    sac_episode *episodes = calloc((size_t)count, sizeof *episodes);
    uint64_t *seeds = calloc((size_t)count, sizeof *seeds);
    for (int i = 0; seeds && i < count; i++) seeds[i] = first + (uint64_t)i;
    const sac_record_def def = {.path = out,
                                .policy = target->policy,
                                .random = target->baseline == SAC_BASELINE_RANDOM,
                                .driver = driver,
                                .env = &target->env,
                                .seeds = seeds,
                                .count = count,
                                .parts = cli_value(args, "parts"),
                                .threads = threads,
                                .interrupt = cli_catch_signals()};
    sac_status status = episodes && seeds ? sac_record(&def, episodes) : sac_fail_memory("episodes");
    if (status == SAC_OK)
    {
        const outcome o = sum_up(episodes, count, out);
        if (cli_has(args, "json"))
            status = print_json(&o, out, driver);
        else
            print_text(&o, out);
    }
    free(episodes);
    free(seeds);
    return status;
}

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "seeds", "1000000..1000009", &first, &last, &ok);
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    if (last - first >= MAX_EPISODES) return cli_usage("record: more than %d episodes", MAX_EPISODES);
    if (!cli_has(args, "out")) return cli_usage("record: say which file to write with --out");

    const char *path = cli_positional(args, 0);
    bool random = cli_has(args, "random"), idle = cli_has(args, "idle");
    if (random + idle + (path != NULL) != 1)
        return cli_usage("record: expected a policy, or one of --random and --idle with --env");
    cli_target target;
    int code = cli_check_out(args, "out");
    if (code == CLI_OK) code = cli_target_open(&target, args, path);
    if (code != CLI_OK) return code;
    target.baseline = idle ? SAC_BASELINE_IDLE : SAC_BASELINE_RANDOM;

    sac_status status = record(args, &target, first, (int)(last - first + 1), threads);
    cli_target_close(&target);
    if (status == SAC_OK) return CLI_OK;
    if (status != SAC_ERROR_INTERRUPTED) return cli_fail(status);
    fputs("saccade: interrupted; nothing is written\n", stderr);
    return CLI_INTERRUPTED;
}

const cli_command cli_record = {"record", "[POLICY]", "write episodes to a file of demonstrations", flags, run};
