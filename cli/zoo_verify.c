#define _GNU_SOURCE
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "files/atomic.h"
#include "stop.h"
#include "train/recipe_train.h"
#include "zoo.h"

/// saccade zoo --verify: every policy trained again by its recipe, and compared with the one that ships, bit by bit.

enum
{
    PAUSE = 10 ///< seconds between two lines of progress
};

typedef struct verification
{
    const sac_recipe *recipe;
    double begun, shown, own_steps; ///< own_steps: of this process, whatever an earlier one did
    uint64_t last;
} verification;

static void print_count(uint64_t count, const char *what)
{
    if (count < 1000000)
        printf("%" PRIu64 " %s", count, what);
    else
        printf("%.2f million %s", (double)count * 1e-6, what);
}

// one line every ten seconds and at the end of each part, with what is left of all parts at the speed so far
static void show(void *user, int index, const sac_progress *p)
{
    verification *v = user;
    const sac_recipe_part *part = &v->recipe->parts[index];
    double now = sac_clock();
    if (p->generation > 1 && p->steps > v->last && v->last > 0) v->own_steps += (double)(p->steps - v->last);
    v->last = p->steps;
    bool last = p->generation == p->generations;
    if (!last && now - v->shown < PAUSE) return;
    v->shown = now;
    double left = 0;
    for (int i = index; i < v->recipe->part_count; i++) left += (double)v->recipe->parts[i].steps;
    left = (left - (double)p->steps) / (v->own_steps > 0 ? v->own_steps : (double)p->steps) * (now - v->begun);
    printf("  %s: generation %" PRIu64 " of %" PRIu64 ", %.2f of %.2f million steps, about %.0f minutes left\n",
           part->run, p->generation, p->generations, (double)p->steps * 1e-6, (double)part->steps * 1e-6, left / 60);
    if (last) v->last = 0;
    fflush(stdout);
}

// likewise of an up-training, whose steps of the world are not known before its end
static void show_uptraining(void *user, int index, const char *phase, uint64_t step, uint64_t steps)
{
    verification *v = user;
    double now = sac_clock();
    if (step < steps && now - v->shown < PAUSE) return;
    v->shown = now;
    printf("  %s: %s, step %" PRIu64 " of %" PRIu64 "\n", v->recipe->parts[index].run, phase, step, steps);
    fflush(stdout);
}

/// @return what differs, in words; NULL: nothing does
static const char *compare(const sac_policy *shipped, const sac_policy *trained)
{
    int count = sac_policy_parameter_count(shipped);
    if (strcmp(sac_policy_kind(shipped), sac_policy_kind(trained)) != 0) return "they are of different kinds";
    if (sac_policy_parameter_count(trained) != count) return "they have different numbers of parameters";
    size_t bytes = sizeof(float) * (size_t)count;
    return memcmp(sac_policy_parameters(shipped), sac_policy_parameters(trained), bytes) == 0 ? NULL
                                                                                              : "the parameters differ";
}

static bool print_verdict(const sac_recipe *recipe, const char *path, const sac_policy *trained, const uint64_t *steps)
{
    sac_policy *shipped;
    char theirs[17], ours[17];
    if (sac_policy_load(&shipped, NULL, path) != SAC_OK)
    {
        cli_fail(SAC_ERROR_FORMAT);
        return false;
    }
    sac_recipe_hash(shipped, theirs);
    sac_recipe_hash(trained, ours);
    const char *difference = compare(shipped, trained);
    if (difference)
        printf("  DIFFERENT: %s, %s shipped, %s trained\n", difference, theirs, ours);
    else
        printf("  same: %d parameters, %s\n", sac_policy_parameter_count(shipped), ours);
    bool counted = true;
    for (int i = 0; i < recipe->part_count; i++)
    {
        if (steps[i] == recipe->parts[i].steps) continue;
        printf("  DIFFERENT: %s took %" PRIu64 " steps, the recipe says %" PRIu64 "\n", recipe->parts[i].run, steps[i],
               recipe->parts[i].steps);
        counted = false;
    }
    sac_policy_destroy(shipped);
    return !difference && counted;
}

