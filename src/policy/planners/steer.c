#include "policy/planners/steer.h"

#include <math.h>

#include "policy/kind.h"

void sac_steer(float action[2], float ahead, float left, float steering, float narrow, const sac_policy_def *def)
{
    const float distance = sqrtf(ahead * ahead + left * left);
    const float cosine = distance > 0 ? ahead / distance : 1, sine = distance > 0 ? left / distance : 0;
    const float turn = cosine > 0 ? steering * sine : sine > 0 ? 1 : -1;
    const float speed = narrow < 1 ? (cosine - narrow) / (1 - narrow) : 0;
    action[0] = speed < 0 ? 0 : speed; // it does not drive backwards
    action[1] = turn;
    sac_policy_bound(def, action);
}
