#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum
{
    ALIGNMENT = 64
};

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return aligned_alloc(alignment, size);
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static sac_allocator allocator = {default_allocate, default_release, NULL};

void sac_set_allocator(const sac_allocator *replacement)
{
    allocator = replacement ? *replacement : (sac_allocator){default_allocate, default_release, NULL};
}

void *sac_alloc(size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT) return NULL;
    size_t rounded = size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    void *memory = allocator.allocate(allocator.user, rounded, ALIGNMENT);
    if (memory) memset(memory, 0, rounded);
    return memory;
}

void *sac_alloc_array(size_t count, size_t size)
{
    size_t total;
    return __builtin_mul_overflow(count, size, &total) ? NULL : sac_alloc(total);
}

void *sac_alloc_matrix(size_t rows, size_t columns, size_t size)
{
    size_t count;
    return __builtin_mul_overflow(rows, columns, &count) ? NULL : sac_alloc_array(count, size);
}

void sac_free(void *memory)
{
    if (memory) allocator.release(allocator.user, memory);
}

char *sac_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = sac_alloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

sac_status sac_fail_memory(const char *what)
{
    return sac_fail(SAC_ERROR_MEMORY, "out of memory for %s", what);
}
