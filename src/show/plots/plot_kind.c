#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "files/atomic.h"
#include "saccade/result_plots.h"

sac_status sac_plot_kind_of(sac_plot_kind *kind, const char *path)
{
    static const struct
    {
        const char *first; // words of the first line
        sac_plot_kind kind;
    } kinds[] = {{"generation,steps,", SAC_PLOT_RUN},
                 {"policy,environment,", SAC_PLOT_GENERALISATION},
                 {"row,column,importance,", SAC_PLOT_IMPORTANCE},
                 {"row,column,contribution,", SAC_PLOT_IMPORTANCE},
                 {"step,kept,", SAC_PLOT_ATTENTION},
                 {"by,version,form,", SAC_PLOT_KERNELS},
                 {"epoch,steps,", SAC_PLOT_FIT}};
    *kind = SAC_PLOT_RUN;
    struct stat facts;
    const bool folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    char line[64] = "", metrics[SAC_PATH_SIZE];
    if (folder) SAC_TRY(sac_join_path(metrics, path, "metrics.csv"));
    FILE *file = fopen(folder ? metrics : path, "re");
    if (!file && folder) return SAC_OK; // which says what it lacks when it is read
    if (!file) return sac_fail(SAC_ERROR_FILE, "plot: %.200s cannot be read; expected a run or a table", path);
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    for (size_t i = 0; read && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(line, kinds[i].first, strlen(kinds[i].first)) == 0)
        {
            *kind = kinds[i].kind;
            return SAC_OK;
        }
    if (folder) return SAC_OK;
    line[strcspn(line, "\r\n")] = 0;
    return sac_fail(SAC_ERROR_FORMAT,
                    "plot: %.200s begins with '%s'; expected metrics of a run, or a table of generalise --out, attend "
                    "--csv, watch --attention or bench attention",
                    path, line);
}
