#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "train/evolution/evolution.h"

/// What a stage changes, in words.

typedef struct words
{
    char *text;
    size_t size, used;
    int changes;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *w, const char *format, ...)
{
    if (w->used >= w->size) return;
    va_list list;
    va_start(list, format);
    int length = vsnprintf(w->text + w->used, w->size - w->used, format, list);
    va_end(list);
    w->used += length > 0 ? (size_t)length : 0;
}

static void say_number(words *w, const char *name, double was, double now)
{
    if (was != now) say(w, "%s %s %g -> %g", w->changes++ ? "," : ":", name, was, now);
}

void sac_stage_describe(char *text, size_t size, int number, const sac_stage *was, const sac_stage *now)
{
    words w = {.text = text, .size = size};
    say(&w, "stage %d, above %g", number, now->above);
    say_number(&w, "episodes", was->episodes, now->episodes);
    say_number(&w, "race", was->race, now->race);
    say_number(&w, "screen", was->screen, now->screen);
    say_number(&w, "steps", was->steps, now->steps);
    say_number(&w, "patience", was->patience, now->patience);
    say_number(&w, "average", was->average, now->average);
    if (strcmp(was->fitness, now->fitness) != 0)
        say(&w, "%s fitness %s -> %s", w.changes++ ? "," : ":", was->fitness, now->fitness);
    if (now->sigma != 1) say(&w, "%s sigma times %g", w.changes++ ? "," : ":", now->sigma);
    if (w.changes == 0) say(&w, ": nothing changes");
}
