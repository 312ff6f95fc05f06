#pragma once

#include <jansson.h>

#include "bench.h"

/// Get the answer of a peer's script: a JSON object with at least "peer" and "value", to be released by json_decref.
/// NULL when the peer is not installed (quietly) or failed (with a line on standard error).
/// @param command  the script and its arguments, as in bench_row; NULL: none
json_t *bench_peer_answer(const char *command, const bench_place *place);
