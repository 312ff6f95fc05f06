#include "policy/finder/finder.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "policy/actor.h"
#include "policy/planners/steer.h"

#define AT(field) offsetof(finder_config, field)

static const sac_option options[] = {
    {"words", SAC_OPTION_BOOL, AT(words), "true", 0, 0, NULL,
     "look for what the words say; false: go from one edge of what is known to another"},
    {"kernel", SAC_OPTION_TEXT, AT(kernel), "softmax", 0, 0, "softmax relu exp square",
     "how much a patch and the words have to do with each other"},
    {"features", SAC_OPTION_INT, AT(features), "0", 0, 4096, NULL,
     "rows of the random matrix of the other kernels; 0: they take embeddings as they are"},
    {"orthogonal", SAC_OPTION_BOOL, AT(orthogonal), "false", 0, 0, NULL, "its rows are orthogonal in blocks"},
    {"scale", SAC_OPTION_REAL, AT(scale), "1", 1e-6, 1e6, NULL,
     "of q.k, the product of a patch's and the words' vectors"},
    {"seed", SAC_OPTION_SEED, AT(seed), "1", 0, 0, NULL, "of that matrix and of what is drawn"},
    {"kept", SAC_OPTION_INT, AT(kept), "3", 1, FINDER_MOST_KEPT, NULL,
     "patches with the highest scores, of which one is drawn"},
    {"sure", SAC_OPTION_REAL, AT(sure), "0.5", -1, 1, NULL,
     "cosine between that patch and the words from which on the robot goes there"},
    {"frontier", SAC_OPTION_TEXT, AT(frontier), "nearest", 0, 0, "nearest random",
     "which edge of what is known it goes to otherwise"},
    {"every", SAC_OPTION_INT, AT(every), "3", 1, 100, NULL, "steps from one look to the next"},
    {"rows", SAC_OPTION_INT, AT(rows), "0", 0, 1024, NULL, "of patches, of given keys; 0: as many as columns"},
    {"size", SAC_OPTION_INT, AT(size), "32", 1, 1024, NULL, "numbers of a learned embedding"},
    {"thick", SAC_OPTION_INT, AT(thick), "16", 2, 256, NULL, "channels of the encoder's first layer; even"},
    {"extent", SAC_OPTION_REAL, AT(extent), "24", 4, 64, NULL, "metres of the map's sides; it begins in the middle"},
    {"angle", SAC_OPTION_REAL, AT(angle), "60", 10, 120, NULL, "degrees that the camera sees from top to bottom"},
    {"eye_ahead", SAC_OPTION_REAL, AT(eye_ahead), "0.12", -1, 1, NULL, "metres from the robot's middle to its camera"},
    {"eye_up", SAC_OPTION_REAL, AT(eye_up), "0.4", 0.01, 2, NULL, "metres from the floor to it"},
    {"steering", SAC_OPTION_REAL, AT(steering), "2", 0.1, 20, NULL, "as of a pilot"},
    {"narrow", SAC_OPTION_REAL, AT(narrow), "0.7", 0, 0.99, NULL, "as of a pilot"},
    {0},
};

enum
{
    STEERING = 0, // of plan.weights
    NARROW,
    ACTIONS = 2
};

// --- creation

static int find(const sac_policy_def *def, const char *name, sac_space_kind kind)
{
    const int at = sac_space_find(def->inputs, def->input_count, name);
    return at >= 0 && def->inputs[at].kind == kind ? at : -1;
}

// Whether the parts are those of one of the three kinds of finder, which its option `words` and `keys` tell apart
static bool are_whole(const finder *f, const sac_policy_def *def, bool words)
{
    if (f->depth < 0 || f->motion < 0 || sac_space_size(&def->inputs[f->motion]) != FINDER_MOTION) return false;
    if (!words) return def->input_count == 2;
    if (f->keys >= 0) return f->query >= 0 && f->image <= 0 && def->input_count == (f->image < 0 ? 4 : 5);
    return f->image == 0 && f->words >= 0 && def->input_count == 4;
}

