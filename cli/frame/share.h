#pragma once

#include <stdbool.h>

#include "cli.h"

/// What is installed beside the command: task files and trained policies. Paths that begin with tasks/ or zoo/ mean the
/// folders here, as in a checkout; elsewhere, those in the installed share folder.

/// "./NAME" where that is a folder, else the installed one.
/// @param[out] folder  the last place that was looked at
bool cli_share_folder(char folder[CLI_PATH_SIZE], const char *name);

/// The installed folder of that name, without a look at what is here.
bool cli_installed_folder(char folder[CLI_PATH_SIZE], const char *name);

/// The path itself, or the installed file where there is none here but one of that name in the share folder.
const char *cli_shared_file(const char *path);
