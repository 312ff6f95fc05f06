#pragma once

#include "saccade/options.h"

/// A task of `saccade fit`: which pictures, which net, and how it is trained.

enum
{
    SAC_CLASSIFY_FALLS = 8,   ///< of the rate, at most
    SAC_CLASSIFY_CONFIG = 512 ///< bytes of a net's options, at most
};

typedef struct sac_classify_data
{
    char format[SAC_TEXT_SIZE], folder[SAC_TEXT_SIZE];
    int padding;
    bool flip;
    int limit; ///< pictures of each part that are used; 0: all
} sac_classify_data;

typedef struct sac_classify_train
{
    uint64_t seed;
    int epochs, batch, slices;
    char optimiser[SAC_TEXT_SIZE];
    double rate, momentum, decay;
    double warm; ///< share of all steps in which the rate rises
    char schedule[SAC_TEXT_SIZE], falls[SAC_TEXT_SIZE];
    char start[SAC_TEXT_SIZE]; ///< a net's file that training begins with; "": none
    int checkpoint_every;      ///< steps
} sac_classify_train;

typedef struct sac_classify_evaluation
{
    int every; ///< epochs; 0: at the end alone
    int keep;  ///< epochs between nets that are kept, the first before training; 0: none
} sac_classify_evaluation;

typedef struct sac_classify_task
{
    sac_classify_data data;
    char kind[SAC_TEXT_SIZE];
    _Alignas(16) unsigned char net[SAC_CLASSIFY_CONFIG]; ///< the struct of the kind's options
    sac_classify_train train;
    sac_classify_evaluation evaluation;
} sac_classify_task;

/// Read a task file, and settings "section.key" after it.
/// @param[out] out  released by sac_free; NULL on failure
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT or SAC_ERROR_ARGUMENT, with file and line
SAC_CHECKED sac_status sac_classify_task_load(sac_classify_task **out, const char *path, const sac_setting *settings,
                                              int count);

/// The same from memory.
/// @param bytes  [size] of YAML
/// @param where  names the source in errors
SAC_CHECKED sac_status sac_classify_task_read(sac_classify_task **out, const void *bytes, size_t size,
                                              const char *where, const sac_setting *settings, int count);

/// Whether a task file, with these settings, is of a net of pictures and not of a policy. A file that cannot be read is
/// of neither, which its reader says.
bool sac_classify_task_is(const char *path, const sac_setting *settings, int count);

/// The task with every option spelled out, as YAML; released by sac_free.
SAC_CHECKED sac_status sac_classify_task_write(const void *task, char **text);

/// Check that a resolved task file says the same but for how often it is saved and where its data lie.
SAC_CHECKED sac_status sac_classify_task_check_same(const void *task, const char *path);

/// The epochs after which the rate falls to a tenth. @return how many
int sac_classify_task_falls(const sac_classify_task *task, int falls[SAC_CLASSIFY_FALLS]);
