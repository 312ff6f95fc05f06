#include "counts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static bool is_counted(const sac_env_column *column)
{
    return column->type == SAC_COLUMN_FLAG || column->type == SAC_COLUMN_COUNT;
}

sac_status cli_counts_open(cli_counts *counts, const sac_env_def *env, int episodes)
{
    *counts = (cli_counts){.episodes = episodes};
    const sac_env_ops *ops = sac_env_find(env->id);
    if (!ops || !ops->state) return SAC_OK; // an unknown world is refused by whoever drives in it
    SAC_TRY(sac_env_create(&counts->env, env));
    const sac_env_spec *spec = sac_env_get_spec(counts->env);
    bool any = false;
    for (int i = 0; i < spec->column_count; i++) any |= is_counted(&spec->columns[i]);
    if (!any)
    {
        cli_counts_close(counts);
        return SAC_OK;
    }
    counts->ends = calloc((size_t)episodes * (size_t)spec->column_count, sizeof *counts->ends);
    return counts->ends ? SAC_OK : sac_fail_memory("episodes");
}

void cli_counts_close(cli_counts *counts)
{
    sac_env_destroy(counts->env);
    free(counts->ends);
    *counts = (cli_counts){0};
}

void cli_counts_print(const cli_counts *counts)
{
    if (!counts->env) return;
    const sac_env_spec *spec = sac_env_get_spec(counts->env);
    const char *before = "";
    for (int i = 0; i < spec->column_count; i++)
    {
        const sac_env_column *column = &spec->columns[i];
        if (!is_counted(column)) continue;
        printf("%s%s %.0f ", before, column->name, sac_count_of(spec, i, counts->ends, counts->episodes));
        if (column->type == SAC_COLUMN_FLAG)
            printf("of %d", counts->episodes);
        else
            printf("in all");
        before = ", ";
    }
    printf("\n");
}

json_t *cli_counts_json(const cli_counts *counts)
{
    json_t *object = json_object();
    const sac_env_spec *spec = counts->env ? sac_env_get_spec(counts->env) : NULL;
    for (int i = 0; spec && i < spec->column_count; i++)
        if (is_counted(&spec->columns[i]))
            json_object_set_new(object, spec->columns[i].name,
                                json_integer((json_int_t)sac_count_of(spec, i, counts->ends, counts->episodes)));
    return object;
}
