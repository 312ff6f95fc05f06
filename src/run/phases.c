#include "run/phases.h"

#include "base/clock.h"

const char *sac_phase_name(sac_phase phase)
{
    static const char *const names[] = {
#define X(name, text) text,
        SAC_PHASE_LIST(X)
#undef X
    };
    return names[phase];
}

void sac_phases_begin(sac_phases *phases)
{
    phases->mark = sac_clock();
}

void sac_phases_end(sac_phases *phases, sac_phase phase)
{
    double now = sac_clock();
    phases->seconds[phase] += now - phases->mark;
    phases->mark = now;
}

void sac_phases_end_rollouts(sac_phases *phases, const sac_rollouts *rollouts)
{
    double acting, stepping, now = sac_clock();
    sac_rollouts_times(rollouts, &acting, &stepping);
    double acted = acting - phases->acting, both = acted + stepping - phases->stepping;
    double share = both > 0 ? acted / both : 0;
    phases->seconds[SAC_PHASE_AGENT] += share * (now - phases->mark);
    phases->seconds[SAC_PHASE_WORLD] += (1 - share) * (now - phases->mark);
    phases->acting = acting;
    phases->stepping = stepping;
    phases->mark = now;
}
