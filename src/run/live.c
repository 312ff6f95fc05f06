#include "run/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "files/json.h"

static json_t *phases_of(const sac_progress *p)
{
    json_t *phases = json_object();
    for (int i = 0; i < SAC_PHASE_COUNT; i++)
        json_object_set_new(phases, sac_phase_name((sac_phase)i), sac_json_number(p->phases[i]));
    return phases;
}

sac_status sac_live_write_as(const char *run_dir, json_t *root)
{
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER) : NULL;
    json_decref(root);
    if (!text) return sac_fail_memory("progress.json");
    char path[SAC_PATH_SIZE];
    sac_atomic file = {.fast = true};
    sac_status status = sac_join_path(path, run_dir, "progress.json");
    if (status == SAC_OK) status = sac_atomic_begin(&file, path);
    if (status == SAC_OK) status = sac_atomic_write(&file, text, strlen(text));
    if (status == SAC_OK) status = sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    free(text);
    return status;
}

sac_status sac_live_write(const char *run_dir, const sac_progress *p)
{
    return sac_live_write_as(run_dir, json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "generation",
                                                (json_int_t)p->generation, "generations", (json_int_t)p->generations,
                                                "steps", (json_int_t)p->steps, "seconds", sac_json_number(p->seconds),
                                                "seconds_left", sac_json_number(p->seconds_left), "limit_left",
                                                sac_json_number(p->limit_left), "steps_per_second",
                                                sac_json_number(p->steps_per_second), "phases", phases_of(p)));
}
