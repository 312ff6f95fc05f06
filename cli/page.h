#pragma once

#include <stdio.h>

#include "cli.h"
#include "saccade/dash.h"

/// The live page, as the commands serve it that train something.

#define CLI_DASH_FLAG                                                                                \
    {                                                                                                \
        "dash", "[PORT]", "serve the live page of the run on this machine; default port 8800", false \
    }

/// The port that --dash names, or the default one. After a bad value: message, *ok = false.
int cli_dash_port(const cli_args *args, bool *ok);

/// Serve the page of a run where --dash is given, and say where.
/// @param[out] dash    released by sac_dash_destroy; NULL after a failure, and where no page is asked for
/// @param      create  sac_dash_create or sac_dash_create_net
SAC_CHECKED sac_status cli_open_page(sac_dash **dash, const cli_args *args, const char *dir, int port,
                                     sac_status (*create)(sac_dash **out, const char *run_dir, int port));

/// Print where a live page is, "http://localhost:PORT/ " and words as printf has them; to someone who came to this
/// machine by ssh, also the command that brings the page to their own.
void cli_say_page(FILE *out, int port, const char *format, ...) __attribute__((format(printf, 3, 4)));
