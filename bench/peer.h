#pragma once

#include <jansson.h>

#include "bench.h"

/// What a peer's script answers: a JSON object with "peer" and "value" at least, to be released by json_decref. NULL
/// when it is not installed (quietly) or failed (with a line on standard error).
/// @param command  the script and its arguments, as in bench_row; NULL: none
json_t *bench_peer_answer(const char *command, const bench_place *place);
