#pragma once

#include "files/yaml.h"
#include "saccade/options.h"

/// Options that had another name before, in one table (renamed.c). A former name is read wherever an option is, unless
/// the table that is asked has an option of its own that is called so.

/// Find the option that `key` names, by the name that it has or by one that it had; NULL: there is none.
const sac_option *sac_option_find(const sac_option *table, const char *key);

/// The first name that the option `name` of this table had, which is its name in policy files; `name` itself for an
/// option that was never renamed. Such files keep the first names, so that every version can read them.
const char *sac_option_first_name(const sac_option *table, const char *name);

/// Find a scalar by its path where the path's last word is an option: by that word, or by a name that the option had or
/// has now. So a file of an earlier version is compared with a later one's.
const sac_yaml_entry *sac_yaml_find_option(const sac_yaml *yaml, const char *key);
