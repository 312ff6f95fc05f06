// A policy file drives the environment that it was made for: drive [POLICY.safetensors [SEED]]
#include <saccade/env.h>
#include <saccade/policy.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void)
{
    fprintf(stderr, "drive: %s\n", sac_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tests/golden/data/policy_v1.safetensors";
    sac_policy *policy;
    sac_policy_info info;
    sac_policy_state *state;
    sac_env *env;
    static uint8_t image[96 * 96 * 3], terminated, truncated;
    static float action[3];
    double reward, sum = 0;
    sac_env_row row = {action, (void *const[SAC_MAX_PARTS]){image}, &reward, &terminated, &truncated};

    // from here it is ten lines
    if (sac_policy_load(&policy, &info, path) || sac_policy_state_create(&state, policy)) return fail();
    if (sac_env_create(&env, &(sac_env_def){.id = info.environment})) return fail();
    if (sac_env_reset(env, argc > 2 ? strtoull(argv[2], NULL, 10) : 0, &row)) return fail();
    int steps = 0;
    for (; !terminated && !truncated; steps++)
    {
        sac_policy_act(state, image, action);
        if (sac_env_step(env, &row)) return fail();
        sum += reward;
    }

    printf("%s: return %.1f after %d steps\n", info.environment, sum, steps);
    sac_env_destroy(env);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    sac_policy_info_clear(&info);
    return 0;
}
