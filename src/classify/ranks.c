#include "classify/ranks.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/checksum.h"
#include "rollout/comm.h"

enum
{
    TOLD = (SAC_CLASSIFY_KNOWN + 1) * sizeof(int64_t) // bytes that a rank tells all: its data and its task
};

sac_status sac_classify_ranks_open(sac_classify_ranks *r, sac_comm *comm)
{
    *r = (sac_classify_ranks){.comm = comm};
    if (!comm) SAC_TRY(sac_comm_create_self(&r->own));
    if (!comm) r->comm = r->own;
    const size_t count = (size_t)sac_comm_size(r->comm);
    r->room = sac_alloc(count * TOLD);
    r->sizes = SAC_NEW_ARRAY(size_t, count);
    return r->room && r->sizes ? SAC_OK : sac_fail_memory("ranks");
}

void sac_classify_ranks_close(sac_classify_ranks *r, sac_status status)
{
    sac_comm_close(r->own, status);
    sac_free(r->room);
    sac_free(r->sizes);
    *r = (sac_classify_ranks){0};
}

bool sac_classify_ranks_write(const sac_classify_ranks *r)
{
    return sac_comm_rank(r->comm) == 0;
}

sac_status sac_classify_ranks_gather(void *user, void *all, const size_t *sizes)
{
    sac_classify_ranks *r = user;
    return sac_comm_gather(r->comm, SAC_OK, all, sizes);
}

// tells all what stands in this rank's place, `size` bytes of each
static sac_status tell_all(sac_classify_ranks *r, sac_status status, size_t size)
{
    for (int i = 0; i < sac_comm_size(r->comm); i++) r->sizes[i] = size;
    return sac_comm_gather(r->comm, status, r->room, r->sizes);
}

sac_status sac_classify_ranks_any(sac_classify_ranks *r, sac_status status, bool mine, bool *any)
{
    r->room[sac_comm_rank(r->comm)] = mine;
    SAC_TRY(tell_all(r, status, 1));
    *any = memchr(r->room, 1, (size_t)sac_comm_size(r->comm)) != NULL;
    return SAC_OK;
}

sac_status sac_classify_ranks_share(sac_classify_ranks *r, sac_status status, uint8_t **bytes, size_t *size)
{
    // none are told by one byte, and some have it in front
    uint8_t *all = NULL;
    size_t all_size = *size + 1;
    if (sac_comm_size(r->comm) == 1) return status;
    if (sac_classify_ranks_write(r) && status == SAC_OK)
    {
        all = sac_alloc(all_size);
        if (!all) status = sac_fail_memory("the checkpoint");
        if (all && *size) memcpy(all + 1, *bytes, *size);
    }
    status = sac_comm_share(r->comm, status, &all, &all_size);
    if (status == SAC_OK && !sac_classify_ranks_write(r) && all_size > 1)
    {
        *size = all_size - 1;
        *bytes = sac_alloc(*size + 1);
        if (*bytes) memcpy(*bytes, all + 1, *size);
        if (!*bytes) status = sac_fail_memory("the checkpoint");
    }
    sac_free(all);
    return status;
}

sac_status sac_classify_ranks_compare(sac_classify_ranks *r, const sac_classify_task *task,
                                      const int64_t known[SAC_CLASSIFY_KNOWN])
{
    char *text = NULL;
    const int rank = sac_comm_rank(r->comm), count = sac_comm_size(r->comm);
    int64_t mine[SAC_CLASSIFY_KNOWN + 1];
    sac_status status = sac_classify_task_write(task, &text);
    if (status == SAC_OK)
    {
        memcpy(mine, known, SAC_CLASSIFY_KNOWN * sizeof *known);
        mine[SAC_CLASSIFY_KNOWN] = (int64_t)sac_hash_bytes(SAC_HASH_START, text, strlen(text));
        memcpy(r->room + (size_t)rank * TOLD, mine, TOLD);
    }
    sac_free(text);
    SAC_TRY(tell_all(r, status, TOLD));
    for (int i = 1; i < count; i++)
        if (memcmp(r->room, r->room + (size_t)i * TOLD, TOLD) != 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "rank %d has another task or other pictures than rank 0", i);
    return SAC_OK;
}
