#include <string.h>

#include "gradient/gradient.h"

/// What attention gives of frames, without what the controller makes of it.

int sac_attended_size(const sac_gradient *g)
{
    return g->parts.reading == SAC_PARTS_TRANS ? g->told : g->parts.embedding->count;
}

void sac_attended_forward(const sac_gradient *g, float *out, const float *parameters, const sac_batch *batch,
                          void *workspace)
{
    sac_pass p = sac_gradient_begin(g, parameters, batch, workspace);
    const int size = sac_attended_size(g), stride = g->parts.embedding->token_stride;
    sac_look_begin(&p);
    if (g->parts.reading == SAC_PARTS_TRANS)
    {
        sac_mixed_forward(&p);
        memcpy(out, p.room.told, (size_t)p.frames * (size_t)size * sizeof *out);
        return;
    }
    sac_maps_set(&p);
    for (int frame = 0; frame < p.frames; frame++, out += size)
    {
        float *scores = p.room.scores + (ptrdiff_t)frame * stride;
        sac_look_frame(&p, frame);
        sac_scores_forward(&p, frame, scores);
        memcpy(out, scores, (size_t)size * sizeof *out);
    }
}

void sac_attended_backward(const sac_gradient *g, float *sums, const float *dout, const float *parameters,
                           const sac_batch *batch, void *workspace)
{
    sac_pass p = sac_gradient_begin(g, parameters, batch, workspace);
    const int size = sac_attended_size(g);
    p.sums = sums;
    sac_look_backward_begin(&p);
    if (g->parts.reading == SAC_PARTS_TRANS)
    {
        memcpy(p.room.dtold, dout, (size_t)p.frames * (size_t)size * sizeof *dout);
        sac_mixed_backward(&p);
    }
    for (int frame = 0; g->parts.reading == SAC_PARTS_RANK && frame < p.frames; frame++, dout += size)
    {
        memcpy(p.room.dscores, dout, (size_t)size * sizeof *dout);
        sac_scores_backward(&p, frame, p.room.dscores);
        sac_look_frame_backward(&p, frame);
    }
    sac_look_backward_end(&p);
}
