#pragma once

#include "saccade/base.h"

/// Memory is zeroed, aligned to 64 bytes, and taken through the hooks of sac_set_allocator.

/// @return NULL when there is no memory; a size of 0 gives a valid pointer
void *sac_alloc(size_t size);

/// Allocate `count` times `size` bytes. @return NULL also when the product overflows
void *sac_alloc_array(size_t count, size_t size);

/// The same for `rows` times `columns` elements of `size` bytes.
void *sac_alloc_matrix(size_t rows, size_t columns, size_t size);

/// NULL is ignored.
void sac_free(void *memory);

/// A copy of a string; NULL when there is no memory.
char *sac_copy_text(const char *text);

#define SAC_NEW(type)                       ((type *)sac_alloc(sizeof(type)))
#define SAC_NEW_ARRAY(type, count)          ((type *)sac_alloc_array((count), sizeof(type)))
#define SAC_NEW_MATRIX(type, rows, columns) ((type *)sac_alloc_matrix((rows), (columns), sizeof(type)))

/// Fail with the message that is the same for every lack of memory.
sac_status sac_fail_memory(const char *what);