static sac_status find_inputs(finder *f, const sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const bool words = ((const finder_config *)policy->config)->words;
    f->depth = find(def, "depth", SAC_SPACE_DEPTH);
    f->motion = find(def, "motion", SAC_SPACE_VECTOR);
    f->image = words ? find(def, "image", SAC_SPACE_PICTURE) : -1;
    f->words = words ? find(def, "words", SAC_SPACE_VECTOR) : -1;
    f->keys = words ? find(def, "keys", SAC_SPACE_VECTOR) : -1;
    f->query = words ? find(def, "query", SAC_SPACE_VECTOR) : -1;
    if (!are_whole(f, def, words))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a finder takes the parts of rooms that its option words says "
                                            "(inputs: image depth motion words; with embeddings of yours keys depth "
                                            "motion query; with words: false depth motion)");
    if (def->action_choices || def->action_size != ACTIONS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a finder drives by two numbers, as rooms has them, not by %d",
                        def->action_choices ? 1 : def->action_size);
    if (!def->inputs[f->depth].high)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a finder has to know how far 'depth' reaches, its upper bound");
    return SAC_OK;
}

static void know_camera(finder *f, const sac_policy *policy)
{
    const finder_config *c = policy->config;
    const sac_space *depth = &policy->def.inputs[f->depth];
    double sine, cosine;
    sac_series_sin_cos(c->angle * 3.14159265358979312 / 360, &sine, &cosine);
    f->camera = (survey_camera){.high = sine / cosine,
                                .tangent = sine / cosine * depth->shape[1] / depth->shape[0],
                                .ahead = c->eye_ahead,
                                .up = c->eye_up,
                                .far = (double)depth->high[0],
                                .height = depth->shape[0],
                                .width = depth->shape[1]};
    f->side = sac_survey_side(c->extent);
}

// One patch is to show whole pixels of depth.
static bool fits_depth(const finder *f)
{
    return f->camera.height % f->rows == 0 && f->camera.width % f->columns == 0;
}

static sac_status create_kernel(finder *f, const finder_config *c)
{
    sac_words_def kernel = sac_words_default_def();
    kernel.kernel = c->kernel;
    kernel.size = f->size;
    kernel.features = c->features;
    kernel.orthogonal = c->orthogonal;
    kernel.seed = c->seed;
    kernel.scale = c->scale;
    return sac_words_create(&f->kernel, &kernel);
}

static sac_status add_encoder(sac_policy *policy, finder *f)
{
    const finder_config *c = policy->config;
    const sac_policy_def *def = &policy->def;
    const int *shape = def->inputs[f->image].shape;
    words_tensor tensors[WORDS_TENSORS];
    f->rows = shape[0] / WORDS_CELL, f->columns = shape[1] / WORDS_CELL;
    f->count = f->rows * f->columns, f->size = c->size, f->cell = WORDS_CELL;
    if (shape[0] % WORDS_CELL != 0 || shape[1] % WORDS_CELL != 0 || !fits_depth(f))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a picture of %d x %d pixels over depth of %d x %d; a finder's patches are %d x %d "
                        "pixels, and each is to show whole pixels of depth",
                        shape[0], shape[1], f->camera.height, f->camera.width, WORDS_CELL, WORDS_CELL);
    sac_words_encoder_lay_out(&f->encoder, shape[0], shape[1], shape[2] > 0 ? shape[2] : 1,
                              (int)sac_space_size(&def->inputs[f->words]), c->size, c->thick);
    sac_words_encoder_tensors(&f->encoder, tensors);
    for (int i = 0; i < WORDS_TENSORS; i++)
        SAC_TRY(sac_policy_add_tensor(policy, tensors[i].name, tensors[i].limit, tensors[i].rank, tensors[i].shape,
                                      tensors[i].offset));
    f->encoder.parameters = (size_t)policy->parameter_count;
    return create_kernel(f, c);
}

