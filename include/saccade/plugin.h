#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// A plugin holds your own environments and kinds of policies in a shared object, which the command opens with
/// `--plugin FILE.so` or $SACCADE_PLUGINS, a program with sac_plugin_load, and Python with saccade.load_plugin.
///
///     #include <saccade/plugin.h>
///     static const sac_env_ops *const worlds[] = {&catch_ops, NULL};
///     static const sac_policy_kind_ops *const kinds[] = {&columns_ops, NULL};
///     SAC_PLUGIN(worlds, kinds)
///
///     cc -shared -fPIC $(pkg-config --cflags saccade) catch.c -o catch.so
///
/// A plugin is not linked with saccade: the program that opens it supplies every function of include/saccade. A plugin
/// is code that runs with the user's rights, so open only plugins that you trust.

/// The version of this interface. It rises when a struct that a plugin hands over (sac_env_ops, sac_env_spec,
/// sac_env_row, sac_policy_kind_ops, sac_option, ...) changes; then a plugin is compiled again.
#define SAC_PLUGIN_VERSION 8

/// What a plugin offers: the object `sac_plugin_table`, which SAC_PLUGIN defines.
typedef struct sac_plugin
{
    int version;                                ///< SAC_PLUGIN_VERSION, of the headers that it was compiled with
    int major, minor;                           ///< of their saccade, for errors
    const sac_env_ops *const *envs;             ///< NULL at the end; NULL: none
    const sac_policy_kind_ops *const *policies; ///< NULL at the end; NULL: none
} sac_plugin;

/// Define what this shared object offers; once, outside of functions. Either list may be NULL.
#define SAC_PLUGIN(env_list, policy_list)                                                                    \
    SAC_API const sac_plugin sac_plugin_table;                                                               \
    const sac_plugin sac_plugin_table = {SAC_PLUGIN_VERSION, SAC_VERSION_MAJOR, SAC_VERSION_MINOR, env_list, \
                                         policy_list};

/// Open a plugin and register all that it offers, or nothing. It stays open until the process ends, and opening it
/// again does nothing. Do not call this while threads create environments or policies.
/// @param path  of the file; without a slash it is one of the current folder
/// @return SAC_ERROR_FILE when it cannot be opened, SAC_ERROR_FORMAT when it is no plugin or of another version,
///         SAC_ERROR_ARGUMENT when what it offers is incomplete or has a name that is taken
SAC_API SAC_CHECKED sac_status sac_plugin_load(const char *path);

/// The index-th opened plugin, as its path was given; NULL past the last.
/// @param[out] plugin  what it offers; may be NULL
SAC_API const char *sac_plugin_at(int index, const sac_plugin **plugin);
