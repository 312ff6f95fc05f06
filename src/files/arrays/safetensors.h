#pragma once

#include "saccade/base.h"

/// Named arrays in a safetensors file: an 8-byte length, a JSON header, then the data.
///
/// Reading checks everything before it uses anything: sizes, types and shapes, that the arrays fill the data without
/// holes or overlaps, and that no name comes twice. The result owns a copy of the data, each array aligned to 64 bytes.
/// Writing lays the arrays out as the Python package does, so equal content gives equal bytes.

/// Every element type: name, name in the file, bytes. Ordered as the Python package orders them in a file, last first.
#define SAC_DTYPE_LIST(X) \
    X(U8, "U8", 1)        \
    X(I32, "I32", 4)      \
    X(F32, "F32", 4)      \
    X(F64, "F64", 8)      \
    X(I64, "I64", 8)

typedef enum sac_dtype
{
#define X(name, text, size) SAC_##name,
    SAC_DTYPE_LIST(X)
#undef X
} sac_dtype;

/// "F32" and the like; bytes of one element.
const char *sac_dtype_name(sac_dtype dtype);
size_t sac_dtype_size(sac_dtype dtype);

#define SAC_TENSOR_MAX_RANK 8

/// One array, row-major.
typedef struct sac_tensor
{
    const char *name;
    sac_dtype dtype;
    int rank; ///< 0: one number
    int64_t shape[SAC_TENSOR_MAX_RANK];
    const void *data;
} sac_tensor;

/// Elements of an array: the product of its shape.
size_t sac_tensor_count(const sac_tensor *tensor);

/// One entry of the metadata.
typedef struct sac_metadata
{
    const char *key;
    const char *value; ///< writing: NULL under the key "checksum" is filled in
} sac_metadata;

typedef struct sac_tensors sac_tensors;

/// Read from memory; the bytes may be released afterwards.
/// @param[out] out    released by sac_tensors_destroy; NULL on failure
/// @param      where  names the source in errors, such as its path
/// @return SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_tensors_read(sac_tensors **out, const void *bytes, size_t size, const char *where);

/// Read from memory without copying the data: the arrays point into the bytes, which must outlive them.
/// @param bytes  [size], 8-byte aligned
/// @return also SAC_ERROR_FORMAT where an array does not lie at a multiple of its element's size, as every file of this
///         writer and of the Python package does
SAC_CHECKED sac_status sac_tensors_read_in_place(sac_tensors **out, const void *bytes, size_t size, const char *where);

/// Read a file of at most `limit` bytes.
SAC_CHECKED sac_status sac_tensors_load(sac_tensors **out, const char *path, size_t limit);

/// NULL is ignored.
void sac_tensors_destroy(sac_tensors *tensors);

/// The arrays in the order of their data.
int sac_tensors_count(const sac_tensors *tensors);
const sac_tensor *sac_tensors_at(const sac_tensors *tensors, int index);

/// An array by name, or NULL.
const sac_tensor *sac_tensors_find(const sac_tensors *tensors, const char *name);

/// Find an array that must be there, with this type and shape; -1 in the shape accepts any size, and rank -1 accepts
/// any shape.
/// @return SAC_ERROR_FORMAT with source, name, what is there and what was expected
SAC_CHECKED sac_status sac_tensors_get(const sac_tensor **out, const sac_tensors *tensors, const char *name,
                                       sac_dtype dtype, int rank, const int64_t *shape);

/// A metadata value, or NULL; the i-th entry.
const char *sac_tensors_metadata(const sac_tensors *tensors, const char *key);
int sac_tensors_metadata_count(const sac_tensors *tensors);
sac_metadata sac_tensors_metadata_at(const sac_tensors *tensors, int index);

/// Check the arrays and the metadata against the metadata's "checksum".
/// @return SAC_ERROR_FORMAT when it is missing or differs
SAC_CHECKED sac_status sac_tensors_verify(const sac_tensors *tensors);

/// Lay arrays and metadata out as a file in memory.
/// @param[out] bytes  released by sac_free; NULL on failure
/// @return SAC_ERROR_ARGUMENT for a name that comes twice or is no UTF-8, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_tensors_write(uint8_t **bytes, size_t *size, const sac_tensor *tensors, int count,
                                         const sac_metadata *metadata, int metadata_count);

/// The same into a file, atomically.
SAC_CHECKED sac_status sac_tensors_save(const char *path, const sac_tensor *tensors, int count,
                                        const sac_metadata *metadata, int metadata_count);

/// A file whose arrays are written where they will lie, one by one and in any order, so that it may be larger than the
/// memory there is.
typedef struct sac_tensors_writer sac_tensors_writer;

/// Lay out a file that has these arrays. It gets its name when it is committed.
/// @param[out]    out      ended by sac_tensors_commit or sac_tensors_abort; NULL on failure
/// @param[in,out] tensors  their data becomes where to write it, zeros so far; their names must outlive the writer
/// @param         metadata NULL under the key "checksum" is filled in by sac_tensors_commit
/// @return as sac_tensors_write, and SAC_ERROR_FILE where there is no room or no place for the file
SAC_CHECKED sac_status sac_tensors_begin(sac_tensors_writer **out, const char *path, sac_tensor *tensors, int count,
                                         const sac_metadata *metadata, int metadata_count);

/// Put the file in its place, and release the writer, also after a failure.
SAC_CHECKED sac_status sac_tensors_commit(sac_tensors_writer *writer);

/// Drop the file. NULL is ignored.
void sac_tensors_abort(sac_tensors_writer *writer);
