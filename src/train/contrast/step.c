#include <string.h>

#include "base/random.h"
#include "train/contrast/contrast.h"

/// A minibatch: forward picture by picture, the contrast of all, and backward picture by picture.

// The captions of a minibatch are those of its pictures' goals; what shows another name shows none of them.
static void gather(sac_contrast *c)
{
    const words_encoder *e = c->encoder;
    contrast_batch *b = &c->batch;
    b->caption_count = 0;
    for (int i = 0; i < c->names; i++) b->captions[i] = WORDS_NOTHING;
    for (int i = 0; i < c->options.batch; i++)
    {
        const int member = b->members[i], name = c->pool.names[member];
        if (b->captions[name] >= 0) continue;
        memcpy(b->bags + (ptrdiff_t)b->caption_count * e->words, c->pool.bags + (ptrdiff_t)member * e->words,
               (size_t)e->words * sizeof *b->bags);
        b->captions[name] = b->caption_count++;
    }
    for (int i = 0; i < c->options.batch; i++)
        for (int k = 0; k < e->count; k++)
        {
            const int name = c->pool.shown[(ptrdiff_t)b->members[i] * e->count + k];
            b->shown[(ptrdiff_t)i * e->count + k] = name >= 0 ? b->captions[name] : name;
        }
}

static double look(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    sac_contrast *c = user;
    const words_encoder *e = c->encoder;
    const contrast_batch *b = &c->batch;
    const size_t pixels = (size_t)e->height * (size_t)e->width * (size_t)e->channels;
    (void)gradient;
    for (int i = slice->first; i < slice->first + slice->count; i++)
        sac_words_look(e, l, c->parameters, b->keys + (ptrdiff_t)i * e->count * e->size, b->kept + (size_t)i * e->kept,
                       c->pool.pictures + (size_t)b->members[i] * pixels, c->rooms[slice->thread]);
    return 0;
}

static double look_back(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    sac_contrast *c = user;
    const words_encoder *e = c->encoder;
    const contrast_batch *b = &c->batch;
    for (int i = slice->first; i < slice->first + slice->count; i++)
    {
        const ptrdiff_t at = (ptrdiff_t)i * e->count * e->size;
        sac_words_look_back(e, l, c->parameters, gradient, b->dkeys + at, b->keys + at, b->kept + (size_t)i * e->kept,
                            c->rooms[slice->thread]);
    }
    return 0;
}

double sac_contrast_step(sac_contrast *c, uint64_t seed, uint64_t number)
{
    const words_encoder *e = c->encoder;
    contrast_batch *b = &c->batch;
    const sac_learn l = sac_learn_create(c->scratch[0]);
    sac_stream random = sac_stream_create(seed, 0x636f6e74, number);
    float dt;
    for (int i = 0; i < c->options.batch; i++)
        b->members[i] = (int)sac_stream_below(&random, (uint32_t)c->options.pictures);
    gather(c);
    (void)sac_slices_run(c->slices, c->gradient, c->options.batch, look, c);
    sac_words_read(e, &l, c->parameters, b->queries, b->lengths, b->bags, b->caption_count);
    const words_batch batch = {.keys = b->keys,
                               .queries = b->queries,
                               .shown = b->shown,
                               .patches = c->options.batch * e->count,
                               .captions = b->caption_count,
                               .logits = b->logits,
                               .slopes = b->slopes};
    const double loss =
        sac_words_loss(e, &l, &batch, sac_words_temperature(e, c->parameters), b->dkeys, b->dqueries, &dt);
    (void)sac_slices_run(c->slices, c->gradient, c->options.batch, look_back, c);
    sac_words_read_back(e, &l, c->gradient, b->dqueries, b->queries, b->lengths, b->bags, b->caption_count);
    c->gradient[e->temperature] += dt;
    sac_optimiser_step(c->optimiser, &l, c->parameters, c->gradient);
    return loss;
}
