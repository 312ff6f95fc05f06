#pragma once

#include "saccade/base.h"

/// Options: one table describes a struct's fields, and serves the task file, --set, policy metadata, help and checks.
///
///     typedef struct config { int patch; char attention[SAC_TEXT_SIZE]; } config;
///     static const sac_option options[] = {
///         {"patch", SAC_OPTION_INT, offsetof(config, patch), "7", 1, 64, NULL, "side of a patch in pixels"},
///         {"attention", SAC_OPTION_TEXT, offsetof(config, attention), "softmax", 0, 0, "softmax relu", "..."},
///         {0},
///     };
///
/// A config struct is plain data: it may be copied by assignment and owns nothing.
///
/// Some options of saccade's own tables had another name before. Functions that take a key accept the former name, too,
/// and send one line to the log (sac_set_log) that says the new one.

/// Bytes of a text field, terminator included.
#define SAC_TEXT_SIZE 256

typedef enum sac_option_type
{
    SAC_OPTION_BOOL, ///< field: bool; typed as true or false
    SAC_OPTION_INT,  ///< field: int
    SAC_OPTION_SEED, ///< field: uint64_t
    SAC_OPTION_REAL, ///< field: double
    SAC_OPTION_TEXT, ///< field: char[SAC_TEXT_SIZE]
} sac_option_type;

/// One option. A table ends with a row whose name is NULL.
typedef struct sac_option
{
    const char *name;
    sac_option_type type;
    size_t offset;        ///< of the field in the config struct
    const char *fallback; ///< default, as it would be typed; NULL: the option must be given
    double min, max;      ///< range of INT and REAL, both ends included; both 0: no limit
    const char *choices;  ///< TEXT: the allowed words, separated by spaces; NULL: any text
    const char *help;     ///< one line
} sac_option;

/// One option as typed by a person.
typedef struct sac_setting
{
    const char *key;
    const char *value;
} sac_setting;

/// Fill a config from the table's defaults, then from the settings in order.
/// @param where  names the place in errors, such as "policy" or a file and line; not NULL
/// @return SAC_ERROR_ARGUMENT for an unknown key (with "did you mean"), a bad value, or a missing required option
SAC_API SAC_CHECKED sac_status sac_options_read(const sac_option *table, void *config, const sac_setting *settings,
                                                int setting_count, const char *where);

/// Bytes from the start of the config struct to the end of its last field: enough to hold any config of this table.
SAC_API size_t sac_options_size(const sac_option *table);

/// Set one option from text.
SAC_API SAC_CHECKED sac_status sac_options_set(const sac_option *table, void *config, const char *key,
                                               const char *value, const char *where);

/// Write one option's value as it would be typed, so that reading it again gives the same value to the bit.
SAC_API void sac_options_format(const sac_option *option, const void *config, char text[SAC_TEXT_SIZE]);
