#include "run/checkpoint.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/atomic.h"

/// The run's own numbers in a checkpoint, in the order of its tensor "run.numbers"; see sac_run_state.
enum
{
    GENERATION,
    STEPS,
    FITNESS_AVERAGE,
    STAGE,
    BEST_EVALUATION,
    BEST,
    MEAN,
    STD,
    PENDING,
    ATTEMPT,
    ATTEMPT_START,
    NUMBERS,
    FIRST_NUMBERS = ATTEMPT, ///< in the files of before fresh starts existed
};

enum
{
    KEPT = 2,
    PREFIX_SIZE = 64,
};

static const char format_version[] = "1";

// The file that says that a run has had checkpoints. It lies beside their folder, so that it stays where they are lost,
// and comes after the first of them, so that a run that was killed before has none and may begin anew.
static const char mark[] = "checkpointed";

// the run's numbers, counters included: whole numbers are exact below 2^53
static void pack(double numbers[NUMBERS], const sac_run_state *s)
{
    numbers[GENERATION] = (double)s->generation;
    numbers[STEPS] = (double)s->steps;
    numbers[FITNESS_AVERAGE] = s->fitness_average;
    numbers[STAGE] = s->stage;
    numbers[BEST_EVALUATION] = s->best_evaluation;
    numbers[BEST] = s->best;
    numbers[MEAN] = s->mean;
    numbers[STD] = s->std;
    numbers[PENDING] = s->pending;
    numbers[ATTEMPT] = s->attempt;
    numbers[ATTEMPT_START] = (double)s->attempt_start;
}

static void unpack(sac_run_state *s, const double numbers[NUMBERS])
{
    s->generation = (uint64_t)numbers[GENERATION];
    s->steps = (uint64_t)numbers[STEPS];
    s->fitness_average = numbers[FITNESS_AVERAGE];
    s->stage = (int)numbers[STAGE];
    s->best_evaluation = numbers[BEST_EVALUATION];
    s->best = numbers[BEST];
    s->mean = numbers[MEAN];
    s->std = numbers[STD];
    s->pending = numbers[PENDING] != 0;
    s->attempt = (int)numbers[ATTEMPT];
    s->attempt_start = (uint64_t)numbers[ATTEMPT_START];
}

/// Everything as tensors: the learner's arrays under its section's name, then the run's.
typedef struct layout
{
    sac_kept_array arrays[SAC_MAX_KEPT_ARRAYS];
    char names[SAC_MAX_KEPT_ARRAYS][PREFIX_SIZE];
    int array_count;
    double numbers[NUMBERS];
    sac_tensor tensors[SAC_MAX_KEPT_ARRAYS + 3];
    int count;
} layout;

// arrays without a number are left out
static int list_arrays(const sac_kept *kept, sac_kept_array *arrays)
{
    int listed = kept->arrays(kept->self, arrays, SAC_MAX_KEPT_ARRAYS), count = 0;
    SAC_ASSERT(listed <= SAC_MAX_KEPT_ARRAYS);
    for (int i = 0; i < listed; i++)
        if (arrays[i].count > 0) arrays[count++] = arrays[i];
    return count;
}

static void lay_out(layout *l, const sac_kept *kept, const sac_run_state *state)
{
    l->array_count = list_arrays(kept, l->arrays);
    for (int i = 0; i < l->array_count; i++)
    {
        snprintf(l->names[i], PREFIX_SIZE, "%s.%s", kept->section, l->arrays[i].name);
        l->tensors[i] = (sac_tensor){.name = l->names[i],
                                     .dtype = l->arrays[i].dtype,
                                     .rank = 1,
                                     .shape = {(int64_t)l->arrays[i].count},
                                     .data = l->arrays[i].data};
    }
    pack(l->numbers, state);
    l->count = l->array_count;
    l->tensors[l->count++] =
        (sac_tensor){.name = "run.numbers", .dtype = SAC_F64, .rank = 1, .shape = {NUMBERS}, .data = l->numbers};
    l->tensors[l->count++] = (sac_tensor){
        .name = "run.average", .dtype = SAC_F64, .rank = 1, .shape = {state->dimension}, .data = state->average};
    if (state->normaliser_count > 0)
        l->tensors[l->count++] = (sac_tensor){.name = "run.filter",
                                              .dtype = SAC_F64,
                                              .rank = 1,
                                              .shape = {state->normaliser_count},
                                              .data = state->normaliser};
}

// "00000120.safetensors" -> 120; false for any other name
static bool parse_name(const char *name, uint64_t *generation)
{
    char *end;
    if (name[0] < '0' || name[0] > '9') return false;
    *generation = strtoull(name, &end, 10);
    return end == name + 8 && strcmp(end, ".safetensors") == 0;
}

/// The checkpoints of a folder, newest first.
typedef struct listing
{
    uint64_t generations[64];
    int count;
} listing;

