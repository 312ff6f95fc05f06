#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "train/run.h"

/// What a run tells in words while it goes on: lines of its journal, and episodes that gave no number.

sac_status sac_run_event(sac_run *r, const char *event, const char *text)
{
    return sac_run_writes(r) ? sac_journal_event(r->journal, r->state.generation + r->under_way, event, text) : SAC_OK;
}

sac_status sac_run_report_bad(sac_run *r, sac_round_kind kind, int unit_count)
{
    for (int i = 0; i < unit_count; i++)
    {
        const sac_unit *unit = &r->units[i];
        if (!isnan(unit->episode_return)) continue;
        char who[32] = "the evaluated mean", text[240];
        if (kind == SAC_ROUND_TRAINING) snprintf(who, sizeof who, "candidate %d", unit->individual);
        snprintf(text, sizeof r->first_bad,
                 "%s, episode seed %" PRIu64 ", step %d: an action or a reward is not a number", who, unit->seed,
                 unit->steps);
        if (!r->first_bad[0]) memcpy(r->first_bad, text, sizeof r->first_bad);
        uint64_t count = ++r->bad_episodes;
        if ((count & (count - 1)) != 0) continue;
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "; it ranks last; %" PRIu64 " such episode%s so far", count,
                 count == 1 ? "" : "s");
        SAC_TRY(sac_run_event(r, "nan", text));
    }
    return SAC_OK;
}
