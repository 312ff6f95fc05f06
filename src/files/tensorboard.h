#pragma once

#include "saccade/options.h"

/// TensorBoard event files with scalars and hyper-parameters: records of brain.Event, written without TensorFlow.

typedef struct sac_events sac_events;

/// Open FOLDER/events.out.tfevents.saccade.
/// @param[out] out      released by sac_events_close; NULL on failure
/// @param      keep     bytes of an existing file to keep, as sac_append_open; 0 starts a new file
/// @param      seconds  wall clock, since 1970
SAC_CHECKED sac_status sac_events_open(sac_events **out, const char *folder, uint64_t keep, double seconds);

/// Add one scalar.
/// @param tag      such as "eval/mean", at most 255 bytes
/// @param seconds  wall clock, since 1970
SAC_CHECKED sac_status sac_events_scalar(sac_events *events, const char *tag, double value, uint64_t step,
                                         double seconds);

/// Add the beginning of a session of the HPARAMS tab: the settings of a run. "true" and "false" are booleans there,
/// numbers are numbers, and all else is text.
/// @param seconds  wall clock, since 1970
SAC_CHECKED sac_status sac_events_begin_session(sac_events *events, const sac_setting *settings, int count,
                                                double seconds);

/// Add the end of the session.
SAC_CHECKED sac_status sac_events_end_session(sac_events *events, bool succeeded, double seconds);

/// Hand everything to the disk.
SAC_CHECKED sac_status sac_events_flush(sac_events *events);

/// Bytes of the file, for `keep`.
uint64_t sac_events_size(const sac_events *events);

/// NULL is ignored.
sac_status sac_events_close(sac_events *events);
