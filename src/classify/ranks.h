#pragma once

#include "classify/data.h"
#include "classify/task.h"
#include "saccade/rollout.h"

/// The ranks of a fit: every one holds the whole net and takes the same steps, and computes its part of each
/// minibatch's slices. Rank 0 alone evaluates, writes and reports.

typedef struct sac_classify_ranks
{
    sac_comm *comm, *own; ///< own: made here, where there was none
    uint8_t *room;        ///< [ranks, bytes that each tells all]
    size_t *sizes;        ///< [ranks]
} sac_classify_ranks;

/// @param comm  of the ranks; NULL: this process alone
SAC_CHECKED sac_status sac_classify_ranks_open(sac_classify_ranks *ranks, sac_comm *comm);

/// @param status  a failure that the others may not know of; {0} is ignored
void sac_classify_ranks_close(sac_classify_ranks *ranks, sac_status status);

/// Tell whether this is rank 0.
bool sac_classify_ranks_write(const sac_classify_ranks *ranks);

/// Give every rank all parts' bytes: for sac_net_exchange.
/// @param user  the sac_classify_ranks
sac_status sac_classify_ranks_gather(void *user, void *all, const size_t *sizes);

/// Tell whether any rank says so. A failure of any rank, which is this one's `status`, fails on all.
SAC_CHECKED sac_status sac_classify_ranks_any(sac_classify_ranks *ranks, sac_status status, bool mine, bool *any);

/// Give every rank rank 0's bytes, which may be none (NULL).
/// @param[in,out] bytes  released by sac_free on every rank
SAC_CHECKED sac_status sac_classify_ranks_share(sac_classify_ranks *ranks, sac_status status, uint8_t **bytes,
                                                size_t *size);

/// Check that all ranks carry out the same task over the same pictures.
SAC_CHECKED sac_status sac_classify_ranks_compare(sac_classify_ranks *ranks, const sac_classify_task *task,
                                                  const int64_t known[SAC_CLASSIFY_KNOWN]);
