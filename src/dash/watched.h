#pragma once

#include <jansson.h>

#include "files/atomic.h"
#include "files/growing.h"
#include "saccade/run.h"

/// What the folder of every run tells while it grows, whatever the run trains: the lines of its files, its events, its
/// state, and what it does just now.

enum
{
    SAC_WATCHED_EVENTS = 48,
    SAC_WATCHED_EVENT_SIZE = 512
};

typedef struct sac_watched
{
    char run_dir[SAC_PATH_SIZE];
    uint64_t edition;                                        ///< when it changes, everything must be told anew
    uint64_t told;                                           ///< counts the changes of the state and of what is done
    uint64_t event_offset;                                   ///< bytes of events.jsonl that were read
    char events[SAC_WATCHED_EVENTS][SAC_WATCHED_EVENT_SIZE]; ///< JSON objects; the i-th is at i % SAC_WATCHED_EVENTS
    uint64_t event_count;
    sac_run_summary summary; ///< state "waiting" while there is no run
    char progress[2048];     ///< the text of progress.json; "" without
    double summarise_at;     ///< when the whole folder is read again
} sac_watched;

/// How much a listener has been told. What the lists are is the feed's matter.
typedef struct sac_feed_cursor
{
    uint64_t edition, told, events, table;
    int points, scores;
} sac_feed_cursor;

/// A kind of feed: how the folder of a run is read while it grows, and listeners are told what is new.
typedef struct sac_feed_calls
{
    /// @param[out] out  released by close; NULL on failure
    /// @return SAC_ERROR_ARGUMENT for a path that cannot be one, SAC_ERROR_MEMORY
    sac_status (*create)(void **out, const char *run_dir);
    /// Read what is new. A folder that is missing, or that a resume has cut short, is no error.
    /// @return whether anything has changed
    bool (*poll)(void *feed);
    /// Add the server-sent events that bring a listener up to date.
    /// @param cursor  cursor_size bytes, zero for a listener that has been told nothing
    void (*tell)(const void *feed, void *cursor, sac_growing *text);
    void (*destroy)(void *feed); ///< NULL is ignored
    size_t cursor_size;
} sac_feed_calls;

/// @return SAC_ERROR_ARGUMENT for a path that cannot be one
SAC_CHECKED sac_status sac_watched_open(sac_watched *watched, const char *run_dir);

/// Read the whole lines that a file of the folder has gained.
/// @param[in,out] offset   bytes that were read
/// @param         add      takes a line without its newline; returns whether that changes anything
/// @param[out]    changed  set to true where a line did
/// @return false where the file is shorter than before: the run was begun anew or cut
bool sac_watched_read_lines(const sac_watched *watched, const char *name, uint64_t *offset,
                            bool (*add)(void *user, const char *line), void *user, bool *changed);

/// The same of events.jsonl.
bool sac_watched_read_events(sac_watched *watched, bool *changed);

/// Read progress.json and, now and then, the whole folder.
/// @return whether anything has changed
bool sac_watched_read_now(sac_watched *watched);

/// Begin a new edition, without any event.
void sac_watched_forget(sac_watched *watched);

/// Add the events "events" and "now" for what a listener has not been told.
void sac_watched_tell(const sac_watched *watched, sac_feed_cursor *cursor, sac_growing *text);

/// Add a number to JSON; null where JSON cannot express it.
void sac_grow_number(sac_growing *text, const char *before, double number);

/// Add an event whose data is one line of JSON.
/// @param root  taken over; NULL, for lack of memory: nothing is added
void sac_watched_grow_event(sac_growing *text, const char *event, json_t *root);
