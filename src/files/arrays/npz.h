#pragma once

#include "files/arrays/safetensors.h"

/// This reads NumPy's .npz: a zip archive of .npy arrays, stored or deflated.
///
/// Arrays are row-major float32, float64, int32, int64, uint8 or bool (which becomes uint8); their names lose ".npy".

/// The arrays of all members together hold at most this many bytes.
#define SAC_NPZ_LIMIT ((size_t)256 << 20)

/// @param[out] out    released by sac_tensors_destroy; NULL on failure
/// @param      where  names the source in errors, such as its path
/// @return SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_npz_read(sac_tensors **out, const void *bytes, size_t size, const char *where);

/// The same from a file.
SAC_CHECKED sac_status sac_npz_load(sac_tensors **out, const char *path);
