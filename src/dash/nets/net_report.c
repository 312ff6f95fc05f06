#include "dash/nets/net_report.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dash/nets/net_feed.h"
#include "dash/taken.h"
#include "dash/template.h"

typedef struct net_report
{
    const char *run_dir;
    const sac_report_def *def;
    sac_net_feed feed;
    sac_growing told, out;
} net_report;

// what lies between <body> and </body> of the live page
static void add_body(net_report *r)
{
    static const char begin[] = "<body>\n", end[] = "</body>";
    size_t size;
    const char *page = sac_dash_file("net.html", &size), *from = strstr(page, begin), *to = strstr(page, end);
    SAC_ASSERT(from && to);
    sac_grow(&r->out, from + strlen(begin), (size_t)(to - from) - strlen(begin));
}

// The stream of events. What would end the script that holds it can stand in strings of JSON alone.
static void add_told(net_report *r)
{
    for (size_t i = 0; i < r->told.size; i++)
        if (r->told.bytes[i] == '<')
            sac_grow_text(&r->out, "\\u003c");
        else
            sac_grow(&r->out, &r->told.bytes[i], 1);
}

static sac_status fill_in(void *user, const char *word, bool *known)
{
    net_report *r = user;
    if (strcmp(word, "title") == 0)
        sac_grow_escaped(&r->out, r->run_dir);
    else if (strcmp(word, "body") == 0)
        add_body(r);
    else if (strcmp(word, "told") == 0)
        add_told(r);
    else if (strcmp(word, "link") == 0)
        return sac_grow_run_link(&r->out, r->run_dir, "task.yaml");
    else if (strcmp(word, "task") == 0)
        return sac_grow_run_text(&r->out, r->run_dir, "task.yaml");
    else if (strcmp(word, "command") == 0)
        sac_grow_escaped(&r->out, r->def->command ? r->def->command : "saccade fit task.yaml --run again");
    else
        *known = false;
    return SAC_OK;
}

static sac_status write_report(net_report *r, const char *path)
{
    sac_feed_cursor cursor = {0};
    SAC_TRY(sac_net_feed_open(&r->feed, r->run_dir));
    // the rows of the last evaluation count as whole when no more come
    for (int i = 0; i < 2; i++) (void)sac_net_feed_poll(&r->feed);
    sac_net_feed_tell(&r->feed, &cursor, &r->told);
    SAC_TRY(sac_template_fill(&r->out, "net_report.html", fill_in, r));
    if (r->told.failed) return sac_fail_memory("a report");
    return sac_grow_into_file(&r->out, path, "a report");
}

sac_status sac_net_report_write(const char *run_dir, const sac_report_def *def, const char *path)
{
    net_report *r = SAC_NEW(net_report);
    if (!r) return sac_fail_memory("a report");
    r->run_dir = run_dir;
    r->def = def;
    sac_status status = write_report(r, path);
    sac_net_feed_close(&r->feed);
    sac_grow_clear(&r->told);
    sac_grow_clear(&r->out);
    sac_free(r);
    return status;
}
