#pragma once

#include "dash/feed.h"
#include "files/yaml.h"

/// The feed of a folder of runs: which runs there are, how they stand, in which settings they differ, and the curves of
/// those that train policies. However long the runs are, it takes the same memory.

enum
{
    SAC_FOLDER_RUNS = 100,   ///< the first of them; the others are counted
    SAC_FOLDER_POINTS = 256, ///< of a run's curve, and evaluations
    SAC_FOLDER_KEYS = 24     ///< settings that differ; the others are counted
};

/// A run of the folder. Its number, by which events name it, stays as long as the feed lives; the word by which its
/// page is found is the same for every server.
typedef struct sac_folder_run
{
    sac_feed feed;
    char name[SAC_TEXT_SIZE]; ///< its path in the folder
    char id[9];               ///< 8 hexadecimal digits that the name decides
    sac_yaml *settings;       ///< its task
} sac_folder_run;

typedef struct sac_folder_feed
{
    char dir[SAC_PATH_SIZE];
    sac_folder_run *runs[SAC_FOLDER_RUNS];
    int count;                         ///< of runs
    int found;                         ///< in the folder, those beyond SAC_FOLDER_RUNS included
    const char *keys[SAC_FOLDER_KEYS]; ///< settings that differ between runs; they lie in the runs' settings
    int key_count, more_keys;
    uint64_t told;  ///< counts the changes of all that the table has
    int next;       ///< the run that is read next
    double scan_at; ///< when the folder is searched again
} sac_folder_feed;

/// How much a listener has been told.
typedef struct sac_folder_cursor
{
    uint64_t told;
    sac_feed_cursor runs[SAC_FOLDER_RUNS];
} sac_folder_cursor;

/// @return SAC_ERROR_ARGUMENT for a path that cannot be one, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_folder_feed_create(sac_folder_feed **out, const char *dir);

/// NULL is ignored.
void sac_folder_feed_destroy(sac_folder_feed *feed);

/// Search the folder, now and then, and read what is new of its runs, for some milliseconds at most.
/// @return whether anything has changed
bool sac_folder_feed_poll(sac_folder_feed *feed);

/// Add the server-sent events that bring a listener up to date: "runs", and a "curve" for each run with new points.
void sac_folder_feed_tell(const sac_folder_feed *feed, sac_folder_cursor *cursor, sac_growing *text);

/// The runs with the best evaluations, the best first; of equal ones the one with the lower number.
/// @param[out] runs  [most] numbers of runs
/// @return how many there are
int sac_folder_feed_best(const sac_folder_feed *feed, int *runs, int most);

/// These functions as a kind of feed.
extern const sac_feed_calls sac_folder_feed_calls;
