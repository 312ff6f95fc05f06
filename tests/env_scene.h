#pragma once

#include <stdio.h>
#include <string.h>

#include "saccade/env.h"

/// A world by its id, its variant (NULL: the original), and settings such as "level=3,noise=0".
static inline sac_status env_create(sac_env **env, const char *id, const char *variant, const char *settings)
{
    sac_setting list[8];
    char text[512];
    int count = 0;
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
    {
        char *equals = strchr(word, '=');
        *equals = 0;
        list[count++] = (sac_setting){word, equals + 1};
    }
    return sac_env_create(env, &(sac_env_def){.id = id, .variant = variant, .settings = list, .setting_count = count});
}
