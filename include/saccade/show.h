#pragma once

#include "saccade/attention_plots.h"
#include "saccade/film.h"
#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "saccade/viewer.h"
#include "saccade/window.h"

/// These headers show policies to people: where a policy looks, drawn over its observation, and frames, films and plots
/// of it.
///
/// Pictures are [height, width, 3], 0..255, without gaps, in the caller's memory unless a function says otherwise.
/// Drawing never fails, never allocates and never writes outside. Every pixel is a pure function of what is drawn, so
/// films are the same on every machine that has the same encoder.
///
/// This header includes all of it; each subject has a header of its own.
