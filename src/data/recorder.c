#include "data/recorder.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "data/spool.h"

enum
{
    BLOCK = 32 // frames
};

/// A unit's frames: full blocks in the file, each of which knows the one before it, and one that is being filled.
typedef struct unit
{
    long long before; // number of the newest block in the file; -1: none
    int frames;
    uint8_t terminated, truncated;
    uint8_t *block; // being filled; NULL: none
} unit;

struct sac_recorder
{
    sac_recorder_def def;
    int parts[SAC_MAX_PARTS]; // of the world
    size_t bytes[SAC_MAX_PARTS], offsets[SAC_MAX_PARTS];
    int part_count, action_size, choices; // of which costs are kept; 0: they are not
    size_t actions, costs, rewards, size; // offsets in a block, and its bytes
    sac_spool spool;
    unit *units;
    uint8_t *memory, **spare; // blocks of memory, [live + 1]; those that nobody uses
    int spares;
    pthread_mutex_t mutex; // of the spare blocks
};

// Returns the offset at which the next `count` elements begin.
static size_t offset_of(sac_workspace *block, size_t count, size_t size)
{
    const size_t offset = block->used;
    sac_take(block, count, size);
    return offset;
}

// A block holds the number of the block before, then a column for each part, the actions and the rewards.
static void lay_out(sac_recorder *r, const sac_env_spec *spec)
{
    sac_workspace block = {0};
    sac_take(&block, 1, sizeof(long long));
    for (int i = 0; i < spec->observation_count; i++)
    {
        if ((r->def.parts >> i & 1) == 0) continue;
        r->parts[r->part_count] = i;
        r->bytes[r->part_count] = sac_space_bytes(&spec->observations[i]);
        r->offsets[r->part_count] = offset_of(&block, BLOCK, r->bytes[r->part_count]);
        r->part_count++;
    }
    r->action_size = spec->action_size;
    r->rewards = offset_of(&block, BLOCK, sizeof(double));
    r->actions = offset_of(&block, (size_t)r->action_size * BLOCK, sizeof(float));
    r->choices = r->def.costs ? spec->action_choices : 0;
    r->costs = offset_of(&block, (size_t)r->choices * BLOCK, sizeof(float));
    r->size = block.used;
}

static sac_status create(sac_recorder *r)
{
    const int blocks = r->def.live + 1; // one to read into
    lay_out(r, r->def.spec);
    r->units = SAC_NEW_ARRAY(unit, (size_t)r->def.units);
    r->memory = sac_alloc_array((size_t)blocks, r->size);
    r->spare = SAC_NEW_ARRAY(uint8_t *, (size_t)blocks);
    if (!r->units || !r->memory || !r->spare) return sac_fail_memory("a recorder");
    SAC_TRY(sac_spool_open(&r->spool, r->def.beside, r->size));
    return sac_recorder_begin(r);
}

sac_status sac_recorder_create(sac_recorder **out, const sac_recorder_def *def)
{
    *out = NULL;
    sac_recorder *r = SAC_NEW(sac_recorder);
    if (!r) return sac_fail_memory("a recorder");
    pthread_mutex_init(&r->mutex, NULL);
    r->def = *def;
    sac_status status = create(r);
    if (status != SAC_OK)
    {
        sac_recorder_destroy(r);
        return status;
    }
    *out = r;
    return SAC_OK;
}

void sac_recorder_destroy(sac_recorder *r)
{
    if (!r) return;
    sac_spool_close(&r->spool);
    pthread_mutex_destroy(&r->mutex);
    sac_free(r->units);
    sac_free(r->memory);
    sac_free(r->spare);
    sac_free(r);
}

sac_status sac_recorder_begin(sac_recorder *r)
{
    for (int i = 0; i < r->def.units; i++) r->units[i] = (unit){.before = -1};
    r->spares = r->def.live + 1;
    for (int i = 0; i < r->spares; i++) r->spare[i] = r->memory + (size_t)i * r->size;
    return sac_spool_clear(&r->spool);
}

// --- recording ---------------------------------------------------------------------------------------------------

static uint8_t *take_block(sac_recorder *r)
{
    pthread_mutex_lock(&r->mutex);
    SAC_ASSERT(r->spares > 0);
    uint8_t *block = r->spare[--r->spares];
    pthread_mutex_unlock(&r->mutex);
    return block;
}

static void give_block(sac_recorder *r, uint8_t *block)
{
    pthread_mutex_lock(&r->mutex);
    r->spare[r->spares++] = block;
    pthread_mutex_unlock(&r->mutex);
}

sac_status sac_recorder_decided(void *recorder, int index, const sac_play *play)
{
    sac_recorder *r = recorder;
    unit *u = &r->units[index];
    const size_t row = (size_t)(u->frames % BLOCK);
    if (!u->block) u->block = take_block(r);
    for (int i = 0; i < r->part_count; i++)
        memcpy(u->block + r->offsets[i] + row * r->bytes[i], play->parts[r->parts[i]], r->bytes[i]);
    return SAC_OK;
}

static sac_status write_block(sac_recorder *r, unit *u)
{
    long long number;
    memcpy(u->block, &u->before, sizeof u->before);
    SAC_TRY(sac_spool_add(&r->spool, u->block, &number));
    u->before = number;
    return SAC_OK;
}

sac_status sac_recorder_stepped(void *recorder, int index, const sac_play *play, bool last)
{
    sac_recorder *r = recorder;
    unit *u = &r->units[index];
    const size_t row = (size_t)(u->frames % BLOCK), size = (size_t)r->action_size;
    memcpy((float *)(u->block + r->actions) + row * size, r->def.advice ? play->advice : play->action,
           size * sizeof(float));
    if (r->choices > 0)
        memcpy((float *)(u->block + r->costs) + row * (size_t)r->choices, sac_play_costs(play),
               (size_t)r->choices * sizeof(float));
    ((double *)(u->block + r->rewards))[row] = play->reward;
    u->frames++;
    if (u->frames % BLOCK == 0 || last) SAC_TRY(write_block(r, u));
    if (!last) return SAC_OK;
    u->terminated = play->terminated;
    u->truncated = !play->terminated;
    give_block(r, u->block);
    u->block = NULL;
    return SAC_OK;
}

// --- reading back ------------------------------------------------------------------------------------------------

sac_recorded sac_recorder_unit(const sac_recorder *r, int index)
{
    const unit *u = &r->units[index];
    return (sac_recorded){u->frames, u->terminated, u->truncated};
}

sac_status sac_recorder_read(sac_recorder *r, int index, void (*take)(void *user, const sac_recorded_frames *frames),
                             void *user)
{
    const unit *u = &r->units[index];
    uint8_t *block = take_block(r);
    sac_status status = SAC_OK;
    long long number = u->before;
    for (int at = (u->frames - 1) / BLOCK; u->frames > 0 && at >= 0 && status == SAC_OK; at--)
    {
        status = sac_spool_get(&r->spool, number, block);
        if (status != SAC_OK) break;
        sac_recorded_frames frames = {.first = at * BLOCK,
                                      .count = u->frames - at * BLOCK < BLOCK ? u->frames - at * BLOCK : BLOCK,
                                      .actions = (const float *)(block + r->actions),
                                      .rewards = (const double *)(block + r->rewards)};
        if (r->choices > 0) frames.costs = (const float *)(block + r->costs);
        for (int i = 0; i < r->part_count; i++) frames.parts[i] = block + r->offsets[i];
        take(user, &frames);
        memcpy(&number, block, sizeof number);
    }
    give_block(r, block);
    return status;
}
