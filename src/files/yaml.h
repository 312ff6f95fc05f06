#pragma once

#include "saccade/base.h"
#include "saccade/options.h"

/// YAML as a flat list of (dotted path, text): maps nest, sequences count, `train.stages.0.above`.
///
/// Only plain data: no tags, anchors, aliases or second document; keys are words without a dot.

/// One scalar.
typedef struct sac_yaml_entry
{
    const char *key; ///< dotted path, at most SAC_TEXT_SIZE - 1 bytes
    const char *value;
    int line; ///< from 1
} sac_yaml_entry;

/// Largest input in bytes.
#define SAC_YAML_LIMIT ((size_t)256 << 10)

typedef struct sac_yaml sac_yaml;

/// @param[out] out    released by sac_yaml_destroy; NULL on failure
/// @param      where  names the source in errors, such as its path
/// @return SAC_ERROR_FORMAT (with the line) or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_yaml_read(sac_yaml **out, const void *bytes, size_t size, const char *where);

/// The same from a file.
SAC_CHECKED sac_status sac_yaml_load(sac_yaml **out, const char *path);

/// NULL is ignored.
void sac_yaml_destroy(sac_yaml *yaml);

/// The scalars in the order of the file.
int sac_yaml_count(const sac_yaml *yaml);
const sac_yaml_entry *sac_yaml_at(const sac_yaml *yaml, int index);

/// A scalar by its path, or NULL.
const sac_yaml_entry *sac_yaml_find(const sac_yaml *yaml, const char *key);

/// Write settings with dotted keys as nested YAML that reads back as the same list. Keys that share a section must be
/// neighbours; a section whose keys are 0, 1, 2, ... becomes a sequence.
/// @param[out] text  released by sac_free; NULL on failure
/// @return SAC_ERROR_ARGUMENT when the keys are in no such order, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_yaml_write(char **text, const sac_setting *settings, int count);
