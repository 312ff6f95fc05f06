#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/text.h"
#include "saccade/export.h"
#include "target.h"

/// saccade export: a policy without saccade.

enum
{
    MAX_EPISODES = 100000,
    MAX_THREADS = 1024
};

static const cli_flag flags[] = {
    {"c", "F.c",
     "write one freestanding C99 file: attention-agent, iap-rank, iap-trans or cnn, up to 65,535 patches; refused: "
     "mlp, "
     "any input but one picture, and heads, projection, selection and key_period other than their defaults",
     false},
    {"onnx", "F.onnx", "write an ONNX graph of one step, opset 13: the same policies", false},
    {"int8", NULL, "weights in 8 bits; what that costs is measured on --seeds and stated", false},
    {"seeds", "A..B", "episodes of that measurement; default 0..19", false},
    {"threads", "N", "of that measurement; default 1", false},
    CLI_TARGET_FLAGS,
    {0},
};

// Writes what the rounding costs. One episode gives a loss, but no standard error of it.
static void describe_loss(const sac_episode *exact, const sac_episode *rough, int count, char *note, size_t size)
{
    double mean = 0, square = 0;
    for (int i = 0; i < count; i++) mean += (exact[i].episode_return - rough[i].episode_return) / count;
    for (int i = 0; i < count; i++)
        square += pow(exact[i].episode_return - rough[i].episode_return - mean, 2) / fmax(count - 1, 1);
    double error = sqrt(square / count);
    int d = sac_decimals(mean, error);
    char spread[64] = "";
    if (count > 1) snprintf(spread, sizeof spread, " +- %.*f (standard error)", d, error);
    snprintf(note, size, "8 bits: return %.*f instead of %.*f, a loss of %.*f%s, %d episode%s.", d,
             sac_score_of(rough, count).mean, d, sac_score_of(exact, count).mean, d, mean, spread, count,
             sac_plural(count));
}

// "Rounding to 8 bits costs 3.1 +- 4.0 of the return ..."
static int measure(cli_target *target, const cli_args *args, char *note, size_t size)
{
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "seeds", "0..19", &first, &last, &ok);
    int threads = (int)cli_integer(args, "threads", 1, 1, MAX_THREADS, &ok);
    if (!ok) return CLI_USAGE;
    if (last - first >= MAX_EPISODES) return cli_usage("export: more than %d episodes", MAX_EPISODES);
    int count = (int)(last - first + 1);
    sac_episode *exact, *rough;
    int code = cli_target_drive(target, first, count, threads, NULL, &exact);
    if (code != CLI_OK) return code;
    code = cli_check_returns("export", exact, count);
    if (code != CLI_OK)
    {
        free(exact);
        return code;
    }
    sac_policy *whole = target->policy, *rounded;
    sac_status status = sac_export_round(&rounded, whole);
    if (status != SAC_OK)
    {
        free(exact);
        return cli_fail(status);
    }
    target->policy = rounded;
    code = cli_target_drive(target, first, count, threads, NULL, &rough);
    target->policy = whole;
    sac_policy_destroy(rounded);
    if (code == CLI_OK)
    {
        code = cli_check_returns("export", rough, count);
        describe_loss(exact, rough, count, note, size);
        free(rough);
    }
    free(exact);
    return code;
}

static int export_c(cli_target *target, const cli_args *args)
{
    char note[256] = "";
    bool int8 = cli_has(args, "int8");
    int code = int8 ? measure(target, args, note, sizeof note) : CLI_OK;
    if (code != CLI_OK) return code;
    const char *path = cli_value(args, "c");
    sac_export_sizes sizes;
    sac_export_def def = {.int8 = int8, .note = int8 ? note : NULL, .info = &target->info};
    sac_status status = sac_export_c(target->policy, &def, path, &sizes);
    if (status != SAC_OK) return cli_fail(status);
    printf("%s: %zu bytes of constants, %zu bytes of memory beside the image\n", path, sizes.constants, sizes.memory);
    if (int8) puts(note);
    return CLI_OK;
}

static int run(const cli_args *args)
{
    if (!cli_has(args, "c") && !cli_has(args, "onnx"))
        return cli_usage("export: say what to write: --c F.c or --onnx F.onnx");
    if (cli_has(args, "int8") && !cli_has(args, "c")) return cli_usage("export: --int8 is for --c");
    cli_target target;
    int code = cli_check_out(args, "c");
    if (code == CLI_OK) code = cli_target_open(&target, args, cli_positional(args, 0));
    if (code != CLI_OK) return code;
    if (cli_has(args, "c")) code = export_c(&target, args);
    const char *onnx = cli_value(args, "onnx");
    if (code == CLI_OK && onnx)
    {
        sac_status status = sac_export_onnx(target.policy, onnx);
        if (status == SAC_OK)
            puts(onnx);
        else
            code = cli_fail(status);
    }
    cli_target_close(&target);
    return code;
}

const cli_command cli_export = {"export", "POLICY", "write a policy as a program of its own", flags, run};
