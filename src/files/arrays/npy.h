#pragma once

#include "files/arrays/safetensors.h"

/// One .npy array: a Python dictionary as text, then the data.

/// Read type, shape and the place of the data, which points into `bytes`; the name is not set.
/// @return SAC_ERROR_FORMAT
SAC_CHECKED sac_status sac_npy_read(sac_tensor *tensor, const uint8_t *bytes, size_t size, const char *where);
