#include <string.h>

#include "base/error.h"
#include "env/instance.h"

// A snapshot is a head that says whose it is, and then what the environment hands over.

void sac_snapshot_part(sac_snapshot *snapshot, void *part, size_t size)
{
    if (snapshot->way == SAC_SNAPSHOT_SAVE)
    {
        memcpy(snapshot->to, part, size);
        snapshot->to += size;
    }
    if (snapshot->way == SAC_SNAPSHOT_RESTORE)
    {
        memcpy(part, snapshot->from, size);
        snapshot->from += size;
    }
    snapshot->size += size;
}

typedef struct snapshot_head
{
    uint64_t magic, def, size;
    uint64_t sum; // of what follows: bytes that were changed on the way never reach a world
} snapshot_head;

static const uint64_t snapshot_magic = 0x31736e6170636173; // "sacpans1"

// Carries what is the same for all worlds, then the world's own parts.
static sac_status hand_over(sac_env *env, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, &env->steps, sizeof env->steps);
    uint64_t failures = sac_failure_count();
    return sac_outcome(env->ops->snapshot(env->self, snapshot), failures, env->ops->name, "snapshot");
}

size_t sac_env_measure(sac_env *env)
{
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_MEASURE};
    if (!env->ops->snapshot || hand_over(env, &snapshot) != SAC_OK) return 0;
    return sizeof(snapshot_head) + snapshot.size;
}

size_t sac_env_snapshot_size(const sac_env *env)
{
    return env->snapshot_size;
}

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0, word;
    for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word)
    {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    }
    word = 0;
    memcpy(&word, bytes, size);
    return (sum ^ word) * 0x9e3779b97f4a7c15;
}

static snapshot_head head_of(const sac_env *env, const uint8_t *parts)
{
    size_t size = env->snapshot_size;
    return (snapshot_head){snapshot_magic, env->def, size, sum_of(parts, size - sizeof(snapshot_head))};
}

sac_status sac_env_save(sac_env *env, void *bytes)
{
    if (!env->snapshot_size) return sac_fail(SAC_ERROR_ARGUMENT, "%s cannot be saved", env->ops->name);
    if (!env->started) return sac_fail(SAC_ERROR_ARGUMENT, "%s: reset comes before save", env->ops->name);
    uint8_t *parts = (uint8_t *)bytes + sizeof(snapshot_head);
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_SAVE, .to = parts};
    SAC_TRY(hand_over(env, &snapshot));
    SAC_ASSERT(snapshot.size + sizeof(snapshot_head) == env->snapshot_size);
    snapshot_head head = head_of(env, parts);
    memcpy(bytes, &head, sizeof head);
    return SAC_OK;
}

sac_status sac_env_restore(sac_env *env, const void *bytes, size_t size)
{
    if (!env->snapshot_size) return sac_fail(SAC_ERROR_ARGUMENT, "%s cannot be restored", env->ops->name);
    const uint8_t *parts = (const uint8_t *)bytes + sizeof(snapshot_head);
    snapshot_head head = {0}, found = {0};
    bool fits = size == env->snapshot_size;
    if (fits) memcpy(&found, bytes, sizeof found), head = head_of(env, parts);
    if (!fits || memcmp(&head, &found, sizeof head) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: these %zu bytes are no snapshot of this world with these options",
                        env->ops->name, size);
    sac_snapshot snapshot = {.way = SAC_SNAPSHOT_RESTORE, .from = parts};
    SAC_TRY(hand_over(env, &snapshot));
    env->started = true;
    return SAC_OK;
}
