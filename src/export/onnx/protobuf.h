#pragma once

#include "files/growing.h"

/// Protocol buffers, as far as an ONNX graph needs them. A message is a buffer of bytes that grows.

/// Add a whole number.
void sac_proto_int(sac_growing *message, int field, int64_t value);
void sac_proto_float(sac_growing *message, int field, float value);
void sac_proto_bytes(sac_growing *message, int field, const void *bytes, size_t size);
void sac_proto_text(sac_growing *message, int field, const char *text);

/// Add a message inside another; the inner one is released.
void sac_proto_message(sac_growing *message, int field, sac_growing *inner);