static void list_checkpoints(listing *list, const char *folder)
{
    list->count = 0;
    DIR *dir = opendir(folder);
    if (!dir) return;
    struct dirent *entry;
    while ((entry = readdir(dir)))
    {
        uint64_t generation;
        if (!parse_name(entry->d_name, &generation)) continue;
        int at = list->count < 64 ? list->count++ : 63;
        for (; at > 0 && list->generations[at - 1] < generation; at--)
            list->generations[at] = list->generations[at - 1];
        list->generations[at] = generation;
    }
    closedir(dir);
}

static sac_status checkpoint_path(char path[SAC_PATH_SIZE], const char *run_dir, uint64_t generation)
{
    char name[64];
    snprintf(name, sizeof name, "checkpoints/%08" PRIu64 ".safetensors", generation);
    return sac_join_path(path, run_dir, name);
}

// Removes all but the newest two checkpoints. A kill may have left more than one too many.
static void remove_old(const char *run_dir)
{
    char folder[SAC_PATH_SIZE], path[SAC_PATH_SIZE];
    listing list;
    if (sac_join_path(folder, run_dir, "checkpoints") != SAC_OK) return;
    list_checkpoints(&list, folder);
    for (int i = KEPT; i < list.count; i++)
        if (checkpoint_path(path, run_dir, list.generations[i]) == SAC_OK) unlink(path);
}

static sac_status write_mark(const char *run_dir)
{
    static const char text[] = "This run has had checkpoints: saccade does not begin it anew where none is left.\n";
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, run_dir, mark));
    return access(path, F_OK) == 0 ? SAC_OK : sac_write_file(path, text, sizeof text - 1);
}

sac_status sac_checkpoint_write(const char *run_dir, const sac_kept *kept, const sac_run_state *state)
{
    layout l;
    lay_out(&l, kept, state);
    const sac_metadata metadata[] = {
        {"format", format_version}, {"cpu_level", sac_cpu_level_name(sac_get_cpu_level())}, {"checksum", NULL}};
    char path[SAC_PATH_SIZE];
    SAC_TRY(checkpoint_path(path, run_dir, state->generation));
    SAC_TRY(sac_tensors_save(path, l.tensors, l.count, metadata, 3));
    SAC_TRY(write_mark(run_dir));

    remove_old(run_dir);
    return SAC_OK;
}

static sac_status check_level(const sac_tensors *file, bool any_cpu_level)
{
    const char *level = sac_tensors_metadata(file, "cpu_level"), *mine = sac_cpu_level_name(sac_get_cpu_level());
    if (any_cpu_level || (level && strcmp(level, mine) == 0)) return SAC_OK;
    return sac_fail(
        SAC_ERROR_ARGUMENT,
        "the checkpoint was written at CPU level %s, this is %s: set SACCADE_CPU=%s, or allow it with --any-cpu-level",
        level ? level : "unknown", mine, level ? level : "...");
}

static sac_status copy_into(const sac_tensors *file, const sac_tensor *expected, void *out)
{
    const sac_tensor *found;
    SAC_TRY(sac_tensors_get(&found, file, expected->name, expected->dtype, 1, expected->shape));
    memcpy(out, found->data, sac_dtype_size(found->dtype) * sac_tensor_count(found));
    return SAC_OK;
}

// Reads the run's numbers. Those that an older file lacks are zero.
static sac_status copy_numbers(const sac_tensors *file, const sac_tensor *expected, double numbers[NUMBERS])
{
    const sac_tensor *found = sac_tensors_find(file, expected->name);
    sac_tensor older = *expected;
    older.shape[0] = FIRST_NUMBERS;
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    bool is_older = found && sac_tensor_count(found) == FIRST_NUMBERS;
    return copy_into(file, is_older ? &older : expected, numbers);
}

// A learner whose arrays change their sizes, such as a search that restarts, takes those of the file before the rest is
// read.
static sac_status reshape(const sac_tensors *file, const sac_kept *kept, const sac_run_state *state)
{
    layout l;
    lay_out(&l, kept, state);
    for (int i = 0; kept->shape && i < l.array_count; i++)
    {
        if (strcmp(l.arrays[i].name, kept->shape) != 0) continue;
        SAC_TRY(copy_into(file, &l.tensors[i], l.arrays[i].data));
        return kept->reshape(kept->self);
    }
    return SAC_OK;
}

