#include "dash/nets/net_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/escaped.h"
#include "dash/taken.h"
#include "files/atomic.h"
#include "saccade/result_plots.h"

enum
{
    FILE_LIMIT = 64 << 20
};

typedef struct net_report
{
    const char *run_dir, *command;
    const sac_run_summary *summary;
    sac_growing out;
} net_report;

// --- the run's files ---

static bool is_there(const net_report *r, const char *name)
{
    char path[SAC_PATH_SIZE];
    return sac_join_path(path, r->run_dir, name) == SAC_OK && access(path, F_OK) == 0;
}

static sac_status read_run_file(const net_report *r, const char *name, uint8_t **bytes, size_t *size)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, r->run_dir, name));
    return sac_read_file(bytes, size, path, FILE_LIMIT);
}

static sac_status add_task(net_report *r)
{
    uint8_t *bytes;
    size_t size;
    SAC_TRY(read_run_file(r, "task.yaml", &bytes, &size));
    sac_grow_escaped(&r->out, (const char *)bytes);
    sac_free(bytes);
    return SAC_OK;
}

static sac_status add_files(net_report *r)
{
    uint8_t *bytes;
    size_t size;
    if (r->command) return SAC_OK; // the caller's command names files of its own
    SAC_TRY(read_run_file(r, "task.yaml", &bytes, &size));
    sac_grow_text(&r->out, "save <a download=\"task.yaml\" href=\"data:application/octet-stream;base64,");
    sac_grow_base64(&r->out, bytes, size);
    sac_grow_text(&r->out, "\">task.yaml</a>, then run these beside it: the same task and the same pictures give the "
                           "same net, on any number of threads");
    sac_free(bytes);
    return SAC_OK;
}

// --- facts ---

static void add_fact(net_report *r, const char *name, const char *value)
{
    sac_grow_text(&r->out, "<tr><td>%s</td><td>", name);
    sac_grow_escaped(&r->out, value);
    sac_grow_text(&r->out, "</td></tr>\n");
}

static sac_status add_facts(net_report *r)
{
    const sac_run_summary *s = r->summary;
    char text[SAC_TEXT_SIZE + 64];
    snprintf(text, sizeof text, "%s, seed %" PRIu64, s->net, s->seed);
    add_fact(r, "net", text);
    snprintf(text, sizeof text, "%" PRIu64 " of %" PRIu64, s->generation, s->generations);
    add_fact(r, "epochs", text);
    snprintf(text, sizeof text, "%" PRIu64, s->steps);
    add_fact(r, "minibatches", text);
    snprintf(text, sizeof text, "%.1f minutes%s%s", s->seconds / 60, s->host[0] ? ", last on " : "", s->host);
    add_fact(r, "time of training", text);
    snprintf(text, sizeof text, "%.2f %% right at the last evaluation", 100 * s->test_accuracy);
    if (isfinite(s->test_accuracy)) add_fact(r, "test pictures", text);
    if (s->reason[0]) add_fact(r, "last event", s->reason);
    add_fact(r, "saccade", sac_version());
    return SAC_OK;
}

static sac_status add_commands(net_report *r)
{
    sac_grow_escaped(&r->out, r->command ? r->command : "saccade fit task.yaml --run again");
    sac_grow_text(&r->out, "\nsaccade classify again/net.safetensors\n");
    return SAC_OK;
}

// --- curves and the table ---

