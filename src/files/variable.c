#include "files/variable.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct
{
    const char *name, *expected;
} variables[] = {
    {"SACCADE_MODULES", "the folder of saccade's modules"},
    {"SACCADE_MODELS", "the folder of the control suite's models"},
    {"SACCADE_MUJOCO", "the folder of MuJoCo's library"},
    {"SACCADE_PYTHON", "the Python that worlds of other makers run in"},
    {"SACCADE_PEERS", "the Python that has the peers"},
    {"SACCADE_PLUGINS", "FILE.so, or several with colons between them"},
    {"SACCADE_ZOO", "a folder of trained policies"},
};

enum
{
    VARIABLE_COUNT = sizeof variables / sizeof *variables
};

sac_status sac_read_variable(const char **value, const char *name)
{
    *value = getenv(name);
    if (!*value || **value) return SAC_OK;
    int i = 0;
    while (i < VARIABLE_COUNT && strcmp(variables[i].name, name) != 0) i++;
    return sac_fail(SAC_ERROR_ARGUMENT, "%s is empty, expected %s", name,
                    i < VARIABLE_COUNT ? variables[i].expected : "a path");
}

sac_status sac_check_variables(void)
{
    const char *value;
    for (int i = 0; i < VARIABLE_COUNT; i++) SAC_TRY(sac_read_variable(&value, variables[i].name));
    return SAC_OK;
}