sac_status sac_checkpoint_restore(const uint8_t *bytes, size_t size, const sac_kept *kept, sac_run_state *state,
                                  bool any_cpu_level)
{
    sac_tensors *file;
    SAC_TRY(sac_tensors_read(&file, bytes, size, "the checkpoint"));
    const char *version = sac_tensors_metadata(file, "format");
    sac_status status = SAC_OK;
    if (!version || strcmp(version, format_version) != 0)
        status = sac_fail(SAC_ERROR_FORMAT, "the checkpoint has format version %.20s, this saccade reads %s",
                          version ? version : "absent", format_version);
    if (status == SAC_OK) status = check_level(file, any_cpu_level);
    if (status == SAC_OK) status = reshape(file, kept, state);

    layout l;
    lay_out(&l, kept, state);
    for (int i = 0; status == SAC_OK && i < l.array_count; i++)
        status = copy_into(file, &l.tensors[i], l.arrays[i].data);
    if (status == SAC_OK) status = copy_numbers(file, &l.tensors[l.array_count], l.numbers);
    if (status == SAC_OK) status = copy_into(file, &l.tensors[l.array_count + 1], state->average);
    if (status == SAC_OK && state->normaliser_count > 0)
        status = copy_into(file, &l.tensors[l.array_count + 2], state->normaliser);
    if (status == SAC_OK) unpack(state, l.numbers);
    if (status == SAC_OK) status = kept->restored(kept->self);
    sac_tensors_destroy(file);
    return status;
}

// Opens a file and checks its checksum.
static sac_status load_one(const char *path, uint8_t **bytes, size_t *size)
{
    sac_tensors *file = NULL;
    SAC_TRY(sac_read_file(bytes, size, path, (size_t)4 << 30));
    sac_status status = sac_tensors_read(&file, *bytes, *size, path);
    if (status == SAC_OK) status = sac_tensors_verify(file);
    sac_tensors_destroy(file);
    if (status == SAC_OK) return SAC_OK;
    sac_free(*bytes);
    *bytes = NULL;
    *size = 0;
    return status;
}

// Moves a damaged file out of the way. It is kept for whoever wants to know what happened, but is no checkpoint any
// more.
static void set_aside(const char *run_dir, uint64_t generation)
{
    char path[SAC_PATH_SIZE], aside[SAC_PATH_SIZE];
    if (checkpoint_path(path, run_dir, generation) != SAC_OK) return;
    if (snprintf(aside, sizeof aside, "%s.damaged", path) < (int)sizeof aside) (void)rename(path, aside);
}

uint64_t sac_checkpoint_newest(const char *run_dir)
{
    char folder[SAC_PATH_SIZE];
    listing list = {.count = 0};
    if (sac_join_path(folder, run_dir, "checkpoints") == SAC_OK) list_checkpoints(&list, folder);
    return list.count > 0 ? list.generations[0] : 0;
}

static sac_status count_rows(const char *run_dir, int *rows)
{
    char path[SAC_PATH_SIZE];
    uint8_t *bytes;
    size_t size;
    *rows = 0;
    SAC_TRY(sac_join_path(path, run_dir, "metrics.csv"));
    if (access(path, F_OK) != 0) return SAC_OK;
    SAC_TRY(sac_read_file(&bytes, &size, path, (size_t)1 << 30));
    for (size_t i = 0; i < size; i++) *rows += bytes[i] == '\n';
    *rows -= *rows > 0; // the header
    sac_free(bytes);
    return SAC_OK;
}

// A run without checkpoints begins anew, which replaces its files: not where it has had some. Runs of before there was
// a mark may have lost theirs, so what is replaced is said.
static sac_status check_anew(const char *run_dir)
{
    char path[SAC_PATH_SIZE];
    int rows;
    SAC_TRY(sac_join_path(path, run_dir, mark));
    if (access(path, F_OK) == 0)
        return sac_fail(SAC_ERROR_FILE,
                        "%.400s: its checkpoints are gone: put the last one back into %.400s/checkpoints; --run names "
                        "another folder to begin anew",
                        run_dir, run_dir);
    SAC_TRY(count_rows(run_dir, &rows));
    if (rows > 0)
        sac_log(SAC_LOG_WARNING,
                "%.400s: there is no checkpoint so far: the run begins anew, and %d row%s of metrics.csv "
                "%s replaced",
                run_dir, rows, sac_plural(rows), rows == 1 ? "is" : "are");
    return SAC_OK;
}

sac_status sac_checkpoint_load(const char *run_dir, uint8_t **bytes, size_t *size)
{
    char folder[SAC_PATH_SIZE], path[SAC_PATH_SIZE];
    listing list;
    *bytes = NULL;
    *size = 0;
    SAC_TRY(sac_join_path(folder, run_dir, "checkpoints"));
    list_checkpoints(&list, folder);
    sac_status status = list.count > 0 ? SAC_OK : check_anew(run_dir);
    for (int i = 0; i < list.count; i++)
    {
        SAC_TRY(checkpoint_path(path, run_dir, list.generations[i]));
        status = load_one(path, bytes, size);
        if (status == SAC_OK)
        {
            // Where none is whole, all stay as they are.
            for (int newer = 0; newer < i; newer++) set_aside(run_dir, list.generations[newer]);
            remove_old(run_dir);
        }
        if (status != SAC_ERROR_FORMAT) return status;
        // The file is damaged. The one before it is as good, only older. That the last is damaged is what fails.
        if (i + 1 < list.count) sac_log(SAC_LOG_WARNING, "%s", sac_last_error());
    }
    return status;
}
