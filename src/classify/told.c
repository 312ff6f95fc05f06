#include "classify/told.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "nets/look.h"
#include "run/event_lines.h"
#include "run/live.h"
#include "run/pace.h"
#include "run/rows.h"

static const double live_period = 0.25; // seconds from one progress.json to the next, at least
static const double least_count = 0.1;  // seconds of steps over which pictures are counted

struct sac_classify_told
{
    const char *run_dir;
    const sac_trained_net *net;
    const sac_image_set *test;
    sac_event_lines *events;
    sac_rows *heads; // NULL: the net has none that look at places
    int pictures;    // that they were measured over
    double shown;    // when progress.json was written last
    // how many pictures come a second, and what was counted before: seconds of steps, and steps
    double pictures_a_second, counted;
    uint64_t counted_step;
    sac_pace pace;
};

// ---- making it

static sac_status open_files(sac_classify_told *t, uint64_t epoch, bool anew)
{
    char header[SAC_HEAD_TEXT];
    SAC_TRY(sac_event_lines_open(&t->events, t->run_dir, epoch, anew));
    if (sac_net_look_layer(t->net->net, 0) < 0) return SAC_OK;
    snprintf(header, sizeof header, "epoch,%s", sac_head_columns);
    return sac_rows_open(&t->heads, t->run_dir, "heads.csv", header, epoch, anew);
}

sac_status sac_classify_told_open(sac_classify_told **out, const char *run_dir, const sac_trained_net *net,
                                  const sac_image_set *test, uint64_t epoch, uint64_t step)
{
    *out = NULL;
    sac_classify_told *t = SAC_NEW(sac_classify_told);
    if (!t) return sac_fail_memory("a fit");
    t->run_dir = run_dir;
    t->net = net;
    t->test = test;
    t->pictures_a_second = NAN;
    t->counted_step = step;
    sac_status status = open_files(t, epoch, step == 0);
    if (status == SAC_OK)
        *out = t;
    else
        (void)sac_classify_told_close(t);
    return status;
}

sac_status sac_classify_told_close(sac_classify_told *t)
{
    if (!t) return SAC_OK;
    sac_status events = sac_event_lines_close(t->events), heads = sac_rows_close(t->heads);
    sac_free(t);
    return events != SAC_OK ? events : heads;
}

// ---- telling

sac_status sac_classify_tell_event(sac_classify_told *t, uint64_t epoch, const char *event, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    SAC_TRY(sac_event_lines_add(t->events, epoch, event, text));
    return sac_event_lines_show(t->events);
}

sac_status sac_classify_tell_heads(sac_classify_told *t, uint64_t epoch)
{
    sac_heads_seen seen;
    if (!t->heads) return SAC_OK;
    SAC_TRY(sac_heads_see(&seen, t->net, t->test, SAC_HEAD_PICTURES, t->run_dir));
    sac_status status = SAC_OK;
    for (int i = 0; status == SAC_OK && i < seen.layers * seen.heads; i++)
    {
        char row[SAC_HEAD_TEXT];
        sac_head_print(row, &seen.seen[i]);
        status = sac_rows_add_quietly(t->heads, epoch, "%s", row);
    }
    t->pictures = seen.pictures;
    sac_heads_seen_clear(&seen);
    return status == SAC_OK ? sac_rows_show(t->heads) : status;
}

bool sac_classify_told_is_due(const sac_classify_told *t)
{
    return sac_clock() > t->shown + live_period;
}

static void count_pictures(sac_classify_told *t, const sac_classify_now *now)
{
    const double seconds = now->stepping - t->counted;
    if (seconds < least_count) return;
    t->pictures_a_second = (double)(now->step - t->counted_step) * t->net->task->train.batch / seconds;
    t->counted = now->stepping;
    t->counted_step = now->step;
}

static int layers_of(const sac_net *net)
{
    int layers = 0;
    while (sac_net_look_layer(net, layers) >= 0) layers++;
    return layers;
}

static json_t *heads_of(const sac_classify_told *t)
{
    if (!t->heads) return json_null();
    const sac_net_shape tokens = sac_net_look_tokens(t->net->net, 0);
    return json_pack("{s:i, s:i, s:i, s:i, s:i}", "layers", layers_of(t->net->net), "heads",
                     sac_net_look_heads(t->net->net, 0), "rows", tokens.rows, "columns", tokens.columns, "pictures",
                     t->pictures);
}

sac_status sac_classify_tell_now(sac_classify_told *t, const sac_classify_now *now)
{
    const sac_classify_task *task = t->net->task;
    const uint64_t period = now->steps / now->epochs * (uint64_t)task->evaluation.every;
    const double left = sac_pace_left(&t->pace, now->step, now->steps, period, now->seconds);
    count_pictures(t, now);
    t->shown = sac_clock();
    return sac_live_write_as(
        t->run_dir,
        json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "epoch", (json_int_t)now->epoch,
                  "epochs", (json_int_t)now->epochs, "step", (json_int_t)now->step, "steps", (json_int_t)now->steps,
                  "seconds", sac_json_number(now->seconds), "seconds_left", sac_json_number(left), "limit_left",
                  sac_json_number(now->limit_left), "pictures_per_second", sac_json_number(t->pictures_a_second),
                  "rate", sac_json_number(now->rate), "loss", sac_json_number(now->loss), "accuracy",
                  sac_json_number(now->accuracy), "parameters", (json_int_t)sac_net_parameters(t->net->net), "heads",
                  heads_of(t)));
}
