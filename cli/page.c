#define _GNU_SOURCE
#include "page.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The page is served on this machine alone, so a browser elsewhere needs a tunnel.

// the name that ssh was given, or that this process runs under
static const char *user_name(void)
{
    const char *name = getenv("USER");
    if (name && name[0]) return name;
    const struct passwd *entry = getpwuid(geteuid()); // NOLINT(concurrency-mt-unsafe)
    return entry ? entry->pw_name : "USER";
}

void cli_say_page(FILE *out, int port, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    fprintf(out, "http://localhost:%d/ ", port);
    vfprintf(out, format, words);
    va_end(words);
    fputc('\n', out);
    // "client's address, client's port, this machine's address, this machine's port"
    const char *connection = getenv("SSH_CONNECTION");
    char address[64], ssh_port[8], option[16] = "";
    if (connection && sscanf(connection, "%*63s %*7s %63s %7s", address, ssh_port) == 2)
    {
        if (strcmp(ssh_port, "22") != 0) snprintf(option, sizeof option, "-p %s ", ssh_port);
        fprintf(out, "from your own machine: ssh %s-N -L %d:localhost:%d %s@%s, then open that address there\n", option,
                port, port, user_name(), address);
    }
    fflush(out);
}
