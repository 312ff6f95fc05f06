#pragma once

#include "dash/watched.h"

/// A net feed is what listeners are told of a run of `saccade fit`: its epochs, the confusion table of its last
/// evaluation, and what its heads looked at after each, read from its folder while it grows. However long the run is,
/// the feed's memory has a limit: where there are too many epochs, every other one is dropped.

enum
{
    SAC_NET_FEED_EPOCHS = 1024,
    SAC_NET_FEED_LOOKS = 256,             ///< evaluations whose heads are kept,
    SAC_NET_FEED_LOOKS_SIZE = 8 << 20,    ///< and the bytes that these may take
    SAC_NET_FEED_CONFUSION_SIZE = 1 << 20 ///< of a confusion table's file; a larger one is not shown
};

/// A row of metrics.csv.
typedef struct sac_net_feed_epoch
{
    double epoch, steps, seconds, rate, loss, accuracy;
    double test_loss, test_accuracy; ///< NaN: not evaluated
} sac_net_feed_epoch;

/// What heads looked at after an epoch: its rows of heads.csv as JSON, without the bracket that ends them.
typedef struct sac_net_feed_look
{
    uint64_t epoch;
    sac_growing heads;
} sac_net_feed_look;

typedef struct sac_net_feed
{
    sac_watched watched;
    uint64_t offset, heads_offset; ///< bytes of metrics.csv and heads.csv that were read
    sac_net_feed_epoch epochs[SAC_NET_FEED_EPOCHS];
    int epoch_count;
    sac_net_feed_look looks[SAC_NET_FEED_LOOKS + 1]; ///< the last one may still be growing
    int look_count;                                  ///< whole ones
    bool growing;                                    ///< there is one after them
    size_t looks_size;                               ///< bytes of the whole ones
    sac_growing confusion;                           ///< JSON: rows of counts; empty: there is none
    uint64_t confusion_count;                        ///< tables that were read
    int64_t confusion_stamp;                         ///< time of the file that was read
} sac_net_feed;

/// @return SAC_ERROR_ARGUMENT for a path that cannot be one
SAC_CHECKED sac_status sac_net_feed_open(sac_net_feed *feed, const char *run_dir);
void sac_net_feed_close(sac_net_feed *feed);

/// Read what is new.
/// @return whether anything has changed
bool sac_net_feed_poll(sac_net_feed *feed);

/// Add the server-sent events that bring a listener up to date: "anew", "epochs", "looks", "confusion", "events",
/// "now".
void sac_net_feed_tell(const sac_net_feed *feed, sac_feed_cursor *cursor, sac_growing *text);

/// These functions as a kind of feed.
extern const sac_feed_calls sac_net_feed_calls;
