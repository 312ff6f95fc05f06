#include "frame/share.h"
#include "files/atomic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// PREFIX/share/saccade/NAME of a command in PREFIX/bin, whose path has no links in it
static bool installed(char path[CLI_PATH_SIZE], const char *name)
{
    char command[CLI_PATH_SIZE / 2];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    command[length > 0 ? length : 0] = 0;
    char *slash = strrchr(command, '/');
    if (slash) *slash = 0;
    char *bin = strrchr(command, '/');
    if (bin) *bin = 0;
    int size = snprintf(path, CLI_PATH_SIZE, "%s/%s/saccade/%s", command, SAC_DATADIR, name);
    return slash && size < CLI_PATH_SIZE;
}

bool cli_share_folder(char folder[CLI_PATH_SIZE], const char *name)
{
    snprintf(folder, CLI_PATH_SIZE, "%s", name);
    return sac_is_folder(folder) || cli_installed_folder(folder, name);
}

bool cli_installed_folder(char folder[CLI_PATH_SIZE], const char *name)
{
    char there[CLI_PATH_SIZE];
    bool known = installed(there, name);
    if (!known || !realpath(there, folder)) snprintf(folder, CLI_PATH_SIZE, "%s", there);
    return known && sac_is_folder(folder);
}

const char *cli_shared_file(const char *path)
{
    bool ours = strncmp(path, "tasks/", 6) == 0 || strncmp(path, "zoo/", 4) == 0;
    char there[CLI_PATH_SIZE];
    if (!ours || access(path, F_OK) == 0 || !installed(there, path)) return path;
    // kept until the process ends, as the command line is
    char *found = realpath(there, NULL);
    return found ? found : path;
}
