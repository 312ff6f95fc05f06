#pragma once

#include <stdio.h>

/// Print where a live page is, "http://localhost:PORT/ " and words as printf has them; to someone who came to this
/// machine by ssh, also the command that brings the page to their own.
void cli_say_page(FILE *out, int port, const char *format, ...) __attribute__((format(printf, 3, 4)));
