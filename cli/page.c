#define _GNU_SOURCE
#include "page.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "stop.h"

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

int cli_dash_port(const cli_args *args, bool *ok)
{
    const char *value = cli_value(args, "dash");
    return value && value[0] ? (int)cli_integer(args, "dash", 0, 0, 65535, ok) : CLI_DASH_PORT;
}

sac_status cli_open_page(sac_dash **dash, const cli_args *args, const char *dir, int port,
                         sac_status (*create)(sac_dash **out, const char *run_dir, int port))
{
    *dash = NULL;
    if (!cli_has(args, "dash")) return SAC_OK;
    SAC_TRY(create(dash, dir, port));
    cli_say_page(stderr, sac_dash_port(*dash), "shows this run");
    return SAC_OK;
}
