#include "env/control/distraction/backdrop.h"

#include "base/error.h"
#include "base/level.h"
#include "base/memory.h"
#include "env/control/distraction/sky.h"

struct control_backdrop
{
    control_reels *reels;
    const control_reel *reel;
    bool dynamic, shown;
    int frame, direction;
    int strength;      // of 256
    int ground;        // geom that lets the background through; -1: none
    int through, keep; // of 256: how much of it, and of the ground's own colour
    sky_fn *paint;
    uint32_t *scratch;
    const uint32_t *texels; // of the present frame
};

// MuJoCo draws what can be seen through twice, once from each side, without shadows and without what it mirrors; where
// the picture has neither, it is drawn as if it were solid, which is quicker, and mixed here
static void open_ground(control_backdrop *b, control_world *w, bool plain)
{
    float opacity = w->task->ground_opacity;
    int material = w->mj->mj_name2id(w->model, mjOBJ_MATERIAL, "grid");
    b->ground = -1;
    if (material < 0 || opacity >= 1) return;
    bool solid = plain && opacity > 0;
    if (!solid) w->model->mat_rgba[4 * material + 3] = opacity;
    for (int i = 0; i < w->model->ngeom; i++)
        if (w->model->geom_matid[i] == material) b->ground = i;
    b->through = (int)((1 - opacity) * (1 - opacity) * 256 + 0.5f);
    b->keep = solid ? 256 - b->through : 256;
}

sac_status sac_backdrop_create(control_backdrop **out, control_world *w, const char *pictures, int videos, bool dynamic,
                               bool plain)
{
    *out = NULL;
    control_backdrop *b = SAC_NEW(control_backdrop);
    if (!b) return sac_fail_memory("a background");
    b->dynamic = dynamic;
    b->paint = SAC_AT_LEVEL(sac_sky);
    b->scratch = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE);
    sac_status status = b->scratch ? sac_reels_acquire(&b->reels, pictures, videos) : sac_fail_memory("a background");
    if (status != SAC_OK)
    {
        sac_backdrop_destroy(b);
        return status;
    }
    b->reel = &b->reels->reels[0];
    open_ground(b, w, plain);
    *out = b;
    return SAC_OK;
}

void sac_backdrop_destroy(control_backdrop *b)
{
    if (!b) return;
    sac_reels_release(b->reels);
    sac_free(b->scratch);
    sac_free(b);
}

void sac_backdrop_draw(control_backdrop *b, double strength, sac_stream *stream)
{
    if (!b) return;
    b->strength = (int)(256 * strength + 0.5);
    b->reel = &b->reels->reels[sac_stream_below(stream, (uint32_t)b->reels->count)];
    b->frame = (int)sac_stream_below(stream, (uint32_t)b->reel->count);
    b->direction = sac_stream_below(stream, 2) ? 1 : -1;
    b->shown = false;
}

// Forth and back, as the original suite plays its videos: the frame at an end is shown twice.
void sac_backdrop_step(control_backdrop *b)
{
    if (!b || !b->dynamic) return;
    int last = b->reel->count - 1, next = b->frame + b->direction;
    if (next < 0 || next > last) b->direction = -b->direction;
    b->frame = next < 0 ? 0 : next > last ? last : next;
    b->shown = false;
}

void sac_backdrop_snapshot(control_backdrop *b, sac_snapshot *snapshot)
{
    if (!b) return;
    int reel = (int)(b->reel - b->reels->reels);
    sac_snapshot_part(snapshot, &reel, sizeof reel);
    sac_snapshot_part(snapshot, &b->frame, sizeof b->frame);
    sac_snapshot_part(snapshot, &b->direction, sizeof b->direction);
    sac_snapshot_part(snapshot, &b->strength, sizeof b->strength);
    if (snapshot->way != SAC_SNAPSHOT_RESTORE) return;
    b->reel = &b->reels->reels[reel];
    b->shown = false;
}

// Colours between a middle grey and those of the frame; `out` may be the frame.
static void weaken(uint32_t *out, const uint32_t *texels, int strength)
{
    const uint32_t grey = 128 * (uint32_t)(256 - strength), of = (uint32_t)strength;
    for (int i = 0; i < REEL_SIDE * REEL_SIDE; i++)
    {
        const uint32_t t = texels[i], red = t & 255, green = t >> 8 & 255, blue = t >> 16 & 255;
        out[i] = (grey + of * red) >> 8 | (grey + of * green) >> 8 << 8 | (grey + of * blue) >> 8 << 16;
    }
}

// A frame is made when it is first painted; a step that nobody looks at costs no frame.
void sac_backdrop_show(control_backdrop *b)
{
    if (!b || b->shown) return;
    b->texels = sac_reel_show(b->reel, b->frame, b->scratch);
    if (b->strength < 256)
    {
        weaken(b->scratch, b->texels, b->strength);
        b->texels = b->scratch;
    }
    b->shown = true;
}

void sac_backdrop_paint(const control_backdrop *b, const sac_render_view *view, int height, int width,
                        const int32_t *ids, uint8_t *rgb)
{
    sky_picture picture = {
        .view = view,
        .height = height,
        .width = width,
        .texels = b->texels,
        .ids = ids,
        .ground = b->ground,
        .through = b->through,
        .keep = b->keep,
        .rgb = rgb,
    };
    b->paint(&picture);
}
