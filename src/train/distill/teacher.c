#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/checksum.h"
#include "run/start.h"
#include "saccade/play.h"
#include "train/distill/distill.h"

/// Who shows what to do: a policy that acts in the same world, or a file of demonstrations from it.

enum
{
    FILE_LIMIT = 1 << 30
};

// the run's own copy where there is one, so that a run goes on with the teacher that it began with
static sac_status read_teacher(const sac_run *r, uint8_t **bytes, size_t *size)
{
    char copy[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(copy, r->def->run_dir, SAC_TEACHER_FILE));
    bool kept = r->def->resume && access(copy, F_OK) == 0;
    const char *path = kept ? copy : r->task->teacher.policy;
    sac_status status = sac_read_file(bytes, size, path, FILE_LIMIT);
    if (status != SAC_OK && access(path, F_OK) != 0)
        return sac_fail(status, "teacher.policy: %.800s; train the teacher first", sac_last_error());
    return status;
}

// a world that is known and is another one
static sac_status check_world(const sac_run *r, const char *path, const char *world)
{
    if (!world[0] || strcmp(world, r->task->env) == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%.300s is of the world %.80s, and the task's is %.80s", path, world,
                    r->task->env);
}

static sac_status check_policy(const sac_run *r, const sac_env *env, const sac_policy_info *info)
{
    const char *path = r->task->teacher.policy;
    SAC_TRY(check_world(r, path, info->environment));
    sac_status status = sac_policy_fits(sac_distill_of(r)->teacher, env, NULL);
    return status == SAC_OK ? SAC_OK : sac_fail_in(status, "%.300s", path);
}

static sac_status load_policy(sac_run *r, const sac_env *env)
{
    sac_distill *d = sac_distill_of(r);
    uint8_t *bytes = NULL;
    size_t size = 0;
    sac_status status = sac_run_writes(r) ? read_teacher(r, &bytes, &size) : SAC_OK;
    status = sac_comm_share(r->comm, status, &bytes, &size);
    sac_policy_info info = {0};
    if (status == SAC_OK) status = sac_policy_read(&d->teacher, &info, bytes, size, r->task->teacher.policy);
    if (status == SAC_OK) d->teacher_hash = sac_hash_bytes(SAC_HASH_START, bytes, size);
    sac_free(bytes);
    if (status == SAC_OK) status = check_policy(r, env, &info);
    sac_policy_info_clear(&info);
    return status;
}

// --- demonstrations ----------------------------------------------------------------------------------------------

static sac_status fit_part(const sac_run *r, const sac_demonstrations *shown, const sac_space *input, int *part)
{
    const char *path = r->task->teacher.demonstrations;
    char wanted[SAC_SPACE_TEXT_SIZE], found[SAC_SPACE_TEXT_SIZE];
    *part = sac_space_find(shown->parts, shown->part_count, input->name);
    if (*part < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.300s: the policy takes '%s', which is not recorded there (%s%s is)",
                        path, sac_space_format(input, wanted), sac_space_format(&shown->parts[0], found),
                        shown->part_count > 1 ? " and others" : "");
    if (sac_space_same(input, &shown->parts[*part])) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%.300s: the policy takes '%s', and recorded is '%s'", path,
                    sac_space_format(input, wanted), sac_space_format(&shown->parts[*part], found));
}

static sac_status fit_demonstrations(sac_run *r, const sac_env *env)
{
    sac_distill *d = sac_distill_of(r);
    const char *path = r->task->teacher.demonstrations;
    const sac_demonstrations *shown = sac_demonstrations_get(d->shown);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    SAC_TRY(check_world(r, path, shown->environment));
    const sac_space action = sac_env_action_space(sac_env_get_spec(env));
    if (!sac_space_same(&shown->action, &action))
    {
        char wanted[SAC_SPACE_TEXT_SIZE], found[SAC_SPACE_TEXT_SIZE];
        return sac_fail(SAC_ERROR_ARGUMENT, "%.300s: the task's world takes '%s', and recorded is '%s'", path,
                        sac_space_format(&action, wanted), sac_space_format(&shown->action, found));
    }
    for (int i = 0; i < def->input_count; i++)
    {
        int part;
        SAC_TRY(fit_part(r, shown, &def->inputs[i], &part));
        d->shown_parts[i] = shown->frames[part];
    }
    if (shown->frame_count <= INT32_MAX) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "%.300s: %lld frames, expected 2^31 - 1 at most", path,
                    (long long)shown->frame_count);
}

static sac_status load_demonstrations(sac_run *r, const sac_env *env)
{
    sac_distill *d = sac_distill_of(r);
    SAC_TRY(sac_demonstrations_open(&d->shown, r->task->teacher.demonstrations));
    const sac_demonstrations *shown = sac_demonstrations_get(d->shown);
    SAC_TRY(fit_demonstrations(r, env));
    d->shown_starts = SAC_NEW_ARRAY(uint8_t, (size_t)shown->frame_count);
    if (!d->shown_starts) return sac_fail_memory("demonstrations");
    int64_t at = 0;
    for (int i = 0; i < shown->episode_count; at += shown->lengths[i++]) d->shown_starts[at] = 1;
    // the actions of all frames tell one file from another well enough
    d->teacher_hash = sac_hash_bytes(SAC_HASH_START, shown->actions,
                                     (size_t)shown->frame_count * sac_space_size(&shown->action) * sizeof(float));
    return SAC_OK;
}

sac_status sac_distill_load(sac_run *r)
{
    sac_env *env;
    const sac_env_def def = sac_task_env_def(r->task);
    SAC_TRY(sac_env_create(&env, &def));
    sac_status status = r->task->teacher.policy[0] ? load_policy(r, env) : load_demonstrations(r, env);
    sac_env_destroy(env);
    return status;
}
