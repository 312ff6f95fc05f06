#pragma once

#include "dash/watched.h"

/// A feed is what listeners are told of a run that trains a policy: its rows, evaluations and events, read from its
/// folder while it grows. However long the run is, the feed takes the same memory, because neighbouring rows are merged
/// when there are too many.

enum
{
    SAC_FEED_POINTS = 1024,
    SAC_FEED_SCORES = 1024
};

/// Rows of metrics.csv, merged.
typedef struct sac_feed_point
{
    double generation, steps, seconds; ///< of the last of them
    double best, mean, std, rate;      ///< their means; rate: steps a second
} sac_feed_point;

/// An evaluation.
typedef struct sac_feed_score
{
    double generation, steps, seconds, mean, std;
    int episodes;
} sac_feed_score;

typedef struct sac_feed
{
    sac_watched watched;
    uint64_t offset;                            ///< bytes of metrics.csv that were read
    int limit;                                  ///< of points, and of scores: an even number, SAC_FEED_POINTS at most
    sac_feed_point points[SAC_FEED_POINTS + 1]; ///< the extra one is still being filled
    int point_count, merged, pending;
    double last_steps, last_seconds, last_rate; ///< of the row before
    sac_feed_score scores[SAC_FEED_SCORES];
    int score_count;
} sac_feed;

/// @return SAC_ERROR_ARGUMENT for a path that cannot be one
SAC_CHECKED sac_status sac_feed_open(sac_feed *feed, const char *run_dir);

/// Add the points, or the scores, from the one with this number on, as JSON lists: [[generation, steps, seconds, ...]].
void sac_feed_grow_points(const sac_feed *feed, int from, sac_growing *text);
void sac_feed_grow_scores(const sac_feed *feed, int from, sac_growing *text);

/// Read what is new. A folder that is missing, or that a resume has cut short, is no error.
/// @return whether anything has changed
bool sac_feed_poll(sac_feed *feed);

/// Add the server-sent events that bring a listener up to date.
void sac_feed_tell(const sac_feed *feed, sac_feed_cursor *cursor, sac_growing *text);

/// These functions as a kind of feed.
extern const sac_feed_calls sac_policy_feed;
