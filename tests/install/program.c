#include <saccade/attention.h>
#include <saccade/base.h>
#ifndef ATTENTION_ONLY
#include <saccade/env.h>
#include <saccade/evolve.h>
#include <saccade/policy.h>
#include <saccade/train.h>
#endif

#include <stdio.h>
#include <string.h>

// a user's first program: the version that was compiled against is the one that runs, and something works
int main(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SAC_VERSION_MAJOR, SAC_VERSION_MINOR, SAC_VERSION_PATCH);
    if (strcmp(version, sac_version()) != 0) return 1;
#ifndef ATTENTION_ONLY
    sac_env *env;
    if (sac_env_create(&env, &(sac_env_def){.id = "toy"}) != SAC_OK) return 2;
    sac_env_destroy(env);
#endif
    printf("%s on %s\n", version, sac_cpu_level_name(sac_get_cpu_level()));
    return 0;
}
