#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/atomic.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "show/plots/table.h"

/// Policies in changed worlds as bars: a group for each variant, and in it a bar for each policy and one for the
/// article's agent.

enum
{
    MAX_TABLES = 16,
    MAX_POLICIES = 5,
    MAX_VARIANTS = 24,
    ARTICLE = MAX_POLICIES, // the article's series comes last, in grey
    SERIES = MAX_POLICIES + 1,
    NAME_SIZE = 96
};

typedef struct series
{
    char path[SAC_PATH_SIZE], name[NAME_SIZE];
    double mean[MAX_VARIANTS], std[MAX_VARIANTS];
} series;

typedef struct chart
{
    char env[64], variants[MAX_VARIANTS][NAME_SIZE];
    int variant_count, policy_count, episodes;
    series series[SERIES];
    bool has_article;
} chart;

// Search linearly among the texts and add a new one at the end; -1: no room.
static int place_of(char *names, size_t size, int *count, int limit, const char *name)
{
    int i = 0;
    while (i < *count && strncmp(names + (size_t)i * size, name, size - 1) != 0) i++;
    if (i == limit) return -1;
    if (i == *count) snprintf(names + (size_t)(*count)++ * size, size, "%s", name);
    return i;
}

static int policy_of(chart *c, const char *path)
{
    int i = 0;
    while (i < c->policy_count && strncmp(c->series[i].path, path, sizeof c->series[i].path - 1) != 0) i++;
    if (i == MAX_POLICIES) return -1;
    if (i < c->policy_count) return i;
    c->policy_count++;
    snprintf(c->series[i].path, sizeof c->series[i].path, "%s", path);
    return i;
}

enum
{
    POLICY,
    ENV,
    VARIANT,
    EPISODES,
    MEAN,
    STD,
    ARTICLE_MEAN,
    ARTICLE_STD,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {"policy", "environment", "variant",      "episodes",
                                                  "mean",   "std",         "article_mean", "article_std"};

static sac_status take_row(chart *c, const sac_table *t, const int at[COLUMNS], int row, const char *env)
{
    const char *world = sac_table_cell(t, row, at[ENV]);
    if (env && strcmp(env, world) != 0) return SAC_OK;
    if (!c->env[0]) snprintf(c->env, sizeof c->env, "%s", world);
    if (strncmp(c->env, world, sizeof c->env - 1) != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%.200s: '%.60s' and '%.60s' are two worlds, whose returns do not compare; "
                        "--env names one",
                        t->path, c->env, world);
    int policy = policy_of(c, sac_table_cell(t, row, at[POLICY]));
    int variant = place_of(c->variants[0], sizeof c->variants[0], &c->variant_count, MAX_VARIANTS,
                           sac_table_cell(t, row, at[VARIANT]));
    if (policy < 0 || variant < 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.200s: more than %d policies or %d variants", t->path, (int)MAX_POLICIES,
                        (int)MAX_VARIANTS);
    double mean = sac_table_number(t, row, at[MEAN]), article = sac_table_number(t, row, at[ARTICLE_MEAN]);
    if (!isfinite(mean))
        return sac_fail(SAC_ERROR_FORMAT, "%.200s: line %d has no number for 'mean'", t->path, row + 2);
    c->series[policy].mean[variant] = mean;
    c->series[policy].std[variant] = sac_table_number(t, row, at[STD]);
    c->episodes = (int)sac_table_number(t, row, at[EPISODES]);
    if (!isfinite(article)) return SAC_OK;
    c->has_article = true;
    c->series[ARTICLE].mean[variant] = article;
    c->series[ARTICLE].std[variant] = sac_table_number(t, row, at[ARTICLE_STD]);
    return SAC_OK;
}

static sac_status take_table(chart *c, const char *path, const char *env)
{
    sac_table table;
    int at[COLUMNS];
    sac_status status = sac_table_read(&table, path);
    if (status == SAC_OK) status = sac_table_columns(&table, column_names, at, COLUMNS, "a table of generalise");
    for (int row = 0; status == SAC_OK && row < table.rows; row++) status = take_row(c, &table, at, row, env);
    sac_table_clear(&table);
    return status;
}

// Name a policy by its file name without the ending, and with its folder where two have the same name.
static void name_policies(chart *c)
{
    for (int i = 0; i < c->policy_count; i++)
    {
        const char *path = c->series[i].path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        for (int k = 0; k < c->policy_count; k++)
        {
            const char *other = c->series[k].path, *cut = strrchr(other, '/');
            if (k != i && strcmp(cut ? cut + 1 : other, name) == 0) name = path;
        }
        size_t length = strlen(name);
        const char *ending = strstr(name, ".safetensors");
        if (ending) length = (size_t)(ending - name);
        snprintf(c->series[i].name, NAME_SIZE, "%.*s", (int)length, name);
    }
    snprintf(c->series[ARTICLE].name, NAME_SIZE, "the article's agent");
}

static sac_status draw(chart *c, const char *title, const char *path)
{
    double x[MAX_VARIANTS];
    const char *names[MAX_VARIANTS];
    sac_plot_line lines[SERIES];
    char own_title[128], subtitle[128];
    int bars = c->policy_count + c->has_article;
    double width = 0.8 / bars;
    for (int v = 0; v < c->variant_count; v++) x[v] = v, names[v] = c->variants[v];
    for (int i = 0; i < bars; i++)
    {
        bool article = i == c->policy_count;
        const series *s = &c->series[article ? ARTICLE : i];
        lines[i] = (sac_plot_line){.name = s->name,
                                   .x = x,
                                   .y = s->mean,
                                   .spread = s->std,
                                   .count = c->variant_count,
                                   .color = article ? 5 : i,
                                   .faint = article,
                                   .bars = true,
                                   .offset = (i - 0.5 * (bars - 1)) * width,
                                   .width = 0.92 * width};
    }
    snprintf(own_title, sizeof own_title, "%s: when the world changes", c->env);
    snprintf(subtitle, sizeof subtitle,
             "mean return of %d episode%s \xc2\xb1 one standard deviation, without further training", c->episodes,
             sac_plural(c->episodes));
    return sac_plot_write(&(sac_plot){.title = title ? title : own_title,
                                      .subtitle = subtitle,
                                      .y_label = "return",
                                      .lines = lines,
                                      .line_count = bars,
                                      .mark_x = NAN,
                                      .x_names = names,
                                      .x_name_count = c->variant_count},
                          path);
}

sac_status sac_plot_generalisation(const char *const *tables, int count, const char *env, const char *title,
                                   const char *path)
{
    if (count < 1 || count > MAX_TABLES)
        return sac_fail(SAC_ERROR_ARGUMENT, "plot: %d tables, expected 1 to %d", count, MAX_TABLES);
    chart *c = SAC_NEW(chart);
    if (!c) return sac_fail_memory("a plot");
    for (int s = 0; s < SERIES; s++)
        for (int v = 0; v < MAX_VARIANTS; v++) c->series[s].mean[v] = c->series[s].std[v] = NAN;
    sac_status status = SAC_OK;
    for (int i = 0; i < count && status == SAC_OK; i++) status = take_table(c, tables[i], env);
    if (status == SAC_OK && c->policy_count == 0)
        status = sac_fail(SAC_ERROR_ARGUMENT, "plot: %.200s has no row%s%.60s", tables[0], env ? " of " : "",
                          env ? env : "");
    if (status == SAC_OK)
    {
        name_policies(c);
        status = draw(c, title, path);
    }
    sac_free(c);
    return status;
}