// The grid of patches that given keys are of: N = keys / query, in `rows` rows.
static sac_status take_embeddings(const sac_policy *policy, finder *f)
{
    const finder_config *c = policy->config;
    const sac_policy_def *def = &policy->def;
    const int keys = (int)sac_space_size(&def->inputs[f->keys]), query = (int)sac_space_size(&def->inputs[f->query]);
    const int count = keys / query, rows = c->rows > 0 ? c->rows : (int)(sqrt(count) + 0.5);
    f->size = query;
    f->count = count;
    f->rows = rows;
    f->columns = rows > 0 ? count / rows : 0;
    if (keys % query != 0 || count < 1 || f->rows * f->columns != count || !fits_depth(f))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: %d numbers of keys, %d of a query and %d rows over depth of %d x %d; keys are to be a "
                        "query's numbers for each patch, in rows (policy.rows), and each patch is to show whole pixels "
                        "of depth",
                        keys, query, rows, f->camera.height, f->camera.width);
    if (c->kept > count)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %d patches to keep (policy.kept) of %d", c->kept, count);
    if (f->image >= 0)
    {
        const int *shape = def->inputs[f->image].shape;
        f->cell = shape[0] / f->rows;
        if (shape[0] != f->cell * f->rows || shape[1] != f->cell * f->columns)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy: a picture of %d x %d pixels to show %d x %d patches on, expected whole pixels a "
                            "patch, as many up as across; leave 'image' out of the inputs to show none",
                            shape[0], shape[1], f->rows, f->columns);
    }
    return create_kernel(f, c);
}

static sac_status create(sac_policy *policy)
{
    const int size = FINDER_WEIGHTS;
    finder *f = SAC_NEW(finder);
    if (!f) return sac_fail_memory("a policy");
    policy->self = f; // destroyed with the policy
    SAC_TRY(find_inputs(f, policy));
    know_camera(f, policy);
    if (f->keys >= 0)
        SAC_TRY(take_embeddings(policy, f));
    else if (f->image >= 0)
        SAC_TRY(add_encoder(policy, f));
    return sac_policy_add_tensor(policy, "plan.weights", 0, 1, &size, &f->weights);
}

static void destroy(void *self)
{
    finder *f = self;
    if (!f) return;
    sac_words_destroy(f->kernel);
    sac_free(f);
}

const words_encoder *sac_finder_encoder(const sac_policy *policy)
{
    const finder *f = policy->ops == &sac_finder_ops ? policy->self : NULL;
    return f && f->keys < 0 && f->image >= 0 ? &f->encoder : NULL;
}

// --- a state

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    finder_state *s = (finder_state *)base;
    const finder *f = finder_of(s);
    const words_encoder *e = &f->encoder;
    s->survey.camera = f->camera;
    sac_survey_place(&s->survey, f->side, workspace);
    s->parameters = sac_take(workspace, (size_t)base->policy->parameter_count, sizeof(float));
    if (!sac_finder_searches(f)) return;
    const size_t count = (size_t)f->count, size = (size_t)f->size;
    s->keys = sac_take(workspace, count * size, sizeof(float));
    s->query = sac_take(workspace, size, sizeof(float));
    s->scores = sac_take(workspace, count, sizeof(float));
    s->centers = sac_take(workspace, 2 * FINDER_MOST_KEPT, sizeof(float));
    s->kernel_room = sac_take_scratch(workspace, sac_words_workspace_size(f->kernel, f->count), 1);
    if (f->keys >= 0) return;
    s->lengths = sac_take(workspace, 1, sizeof(float));
    s->scaled = sac_take_scratch(workspace, count * size, sizeof(float));
    s->scaled_query = sac_take_scratch(workspace, size, sizeof(float));
    s->kept = sac_take_scratch(workspace, e->kept, sizeof(float));
    s->workspace = sac_take_scratch(workspace, e->room, sizeof(float));
    s->scratch = sac_take_scratch(workspace, SAC_LEARN_SCRATCH, 1);
}

static sac_status open(sac_policy_state *base)
{
    finder_state *s = (finder_state *)base;
    if (sac_finder_encoder(base->policy)) s->learn = sac_learn_create(s->scratch);
    return sac_survey_open(&s->survey, finder_config_of(s)->extent);
}