static sac_status verify(const zoo_choice *zoo, const char *path, const char *runs, int threads, bool *same)
{
    char recipe_path[ZOO_PATH_SIZE];
    sac_recipe *recipe;
    zoo_recipe_path(recipe_path, path);
    SAC_TRY(sac_recipe_load(&recipe, recipe_path));
    printf("%s: %d part%s, ", path, recipe->part_count, recipe->part_count == 1 ? "" : "s");
    print_count(sac_recipe_steps(recipe), "steps\n");
    if (recipe->start[0]) printf("  begins with %s, which is not trained again\n", recipe->start);
    fflush(stdout);

    verification v = {.recipe = recipe, .begun = sac_clock(), .shown = sac_clock()};
    uint64_t steps[RECIPE_PARTS] = {0};
    sac_policy *trained;
    sac_status status = sac_recipe_train(recipe,
                                         &(sac_recipe_def){.root = zoo->root,
                                                           .runs = runs,
                                                           .threads = threads,
                                                           .progress = show,
                                                           .uptrain_progress = show_uptraining,
                                                           .user = &v,
                                                           .interrupt = cli_catch_signals()},
                                         &trained, steps);
    if (status == SAC_OK) *same = print_verdict(recipe, path, trained, steps);
    sac_policy_destroy(trained);
    sac_recipe_destroy(recipe);
    return status;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

// Says how many steps lie ahead, before anything is trained.
static int announce(const zoo_choice *zoo)
{
    uint64_t steps = 0;
    for (int i = 0; i < zoo->count; i++)
    {
        char path[ZOO_PATH_SIZE];
        sac_recipe *recipe;
        zoo_recipe_path(path, zoo->paths[i]);
        sac_status status = sac_recipe_load(&recipe, path);
        if (status != SAC_OK) return cli_fail(status);
        steps += sac_recipe_steps(recipe);
        sac_recipe_destroy(recipe);
    }
    printf("%d polic%s to train again, ", zoo->count, zoo->count == 1 ? "y" : "ies");
    print_count(steps, "steps in all\n");
    return CLI_OK;
}

int zoo_verify(const zoo_choice *zoo, const char *runs, int threads)
{
    int code = announce(zoo), same = 0;
    if (code != CLI_OK) return code;
    char scratch[SAC_PATH_SIZE];
    const char *temporary = getenv("TMPDIR");
    sac_status joined = sac_join_path(scratch, temporary && temporary[0] ? temporary : "/tmp", "saccade-zoo-XXXXXX");
    if (!runs && joined != SAC_OK) return cli_fail(joined);
    if (!runs && !mkdtemp(scratch)) return cli_fail(sac_fail(SAC_ERROR_FILE, "%s: no folder can be made", scratch));
    for (int i = 0; code == CLI_OK && i < zoo->count; i++)
    {
        bool is_same = false;
        sac_status status = verify(zoo, zoo->paths[i], runs ? runs : scratch, threads, &is_same);
        same += is_same;
        if (status == SAC_ERROR_INTERRUPTED)
            fprintf(stderr, "saccade: zoo: %s%s\n", sac_last_error(),
                    runs ? "; the same command goes on from there" : "; with --run DIR the same command would go on");
        if (status != SAC_OK) code = status == SAC_ERROR_INTERRUPTED ? CLI_INTERRUPTED : cli_fail(status);
    }
    if (!runs) nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (code != CLI_OK) return code;
    printf("%d of %d %s what %s recipe%s give%s\n", same, zoo->count, zoo->count == 1 ? "is" : "are",
           zoo->count == 1 ? "its" : "their", zoo->count == 1 ? "" : "s", zoo->count == 1 ? "s" : "");
    return same == zoo->count ? CLI_OK : CLI_FAILURE;
}
