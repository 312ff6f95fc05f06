#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "files/atomic.h"
#include "page.h"
#include "saccade/dash.h"
#include "stop.h"

/// saccade dash: the live page of a run, or of a folder of runs.

static const cli_flag flags[] = {
    {"port", "N",
     "on this machine; default 8800; 0: any that is free. The page is for this machine alone; from another one: ssh -L "
     "8800:localhost:8800 HOST",
     false},
    {0},
};

static int run(const cli_args *args)
{
    bool ok = true;
    int port = (int)cli_integer(args, "port", CLI_DASH_PORT, 0, 65535, &ok);
    if (!ok) return CLI_USAGE;
    const char *dir = cli_positional(args, 0);
    char path[CLI_PATH_SIZE];
    sac_status status = sac_join_path(path, dir, "task.yaml");
    if (status != SAC_OK) return cli_fail(status);
    if (access(path, F_OK) != 0 && !sac_dash_is_folder(dir))
    {
        const char *reason = access(dir, F_OK) == 0 ? "there is no run in it" : strerror(errno);
        fprintf(stderr, "saccade: %s: %s; expected a run folder, or a folder that holds some\n", dir, reason);
        return CLI_FAILURE;
    }
    const volatile int *interrupt = cli_catch_signals();
    sac_dash *dash;
    status = sac_dash_create(&dash, dir, port);
    if (status != SAC_OK) return cli_fail(status);
    cli_say_page(stdout, sac_dash_port(dash), "shows %s; Ctrl-C ends it", dir);
    // a page whose address nobody was told is not served; main says why
    while (!*interrupt && !ferror(stdout)) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    sac_dash_destroy(dash);
    return CLI_OK;
}

const cli_command cli_dash = {"dash", "RUN", "serve the live page of a run, or of a folder of runs, on this machine",
                              flags, run};
