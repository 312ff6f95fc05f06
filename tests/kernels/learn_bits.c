#include <stdio.h>

#include "learn_cases.h"

/// Every layer, loss and gradient has the same bits on every machine and level: one digest over all of them. With
/// --each, one a case.

int main(int argc, char **argv)
{
    const uint32_t expected = 0xc4eb9b10;
    const sac_cpu_level best = sac_get_cpu_level();
    int failures = 0;
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        uint32_t all = 1;
        for (int i = 0; i < LEARN_CASES; i++)
        {
            uint32_t digest = learn_digest(&learn_cases[i]);
            if (argc > 1) printf("%s %s %08x\n", sac_cpu_level_name(level), learn_cases[i].name, digest);
            all = (all ^ digest) * 16777619u;
        }
        if (all == expected) continue;
        printf("%s: digest %08x, expected %08x\n", sac_cpu_level_name(level), all, expected);
        failures++;
    }
    (void)argv;
    return failures > 0;
}
