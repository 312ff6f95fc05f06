#pragma once

#include "saccade/base.h"

/// events.jsonl of a run folder: what happened, a JSON object a line with generation, event, text and time. Lines after
/// the last checkpoint are cut on resume, so every event stands there once.
typedef struct sac_event_lines sac_event_lines;

/// @param generation  lines beyond it are cut
/// @param anew        no line stays
SAC_CHECKED sac_status sac_event_lines_open(sac_event_lines **out, const char *run_dir, uint64_t generation, bool anew);

/// Flush and close. NULL is ignored. The result tells whether everything was written.
sac_status sac_event_lines_close(sac_event_lines *lines);

/// Add an event in words. It is shown with later ones, by sac_event_lines_show.
/// @param event  one word, such as "started"
SAC_CHECKED sac_status sac_event_lines_add(sac_event_lines *lines, uint64_t generation, const char *event,
                                           const char *text);

/// Make everything so far survive a crash, and show it to those who watch the file grow.
SAC_CHECKED sac_status sac_event_lines_show(sac_event_lines *lines);