// A plot is written to a file first, because plots can only be written to files.
static sac_status add_plots(net_report *r)
{
    if (r->summary->generation == 0)
    {
        sac_grow_text(&r->out, "<p class=\"small\">no epoch is finished yet</p>");
        return SAC_OK;
    }
    char path[] = "/tmp/saccade-report-XXXXXX.svg";
    const int file = mkstemps(path, 4);
    if (file < 0) return sac_fail(SAC_ERROR_FILE, "/tmp: a plot cannot be written there");
    close(file);
    uint8_t *bytes = NULL;
    size_t size = 0;
    sac_status status = sac_plot_fits(&r->run_dir, 1, NULL, path);
    if (status == SAC_OK) status = sac_read_file(&bytes, &size, path, FILE_LIMIT);
    remove(path);
    if (status != SAC_OK) return status;
    sac_grow_text(&r->out, "<div class=\"plots\" style=\"grid-template-columns: 1fr\"><img alt=\"wrong pictures over "
                           "epochs\" src=\"data:image/svg+xml;base64,");
    sac_grow_base64(&r->out, bytes, size);
    sac_grow_text(&r->out, "\"></div>\n");
    sac_free(bytes);
    return SAC_OK;
}

// a line of confusion.csv, whose first field is the row's class
static void add_row(net_report *r, const char *line, int row)
{
    sac_grow_text(&r->out, "<tr>");
    for (int column = 0; *line; column++)
    {
        const size_t length = strcspn(line, ",\n");
        const bool head = row == 0 || column == 0;
        sac_grow_text(&r->out, "<%s%s>%.*s</%s>", head ? "th" : "td", !head && row == column ? " class=\"right\"" : "",
                      (int)(length < 24 ? length : 24), line, head ? "th" : "td");
        line += length + (line[length] == ',');
        if (*line == '\n') break;
    }
    sac_grow_text(&r->out, "</tr>\n");
}

static sac_status add_confusion(net_report *r)
{
    uint8_t *bytes;
    size_t size;
    if (!is_there(r, "confusion.csv"))
    {
        sac_grow_text(&r->out, "<p class=\"small\">the net has not been evaluated yet</p>");
        return SAC_OK;
    }
    SAC_TRY(read_run_file(r, "confusion.csv", &bytes, &size));
    sac_grow_text(&r->out, "<table class=\"confusion\"><tbody>\n");
    const char *line = (const char *)bytes;
    for (int row = 0; *line; row++)
    {
        // what else may stand there is no table of counts
        if (strspn(line, "class0123456789,\n") != strlen(line)) break;
        add_row(r, line, row);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    sac_grow_text(&r->out, "</tbody></table>\n");
    sac_free(bytes);
    return SAC_OK;
}

// --- the template ---

static sac_status fill_in(net_report *r, const char *word)
{
    static const struct
    {
        const char *word;
        sac_status (*add)(net_report *r);
    } parts[] = {{"facts", add_facts}, {"plots", add_plots},       {"confusion", add_confusion},
                 {"files", add_files}, {"commands", add_commands}, {"task", add_task}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(word, parts[i].word) == 0) return parts[i].add(r);
    if (strcmp(word, "title") == 0)
        sac_grow_escaped(&r->out, r->run_dir);
    else if (strcmp(word, "about") == 0)
        sac_grow_escaped(&r->out, r->summary->net);
    else if (strcmp(word, "state") == 0)
        sac_grow_text(&r->out, "%s", r->summary->state);
    else
    {
        size_t size;
        const char *text = sac_dash_file(word, &size);
        sac_grow(&r->out, text, size);
    }
    return SAC_OK;
}

static sac_status fill_template(net_report *r)
{
    size_t size;
    const char *at = sac_dash_file("net_report.html", &size);
    for (const char *open; (open = strstr(at, "{{"));)
    {
        const char *close = strstr(open, "}}");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)(close - open - 2), open + 2);
        sac_grow(&r->out, at, (size_t)(open - at));
        SAC_TRY(fill_in(r, word));
        at = close + 2;
    }
    sac_grow(&r->out, at, strlen(at));
    return SAC_OK;
}

sac_status sac_net_report_write(const char *run_dir, const sac_run_summary *summary, const char *command,
                                const char *path)
{
    net_report r = {.run_dir = run_dir, .command = command, .summary = summary};
    sac_status status = fill_template(&r);
    if (status == SAC_OK) status = sac_grow_into_file(&r.out, path, "a report");
    sac_grow_clear(&r.out);
    return status;
}
