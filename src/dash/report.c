#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "dash/nets/net_report.h"
#include "dash/player.h"
#include "dash/template.h"
#include "files/atomic.h"
#include "run/start.h"
#include "saccade/dash.h"
#include "saccade/plugin.h"
#include "saccade/run.h"
#include "saccade/show.h"

/// A report is a run as one HTML file: the template report.html with its {{words}} filled in.

enum
{
    FILE_LIMIT = 64 << 20,
    STEP_LIMIT = 100000
};

typedef struct report
{
    const char *run_dir;
    const sac_report_def *def;
    sac_run_summary summary;
    sac_player player;
    sac_growing frames, out;
    int steps; // steps of the episode
    double episode_return;
} report;

// --- pieces of text ---------------------------------------------------------------------------------------------

static void add_fact(report *r, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_fact(report *r, const char *name, const char *format, ...)
{
    char value[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof value, format, list);
    va_end(list);
    sac_grow_text(&r->out, "<tr><td>%s</td><td>", name);
    sac_grow_escaped(&r->out, value);
    sac_grow_text(&r->out, "</td></tr>\n");
}

static void add_settings(report *r)
{
    const sac_policy_def *def = sac_policy_get_def(r->player.policy);
    char line[900] = "";
    size_t used = 0;
    for (int i = 0; i < def->setting_count && used < sizeof line - 100; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", i ? ", " : "", def->settings[i].key,
                                 def->settings[i].value);
    add_fact(r, "policy", "%s, %d parameters", def->kind, sac_policy_parameter_count(r->player.policy));
    add_fact(r, "its options", "%s", line);
}

static sac_status add_facts(report *r)
{
    const sac_run_summary *s = &r->summary;
    char score[2 * SAC_VALUE_SIZE];
    add_fact(r, "environment", "%s", s->environment);
    if (r->player.policy) add_settings(r);
    add_fact(r, "search", "%s, seed %" PRIu64, s->search, s->seed);
    add_fact(r, "generations", "%" PRIu64 " of %" PRIu64, s->generation, s->generations);
    add_fact(r, "environment steps", "%.2f million", (double)s->steps * 1e-6);
    add_fact(r, "time of training", "%.1f minutes%s%s", s->seconds / 60, s->host[0] ? ", last on " : "", s->host);
    if (s->best.episodes)
    {
        sac_format_spread(score, s->best.mean, " +- ", s->best.std);
        add_fact(r, "best evaluation", "%s over %d held-out episode%s, generation %" PRIu64, score, s->best.episodes,
                 sac_plural(s->best.episodes), s->best_generation);
    }
    if (s->evaluation.episodes)
    {
        sac_format_spread(score, s->evaluation.mean, " +- ", s->evaluation.std);
        add_fact(r, "last evaluation", "%s over %d episode%s", score, s->evaluation.episodes,
                 sac_plural(s->evaluation.episodes));
    }
    if (s->reason[0]) add_fact(r, "last event", "%s", s->reason);
    add_fact(r, "saccade", "%s", sac_version());
    return SAC_OK;
}

static bool is_there(const report *r, const char *name)
{
    char path[SAC_PATH_SIZE];
    return sac_join_path(path, r->run_dir, name) == SAC_OK && access(path, F_OK) == 0;
}

// Find the generation of a policy file of the run; 0: there is none.
static sac_status read_generation(const report *r, const char *name, int *generation)
{
    char path[SAC_PATH_SIZE];
    sac_policy *policy;
    sac_policy_info info = {0};
    *generation = 0;
    if (!is_there(r, name)) return SAC_OK;
    SAC_TRY(sac_join_path(path, r->run_dir, name));
    SAC_TRY(sac_policy_load(&policy, &info, path));
    *generation = info.generation;
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
    return SAC_OK;
}

// The command trains up to the generation that the run's policies have reached, however many were planned.
static sac_status add_training(report *r)
{
    int best, mean;
    SAC_TRY(read_generation(r, "best.safetensors", &best));
    SAC_TRY(read_generation(r, "mean.safetensors", &mean));
    sac_grow_text(&r->out, "saccade train task.yaml --run again");
    if (best > 0 || mean > 0) sac_grow_text(&r->out, " --generations %d", best > mean ? best : mean);
    if (is_there(r, SAC_START_FILE)) sac_grow_text(&r->out, " --set train.start=%s", SAC_START_FILE);
    if (is_there(r, SAC_TEACHER_FILE)) sac_grow_text(&r->out, " --set teacher.policy=%s", SAC_TEACHER_FILE);
    return SAC_OK;
}

static bool offers(const sac_plugin *plugin, const sac_run_summary *s)
{
    for (int i = 0; plugin->envs && plugin->envs[i]; i++)
        if (sac_env_find(s->environment) == plugin->envs[i]) return true;
    for (int i = 0; plugin->policies && plugin->policies[i]; i++)
        if (strcmp(plugin->policies[i]->name, s->policy) == 0) return true;
    return false;
}

// Write one plugin as a word of a shell, wherever the commands are run: the whole path, in quotes where it needs them.
static void add_plugin(report *r, const char *path)
{
    char whole[SAC_PATH_SIZE];
    if (!realpath(path, whole)) snprintf(whole, sizeof whole, "%s", path);
    bool plain =
        strspn(whole, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-@%,") == strlen(whole);
    if (!plain) sac_grow_text(&r->out, "'");
    for (const char *at = whole; *at; at++)
        if (*at == '\'')
            sac_grow_text(&r->out, "'\\''");
        else
            sac_grow_escaped(&r->out, (char[]){*at, 0});
    if (!plain) sac_grow_text(&r->out, "'");
}

// Write the plugins that the commands need, for all commands together.
static void add_plugins(report *r)
{
    const sac_plugin *plugin;
    const char *path, *before = "export SACCADE_PLUGINS=", *after = "";
    for (int i = 0; (path = sac_plugin_at(i, &plugin)); i++)
    {
        if (!offers(plugin, &r->summary)) continue;
        sac_grow_text(&r->out, "%s", before);
        add_plugin(r, path);
        before = ":";
        after = "\n";
    }
    sac_grow_text(&r->out, "%s", after);
}

static sac_status add_commands(report *r)
{
    add_plugins(r);
    if (r->def->command)
        sac_grow_escaped(&r->out, r->def->command);
    else
        SAC_TRY(add_training(r));
    const char *agent = r->summary.best.episodes ? "best" : "mean";
    sac_grow_text(&r->out, "\nsaccade eval again/%s.safetensors --seeds 0..99\n", agent);
    sac_grow_text(&r->out, "saccade watch again/%s.safetensors --seed %" PRIu64 "\n", agent, r->def->seed);
    return SAC_OK;
}

static sac_status add_files(report *r)
{
    if (r->def->command) return SAC_OK; // the caller's command names files of its own
    sac_grow_text(&r->out, "save ");
    SAC_TRY(sac_grow_run_link(&r->out, r->run_dir, "task.yaml"));
    if (is_there(r, SAC_START_FILE))
    {
        sac_grow_text(&r->out, " and the policy that it began with, ");
        SAC_TRY(sac_grow_run_link(&r->out, r->run_dir, SAC_START_FILE));
    }
    if (is_there(r, SAC_TEACHER_FILE))
    {
        sac_grow_text(&r->out, " and its teacher, ");
        SAC_TRY(sac_grow_run_link(&r->out, r->run_dir, SAC_TEACHER_FILE));
    }
    sac_grow_text(&r->out,
                  ", then run these beside it: the same seeds give the same vectors, on any number of threads");
    return SAC_OK;
}

// A plot is written to a file first, because plots can only be written to files.
static sac_status add_plot(report *r, sac_curve_x x, const char *words)
{
    char path[] = "/tmp/saccade-report-XXXXXX.svg";
    int file = mkstemps(path, 4);
    if (file < 0) return sac_fail(SAC_ERROR_FILE, "/tmp: a plot cannot be written there");
    close(file);
    const char *runs[] = {r->run_dir};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sac_status status = sac_plot_curves(runs, 1, x, NULL, path);
    if (status == SAC_OK) status = sac_read_file(&bytes, &size, path, FILE_LIMIT);
    remove(path);
    if (status != SAC_OK) return status;
    sac_grow_text(&r->out, "<img alt=\"returns over %s\" src=\"data:image/svg+xml;base64,", words);
    sac_grow_base64(&r->out, bytes, size);
    sac_grow_text(&r->out, "\">\n");
    sac_free(bytes);
    return SAC_OK;
}

static sac_status add_plots(report *r)
{
    if (r->summary.generation == 0)
    {
        sac_grow_text(&r->out, "<p class=\"small\">no generation is finished yet</p>");
        return SAC_OK;
    }
    SAC_TRY(add_plot(r, SAC_CURVE_STEPS, "steps"));
    return add_plot(r, SAC_CURVE_MINUTES, "minutes");
}

// --- the episode ------------------------------------------------------------------------------------------------

static bool at_end(const report *r)
{
    return sac_play_ended(&r->player.play) || r->player.play.steps >= STEP_LIMIT;
}

// The episode is played twice: once to find its length, and once for the frames that are kept.
static sac_status play(report *r, int every)
{
    bool there;
    r->player.seed = r->def->seed;
    SAC_TRY(sac_player_begin(&r->player, &there));
    if (!there) return SAC_OK;
    for (;;)
    {
        if (every && (r->player.play.steps % every == 0 || at_end(r)))
        {
            if (r->frames.size > 1) sac_grow_text(&r->frames, ",\n");
            sac_player_tell(&r->player, &r->frames);
        }
        if (at_end(r)) break;
        SAC_TRY(sac_player_step(&r->player, &there));
    }
    r->steps = r->player.play.steps;
    r->episode_return = r->player.play.episode_return;
    return SAC_OK;
}

static sac_status record(report *r)
{
    sac_grow_text(&r->frames, "[");
    if (r->def->frames > 0) SAC_TRY(play(r, 0));
    if (r->steps > 0) SAC_TRY(play(r, (r->steps + r->def->frames - 1) / r->def->frames));
    sac_grow_text(&r->frames, "]");
    return SAC_OK;
}

// --- the template -----------------------------------------------------------------------------------------------

static sac_status fill_in(void *user, const char *word, bool *known)
{
    report *r = user;
    const sac_run_summary *s = &r->summary;
    if (strcmp(word, "title") == 0)
        sac_grow_escaped(&r->out, r->run_dir);
    else if (strcmp(word, "about") == 0)
    {
        char line[3 * SAC_TEXT_SIZE + 8];
        snprintf(line, sizeof line, "%s, %s, %s", s->environment, s->policy, s->search);
        sac_grow_escaped(&r->out, line);
    }
    else if (strcmp(word, "state") == 0)
        sac_grow_text(&r->out, "%s", s->state);
    else if (strcmp(word, "facts") == 0)
        return add_facts(r);
    else if (strcmp(word, "plots") == 0)
        return add_plots(r);
    else if (strcmp(word, "commands") == 0)
        return add_commands(r);
    else if (strcmp(word, "files") == 0)
        return add_files(r);
    else if (strcmp(word, "task") == 0)
        return sac_grow_run_text(&r->out, r->run_dir, "task.yaml");
    else if (strcmp(word, "frames") == 0)
        sac_grow(&r->out, r->frames.bytes, r->frames.size);
    else if (strcmp(word, "episode") == 0)
    {
        char value[SAC_VALUE_SIZE];
        sac_format_value(value, r->episode_return);
        sac_grow_text(&r->out, "an unseen episode: return %s in %d step%s", value, r->steps, sac_plural(r->steps));
    }
    else
        *known = false;
    return SAC_OK;
}

sac_status sac_report_write(const char *run_dir, const sac_report_def *def, const char *path)
{
    report r = {.run_dir = run_dir, .def = def};
    SAC_TRY(sac_run_summarise(&r.summary, run_dir));
    if (r.summary.net[0]) return sac_net_report_write(run_dir, def, path);
    SAC_TRY(sac_player_open(&r.player, run_dir, r.summary.best.episodes ? "best.safetensors" : "mean.safetensors"));
    sac_status status = record(&r);
    if (status == SAC_OK) status = sac_template_fill(&r.out, "report.html", fill_in, &r);
    if (status == SAC_OK && r.frames.failed) status = sac_fail_memory("a report");
    if (status == SAC_OK) status = sac_grow_into_file(&r.out, path, "a report");
    sac_grow_clear(&r.out);
    sac_grow_clear(&r.frames);
    sac_player_close(&r.player);
    return status;
}