static void close(sac_policy_state *base)
{
    sac_survey_close(&((finder_state *)base)->survey);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    const size_t size = (size_t)base->policy->parameter_count * sizeof *parameters;
    memcpy(((finder_state *)base)->parameters, parameters, size);
}

static void reset(sac_policy_state *base)
{
    finder_state *s = (finder_state *)base;
    sac_survey_begin(&s->survey);
    s->steps = s->begun = s->draws = s->refused_count = s->backing = s->waited = 0;
    s->aim = FINDER_NOWHERE;
    s->square = -1;
    s->chosen = 0;
    s->output[0] = s->output[1] = 0;
    if (sac_finder_searches(finder_of(s))) memset(s->scores, 0, (size_t)finder_of(s)->count * sizeof *s->scores);
}

// --- acting

static void drive(const finder_state *s, const survey_place *place, const double corner[2], float *action)
{
    const finder_config *c = finder_config_of(s);
    const float *factors = s->parameters + finder_of(s)->weights;
    const double x = corner[0] - place->x, y = corner[1] - place->y;
    sac_steer(action, (float)(place->cosine * x + place->sine * y), (float)(place->cosine * y - place->sine * x),
              (1 + factors[STEERING]) * (float)c->steering, (1 + factors[NARROW]) * (float)c->narrow,
              &s->base.policy->def);
    if (s->aim == FINDER_THING && s->square < 0) action[0] = 0; // it cannot get there yet
}

static bool looks(const sac_policy_state *base)
{
    const finder_state *s = (const finder_state *)base;
    return s->steps % finder_config_of(s)->every == 0;
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    finder_state *s = (finder_state *)base;
    const finder *f = finder_of(s);
    float motion[FINDER_MOTION];
    sac_tell_finite(motion, inputs[f->motion], FINDER_MOTION);
    const survey_place here = {
        .x = (double)motion[0], .y = (double)motion[1], .cosine = (double)motion[2], .sine = (double)motion[3]};
    double corner[2];
    sac_finder_notice(s, &here, motion);
    sac_survey_look(&s->survey, &here, inputs[f->depth]);
    if (looks(base))
    {
        if (sac_finder_searches(f)) sac_finder_look(s, &here, inputs);
        sac_finder_decide(s, &here);
    }
    sac_finder_corner(s, &here, corner);
    drive(s, &here, corner, action);
    if (s->backing > 0) action[0] = fmaxf(-0.5f, base->policy->def.action_low[0]), action[1] = 0;
    memcpy(s->output, action, sizeof s->output);
    s->steps++;
}

static void gaze(sac_policy_state *base, sac_gaze *g)
{
    finder_state *s = (finder_state *)base;
    const finder *f = finder_of(s);
    *g = (sac_gaze){.output = s->output, .output_size = ACTIONS};
    if (f->cell == 0) return;
    const int kept = finder_config_of(s)->kept;
    for (int i = 0; i < kept; i++)
    {
        const int row = s->top[i] / f->columns, column = s->top[i] % f->columns;
        s->centers[2 * i] = (float)f->cell * ((float)row + 0.5F);
        s->centers[2 * i + 1] = (float)f->cell * ((float)column + 0.5F);
    }
    g->height = f->cell * f->rows, g->width = f->cell * f->columns;
    g->rows = f->rows, g->columns = f->columns;
    g->patch = g->stride = f->cell;
    g->importance = s->scores;
    g->kept = kept;
    g->top = s->top;
    g->centers = s->centers;
    g->keys = s->keys;
    g->key_size = f->size;
    g->age = s->steps > 0 ? (s->steps - 1) % finder_config_of(s)->every : 0;
}

const sac_policy_ops sac_finder_ops = {.name = "finder",
                                       .options = options,
                                       .config_size = sizeof(finder_config),
                                       .taste = SAC_TASTE_ANY,
                                       .create = create,
                                       .destroy = destroy,
                                       .state_size = sizeof(finder_state),
                                       .place = place,
                                       .open = open,
                                       .close = close,
                                       .set_parameters = set_parameters,
                                       .reset = reset,
                                       .act = act,
                                       .looks = looks,
                                       .gaze = gaze};
