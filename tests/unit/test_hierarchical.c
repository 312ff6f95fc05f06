#include "course_scene.h"
#include "failing_memory.h"
#include "gradient_scene.h"
#include "play/play.h"
#include "policy/kind.h"
#include "saccade/rollout.h"

/// Policies of two levels: they are the two policies that they are made of, the first of which looks when what it has
/// decided has run out, and in no other step.

enum
{
    LATENT = 3,
    SHORTEST = 2,
    LONGEST = 24,
    DRIVEN = 150, // steps
    ACTIONS = 3
};

/// A policy of two levels, and how its levels are made alone.
typedef struct levels
{
    const char *inputs; ///< parts that the policy takes, joined by +
    const char *kind;   ///< of the high level
    const char *high;   ///< options of the high level, KEY=VALUE separated by commas
    const char *parts;  ///< parts that the high level sees, joined by +
    const char *low;    ///< options of the low level
    bool named;         ///< high.parts says so; else that is what it sees by itself
} levels;

static const levels all_levels[] = {
    {"camera+state+touch", "iap-rank", "patch=8,stride=8,top=4,controller=lstm,hidden=5", "camera",
     "controller=linear,motion=true", false},
    {"camera+state", "attention-agent", "patch=16,stride=8,top=3,controller=mlp,hidden=4", "camera",
     "controller=mlp,layers=2,hidden=6,normaliser_limit=2", false},
    {"state+depth", "iap-trans", "patch=8,stride=8,rows=3,controller=lstm,hidden=4,motion=true", "depth",
     "controller=lstm,hidden=4,normaliser=false", false},
    {"touch+camera", "cnn", "conv_channels=4:3,conv_kernel=8,conv_stride=4,conv_pool=2:1,controller=linear", "camera",
     "controller=linear,normaliser=false", false},
    {"state+touch", "mlp", "controller=lstm,hidden=4", "state+touch", "controller=linear", false},
    {"state+touch", "mlp", "controller=mlp,hidden=4,layers=2,activation=tanh", "touch", "controller=linear", true},
    {"touch+state+camera", "iap-rank", "patch=12,stride=12,top=3,selection=sample,image_size=48,controller=linear",
     "state+camera", "controller=linear", true},
};

enum
{
    LEVELS = sizeof all_levels / sizeof *all_levels
};

static int read_parts(const char *names, sac_space parts[SAC_MAX_PARTS])
{
    char text[128];
    int count = 0;
    snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok(text, "+"); name; name = strtok(NULL, "+")) parts[count++] = scene_part(name);
    return count;
}

// appends ",PREFIX.KEY=VALUE" for each of "KEY=VALUE,..."
static void append(char *settings, size_t size, const char *prefix, const char *options)
{
    char text[256];
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
    {
        const size_t length = strlen(settings);
        snprintf(settings + length, size - length, ",%s.%s", prefix, word);
    }
}

static sac_policy *join(const levels *l)
{
    char settings[512], parts[128] = "";
    snprintf(settings, sizeof settings, "kind=hierarchical,inputs=%s,latent=%d,shortest=%d,longest=%d,high.kind=%s",
             l->inputs, LATENT, SHORTEST, LONGEST, l->kind);
    append(settings, sizeof settings, "high", l->high);
    append(settings, sizeof settings, "low", l->low);
    snprintf(parts, sizeof parts, ",high.parts=%s", l->parts);
    for (char *c = parts; *c; c++)
        if (*c == '+') *c = ' ';
    if (l->named) strcat(settings, parts);
    return scene_any_policy(settings);
}

// a policy of these parts and options with the parameters from `first` on
static sac_policy *alone(const char *kind, const char *options, const sac_space *parts, int count, int actions,
                         const float *low, const float *high, const float *first)
{
    char text[256];
    sac_setting list[16];
    int settings = 0;
    snprintf(text, sizeof text, "%s", options);
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ","))
    {
        char *equals = strchr(word, '=');
        *equals = 0;
        for (char *c = equals + 1; *c; c++)
            if (*c == ':') *c = ',';
        list[settings++] = (sac_setting){word, equals + 1};
    }
    const sac_policy_def def = {.kind = kind,
                                .settings = list,
                                .setting_count = settings,
                                .inputs = parts,
                                .input_count = count,
                                .action_size = actions,
                                .action_low = low,
                                .action_high = high};
    sac_policy *shape, *policy;
    assert_ok(sac_policy_create(&shape, &def));
    assert_ok(sac_policy_create_with(&policy, shape, first));
    sac_policy_destroy(shape);
    return policy;
}

/// The two levels of a policy alone, and their states.
typedef struct pair
{
    sac_policy *high, *low;
    sac_policy_state *looks, *acts;
} pair;

static pair split(const levels *l, const sac_policy *joined)
{
    static const float least[] = {-1, -1, -1, -1}, most[] = {1, 1, 1, 1};
    const sac_policy_def *def = sac_policy_get_def(joined);
    char options[256];
    sac_space parts[SAC_MAX_PARTS] = {{.name = "latent", .kind = SAC_SPACE_VECTOR, .shape = {LATENT}}};
    sac_space seen[SAC_MAX_PARTS];
    int vectors = 1;
    for (int i = 0; i < def->input_count; i++)
        if (def->inputs[i].kind == SAC_SPACE_VECTOR) parts[vectors++] = def->inputs[i];
    // what a task need not say of a high level
    snprintf(options, sizeof options, "normaliser=false,activation=clip,%s", l->high);
    const float *parameters = sac_policy_parameters(joined);
    pair p = {.high = alone(l->kind, options, seen, read_parts(l->parts, seen), 1 + LATENT, least, most, parameters)};
    parameters += sac_policy_parameter_count(p.high);
    p.low = alone("mlp", l->low, parts, vectors, ACTIONS, def->action_low, def->action_high, parameters);
    p.looks = scene_state(p.high);
    p.acts = scene_state(p.low);
    return p;
}

static void close_pair(pair *p)
{
    sac_policy_state_destroy(p->looks);
    sac_policy_state_destroy(p->acts);
    sac_policy_destroy(p->high);
    sac_policy_destroy(p->low);
}

/// What is shown in a step. The parts lie where those of the step before lay, as a world writes them.
static struct
{
    uint8_t camera[SCENE_SIZE];
    float depth[44 * 60], state[7], touch[3];
} shown, looked_at; // in this step, and when the high level looked last

static const void *part_of(const char *name, bool now)
{
    const void *const parts[] = {
        now ? shown.camera : looked_at.camera, now ? (const void *)shown.depth : looked_at.depth,
        now ? (const void *)shown.state : looked_at.state, now ? (const void *)shown.touch : looked_at.touch};
    static const char *const names[] = {"camera", "depth", "state", "touch"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return parts[i];
    fail_msg("no part %s", name);
    return NULL;
}

static void show(int step)
{
    scene_image(shown.camera, (uint64_t)step);
    for (int i = 0; i < SCENE_SIZE; i += 5) shown.camera[i] = (uint8_t)(40 * (step % 6));
    fill_uniform(shown.depth, 44 * 60, (uint64_t)(1000 + step));
    for (int i = 0; i < 44 * 60; i++) shown.depth[i] = 2 + (float)(step % 4) + shown.depth[i];
    fill_uniform(shown.state, 7, (uint64_t)(2000 + step));
    fill_uniform(shown.touch, 3, (uint64_t)(3000 + step));
}

static void assert_same_look(const sac_policy_state *joined, const sac_policy_state *high, const sac_gaze *a,
                             const sac_gaze *b)
{
    const size_t patches = (size_t)(a->rows * a->columns);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->patch, b->patch);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->kept, b->kept);
    assert_int_equal(a->output_size, 1 + LATENT);
    assert_memory_equal(a->output, b->output, (1 + LATENT) * sizeof(float));
    assert_int_equal(a->importance != NULL, b->importance != NULL);
    if (!a->importance) return;
    assert_memory_equal(a->importance, b->importance, patches * sizeof(float));
    assert_memory_equal(a->top, b->top, (size_t)a->kept * sizeof *a->top);
    // the pixels are of the picture that was looked at, which another lies in the place of by now
    static float ours[64 * 64 * 3], theirs[64 * 64 * 3];
    static float rows[2][SCENE_SIZE];
    assert_true(sac_policy_patch(joined, (int)patches / 2, ours));
    assert_true(sac_policy_patch(high, (int)patches / 2, theirs));
    assert_memory_equal(ours, theirs, (size_t)(a->patch * a->patch) * sizeof(float));
    assert_true(sac_policy_attention_row(joined, 1, rows[0]));
    assert_true(sac_policy_attention_row(high, 1, rows[1]));
    assert_memory_equal(rows[0], rows[1], patches * sizeof(float));
}

// Drives the policy beside its levels, which a loop of this test joins. Returns how many lengths of a hold there were.
static int drive(sac_policy_state *joined, const pair *p)
{
    const sac_policy_def *def = sac_policy_get_def(joined->policy), *low = sac_policy_get_def(p->low);
    const sac_policy_def *high = sac_policy_get_def(p->high);
    float decided[1 + LATENT];
    int age = 0, held = 0, looks = 0;
    bool lengths[LONGEST + 1] = {false};
    for (int step = 0; step < DRIVEN; step++, age++)
    {
        const void *inputs[SAC_MAX_PARTS], *told[SAC_MAX_PARTS] = {decided + 1};
        float ours[ACTIONS], theirs[ACTIONS];
        show(step);
        for (int i = 0; i < def->input_count; i++) inputs[i] = part_of(def->inputs[i].name, true);
        for (int i = 1; i < low->input_count; i++) told[i] = part_of(low->inputs[i].name, true);
        if (age == held)
        {
            const void *seen[SAC_MAX_PARTS];
            looked_at = shown;
            for (int i = 0; i < high->input_count; i++) seen[i] = part_of(high->inputs[i].name, false);
            sac_policy_act_on(p->looks, seen, decided);
            held = (int)lround(SHORTEST + ((double)decided[0] + 1) / 2 * (LONGEST - SHORTEST));
            age = 0;
            looks++;
            assert_in_range(held, SHORTEST, LONGEST);
            lengths[held] = true;
        }
        sac_policy_act_on(p->acts, told, theirs);
        sac_policy_act_on(joined, inputs, ours);
        assert_memory_equal(ours, theirs, sizeof ours);
        sac_gaze a, b;
        sac_policy_gaze(joined, &a);
        sac_policy_gaze(p->looks, &b);
        assert_int_equal(a.age, age);
        assert_int_equal(a.held, held);
        assert_same_look(joined, p->looks, &a, &b);
        const int size = sac_policy_normaliser_size(p->low);
        assert_int_equal(sac_policy_normaliser_size(joined->policy), size);
        if (size > 0)
            assert_memory_equal(sac_policy_normaliser_input(joined), sac_policy_normaliser_input(p->acts),
                                (size_t)size * sizeof(float));
    }
    assert_in_range(looks, DRIVEN / LONGEST, DRIVEN / SHORTEST);
    int count = 0;
    for (int i = 0; i <= LONGEST; i++) count += lengths[i];
    return count;
}

TEST(the_levels_are_two_policies_and_the_high_one_looks_when_its_command_has_run_out)
{
    for (int i = 0; i < LEVELS; i++)
    {
        sac_policy *policy = join(&all_levels[i]);
        pair p = split(&all_levels[i], policy);
        sac_policy_state *state = scene_state(policy);
        assert_int_equal(sac_policy_parameter_count(policy),
                         sac_policy_parameter_count(p.high) + sac_policy_parameter_count(p.low));
        // it holds commands for different numbers of steps
        if (drive(state, &p) < 2) fail_msg("%s of %s: all holds are as long", all_levels[i].kind, all_levels[i].parts);
        // an episode begins with a look, in the middle of a hold, too
        for (int again = 0; again < 2; again++)
        {
            sac_policy_state_reset(state);
            sac_policy_state_reset(p.looks);
            sac_policy_state_reset(p.acts);
            drive(state, &p);
        }
        sac_policy_state_destroy(state);
        close_pair(&p);
        sac_policy_destroy(policy);
    }
}

TEST(tensors_have_the_name_of_their_level)
{
    for (int i = 0; i < LEVELS; i++)
    {
        sac_policy *policy = join(&all_levels[i]);
        pair p = split(&all_levels[i], policy);
        const int high = sac_policy_tensor_count(p.high), count = sac_policy_tensor_count(policy);
        assert_int_equal(count, high + sac_policy_tensor_count(p.low));
        for (int t = 0; t < count; t++)
        {
            const sac_policy_tensor *ours = sac_policy_tensor_at(policy, t);
            const sac_policy_tensor *theirs =
                t < high ? sac_policy_tensor_at(p.high, t) : sac_policy_tensor_at(p.low, t - high);
            char name[300];
            snprintf(name, sizeof name, "%s.%s", t < high ? "high" : "low", theirs->name);
            assert_string_equal(ours->name, name);
            assert_int_equal(sac_policy_tensor_size(ours), sac_policy_tensor_size(theirs));
            assert_true(ours->init_limit == theirs->init_limit);
            assert_int_equal(ours->measured, theirs->measured);
        }
        close_pair(&p);
        sac_policy_destroy(policy);
    }
}

// The first output, -1 and 1, is for how long, and between them time is linear and whole. Parameters of zero but for
// that output's bias make it what is wanted.
TEST(time_is_linear_from_the_shortest_to_the_longest)
{
    static const struct
    {
        float output;
        int held;
    } cases[] = {{-5, 10}, {-1, 10}, {-0.5f, 208}, {0, 405}, {0.5f, 603}, {1, 800}, {7, 800}};
    sac_policy *shape, *policy;
    assert_ok(scene_create(&shape, "kind=hierarchical,inputs=camera+state,high.controller=linear"));
    float *parameters = calloc((size_t)sac_policy_parameter_count(shape), sizeof *parameters);
    size_t bias = 0;
    for (int t = 0; t < sac_policy_tensor_count(shape); t++)
        if (strcmp(sac_policy_tensor_at(shape, t)->name, "high.output.bias") == 0)
            bias = sac_policy_tensor_at(shape, t)->offset;
    assert_true(bias > 0);
    const void *inputs[] = {shown.camera, shown.state};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_gaze gaze;
        float action[ACTIONS];
        parameters[bias] = cases[i].output;
        assert_ok(sac_policy_create_with(&policy, shape, parameters));
        sac_policy_state *state = scene_state(policy);
        // 10 + 395 (x + 1) steps, to the nearest
        for (int step = 0; step < 2 * cases[i].held; step++)
        {
            sac_policy_act_on(state, inputs, action);
            sac_policy_gaze(state, &gaze);
            assert_int_equal(gaze.held, cases[i].held);
            assert_int_equal(gaze.age, step % cases[i].held);
        }
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
    free(parameters);
    sac_policy_destroy(shape);
}

// a policy of one picture alone, whose low level is told the command and nothing else
TEST(a_picture_of_floats_is_kept_as_one_of_bytes_is)
{
    static const levels one = {"camera",
                               "iap-rank",
                               "patch=8,stride=8,top=4,controller=lstm,hidden=5",
                               "camera",
                               "controller=linear,normaliser=false",
                               false};
    static float floats[SCENE_SIZE], seen[SCENE_SIZE], pixels[2][8 * 8 * 3];
    float decided[1 + LATENT], ours[ACTIONS], theirs[ACTIONS];
    sac_policy *policy = join(&one);
    pair p = split(&one, policy);
    sac_policy_state *state = scene_state(policy);
    for (int step = 0, age = 0, held = 0; step < DRIVEN; step++, age++)
    {
        show(step);
        scene_floats(floats, shown.camera);
        if (age == held)
        {
            memcpy(seen, floats, sizeof seen);
            sac_policy_act_float(p.looks, seen, decided);
            held = (int)lround(SHORTEST + ((double)decided[0] + 1) / 2 * (LONGEST - SHORTEST));
            age = 0;
        }
        const void *told[] = {decided + 1};
        sac_policy_act_on(p.acts, told, theirs);
        sac_policy_act_float(state, floats, ours);
        assert_memory_equal(ours, theirs, sizeof ours);
        assert_true(sac_policy_patch(state, 3, pixels[0]));
        assert_true(sac_policy_patch(p.looks, 3, pixels[1]));
        assert_memory_equal(pixels[0], pixels[1], sizeof pixels[0]);
    }
    sac_policy_state_destroy(state);
    close_pair(&p);
    sac_policy_destroy(policy);
}

TEST(a_file_keeps_every_option)
{
    char path[512];
    path_in(path, "policy.safetensors");
    for (int i = 0; i < LEVELS; i++)
    {
        sac_policy *policy = join(&all_levels[i]), *read;
        assert_ok(sac_policy_save(policy, NULL, NULL, path));
        assert_ok(sac_policy_load(&read, NULL, path));
        const sac_policy_def *a = sac_policy_get_def(policy), *b = sac_policy_get_def(read);
        assert_int_equal(a->setting_count, b->setting_count);
        for (int s = 0; s < a->setting_count; s++)
        {
            assert_string_equal(a->settings[s].key, b->settings[s].key);
            assert_string_equal(a->settings[s].value, b->settings[s].value);
        }
        const int count = sac_policy_parameter_count(policy);
        assert_int_equal(sac_policy_parameter_count(read), count);
        assert_memory_equal(sac_policy_parameters(policy), sac_policy_parameters(read), (size_t)count * sizeof(float));
        pair p = split(&all_levels[i], read);
        sac_policy_state *state = scene_state(read);
        drive(state, &p);
        sac_policy_state_destroy(state);
        close_pair(&p);
        sac_policy_destroy(policy);
        sac_policy_destroy(read);
    }
}

TEST(options_are_those_of_the_high_level)
{
    static const struct
    {
        const char *kind, *has, *lacks;
    } cases[] = {
        {"iap-rank", "high.top", "high.rows"},     {"attention-agent", "high.top", "high.layer_norm"},
        {"iap-trans", "high.rows", "high.top"},    {"cnn", "high.conv_pool", "high.patch"},
        {"mlp", "high.layers", "high.image_size"}, {"nonsense", "high.top", "high.rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        const sac_setting settings[] = {{"high.kind", "cnn"}, {"high.kind", cases[i].kind}, {"latent", "3"}};
        const sac_option *table = sac_policy_kind_options("hierarchical", settings, 3);
        bool has = false, lacks = true, low = false, normaliser = false;
        for (const sac_option *o = table; o->name; o++)
        {
            has |= strcmp(o->name, cases[i].has) == 0;
            lacks &= strcmp(o->name, cases[i].lacks) != 0;
            low |= strcmp(o->name, "low.controller") == 0;
            normaliser |= strcmp(o->name, "high.normaliser") == 0;
        }
        assert_true(has && lacks && low && !normaliser);
    }
    const sac_option *cnn;
    for (int i = 0; sac_policy_kind_at(i, &cnn) && strcmp(sac_policy_kind_at(i, NULL), "cnn") != 0; i++) continue;
    assert_ptr_equal(sac_policy_kind_options("cnn", NULL, 0), cnn);
    assert_null(sac_policy_kind_options("nonsense", NULL, 0));
}

TEST(bad_options_are_named)
{
    static const struct
    {
        const char *settings, *words;
    } cases[] = {
        {"high.kind=iap-rnk",
         "high.kind is 'iap-rnk', expected one of: attention-agent, iap-rank, iap-trans, cnn, mlp, "
         "did you mean 'iap-rank'?"},
        {"high.kind=hierarchical", "high.kind is 'hierarchical'"},
        {"high=cnn", "high takes a map of options such as high.kind, not one value"},
        {"high.pach=3", "unknown option 'high.pach', did you mean 'high.patch'?"},
        {"low.controler=linear", "did you mean 'low.controller'?"},
        {"high.normaliser=true", "unknown option 'high.normaliser'"},
        {"shortest=801", "shortest is 801 steps, longer than longest, 800"},
        {"shortest=0", "shortest is '0', expected a whole number from 1 to 1000000"},
        {"latent=0", "latent is '0', expected a whole number from 1 to 256"},
        {"high.top=600", "high.top is '600', expected a whole number from 1 to 128"},
        {"high.patch=64,high.stride=64",
         "high level: policy: top is 10, but the image of 96 x 96 pixels has 1 patches"},
        {"high.parts=camra", "high.parts: the policy takes no part 'camra', did you mean 'camera'?"},
        {"high.parts=state", "high level: policy: iap-rank looks at one picture"},
        {"low.parts=sate", "low.parts: the policy takes no part 'sate', did you mean 'state'?"},
        {"low.parts=camera", "low.parts: 'camera' is a picture, and the low level takes vectors"},
        {"low.choice=threshold", "low level: policy: choice threshold is for 3 discrete actions"},
        {"high.kind=mlp",
         "hierarchical with high.kind: mlp takes vectors of numbers, and its input 'camera' is a picture"},
        {"inputs=state", "hierarchical looks at one picture, and among its 1 inputs"},
        {"high.patch_features=values+conv+histogram+positions,high.attention=sara-relu,high.attention_map=learned,"
         "high.projection=learned,high.conv_channels=2:2:2,high.conv_stride=1,low.controller=mlp,low.layers=4",
         "more than 32 tensors with low."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char settings[512];
        sac_policy *policy;
        snprintf(settings, sizeof settings, "kind=hierarchical,%s%s",
                 strstr(cases[i].settings, "inputs=") ? "" : "inputs=camera+state,", cases[i].settings);
        assert_fails(scene_create(&policy, settings), SAC_ERROR_ARGUMENT, cases[i].words);
        assert_null(policy);
    }
}

TEST(memory_may_run_out_and_acting_takes_none)
{
    sac_policy *policy = NULL;
    sac_policy_state *state = NULL;
    const char *settings = "kind=hierarchical,inputs=camera+state,shortest=1,longest=3,high.controller=lstm";
    assert_survives_lack_of_memory(scene_create(&policy, settings), sac_policy_destroy(policy));
    policy = scene_any_policy(settings);
    assert_survives_lack_of_memory(sac_policy_state_create(&state, policy), sac_policy_state_destroy(state));
    state = scene_state(policy);
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    failing.until_failure = 0;
    failing.failed = false;
    const void *inputs[] = {shown.camera, shown.state};
    for (int step = 0; step < 12; step++)
    {
        float action[ACTIONS];
        sac_gaze gaze;
        show(step);
        sac_policy_act_on(state, inputs, action);
        sac_policy_gaze(state, &gaze);
        if (step == 7) sac_policy_state_set_parameters(state, sac_policy_parameters(policy));
    }
    assert_false(failing.failed);
    sac_set_allocator(NULL);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(it_has_no_gradient)
{
    sac_policy *policy = join(&all_levels[0]);
    sac_gradient *gradient;
    const sac_gradient_def def = sac_gradient_default_def();
    assert_fails(sac_gradient_create(&gradient, policy, &def), SAC_ERROR_ARGUMENT,
                 "gradient: policies of kind hierarchical have none");
    assert_null(gradient);
    sac_policy_destroy(policy);
}

// --- in a world ---

static const char search_text[] = "env:\n  id: course\n  actions: 3\n  max_steps: 14\n"
                                  "policy:\n  kind: hierarchical\n  shortest: 1\n  longest: 6\n"
                                  "  high:\n    kind: iap-rank\n    patch: 8\n    stride: 8\n    top: 3\n"
                                  "    controller: lstm\n    hidden: 3\n"
                                  "search:\n  method: sep-cma-es\n  population: 8\n"
                                  "train:\n  generations: 9\n  checkpoint_every: 2\n  episodes: 2\n"
                                  "evaluation:\n  every: 3\n  episodes: 4\n";

static sac_task *search_task(const char *key, const char *value)
{
    course_register();
    const sac_setting setting = {key, value};
    return load_task(search_text, &setting, key != NULL);
}

TEST(a_run_is_the_same_for_any_number_of_threads_and_when_it_goes_on)
{
    sac_task *task = search_task(NULL, NULL);
    assert_same_for_threads(task);
    assert_goes_on(task, "one", 4, 7);
    sac_task_destroy(task);
}

// From the picture alone come the commands, from the numbers alone the rest. Who sees but one of them does best by a
// constant 0 for the other action, and earns 3/4 a step, give or take the mean of 60 draws of |u| / 2 with u uniform in
// -1..1, whose deviation is 1/sqrt(48): 0.019. So more than 0.75 + 4 * 0.019 is earned by both levels.
TEST(evolution_trains_both_levels)
{
    static const char *const kinds[] = {
        "    kind: iap-rank\n    patch: 8\n    stride: 8\n    top: 4\n    patch_features: positions+values\n",
        "    kind: cnn\n    conv_channels: 4\n    conv_kernel: 4\n    conv_stride: 4\n    conv_pool: 2\n"};
    for (int k = 0; k < 2; k++)
    {
        char text[2048];
        sac_episode episodes[60];
        snprintf(text, sizeof text,
                 "env:\n  id: course\n  actions: 2\n  max_steps: 3\n"
                 "policy:\n  kind: hierarchical\n  shortest: 1\n  longest: 4\n"
                 "  high:\n%s    controller: linear\n  low:\n    normaliser: false\n    activation: clip\n"
                 "search:\n  method: sep-cma-es\n  population: 24\n  sigma: 0.05\n"
                 "train:\n  generations: 250\n  episodes: 6\nevaluation:\n  every: 0\n",
                 kinds[k]);
        course_register();
        sac_task *task = load_task(text, NULL, 0);
        assert_ok(train(task, k ? "second" : "first", 2, false, &(watcher){0}));
        sac_policy *policy = load_mean(k ? "second" : "first");
        const sac_env_def world = sac_task_env_def(task);
        assert_ok(sac_evaluate(policy, &world, 1000, 60, 2, episodes));
        const double mean = sac_score_of(episodes, 60).mean / 3;
        if (!(mean > 0.826)) fail_msg("%s earns %g a step", kinds[k], mean);
        sac_policy_destroy(policy);
        sac_task_destroy(task);
    }
}

// In rollouts a picture is drawn at the start and after each time that a command is held, and the returns are those of
// an episode in which every picture is drawn.
TEST(pictures_that_it_does_not_look_at_are_not_drawn)
{
    enum
    {
        STEPS = 14, // of an episode
        HELD = 3
    };
    const sac_setting settings[] = {{"policy.shortest", "3"}, {"policy.longest", "3"}};
    course_register();
    sac_task *task = load_task(search_text, settings, 2);
    sac_policy *policy = course_policy(task);
    sac_policy_draw(policy, 7, policy->parameters);
    const sac_env_def world = sac_task_env_def(task);
    sac_episode episodes[3];
    course_cameras = 0;
    assert_ok(sac_evaluate(policy, &world, 5, 3, 1, episodes));
    assert_int_equal(course_cameras, 3 * (1 + STEPS / HELD));
    for (int i = 0; i < 3; i++)
    {
        sac_play play;
        course_cameras = 0;
        assert_ok(sac_play_open(&play, policy, &world, SAC_PLAY_INPUTS));
        assert_ok(sac_play_reset(&play, 5 + (uint64_t)i));
        while (!sac_play_ended(&play))
        {
            assert_ok(sac_play_decide(&play));
            assert_ok(sac_play_step(&play));
        }
        assert_int_equal(course_cameras, 1 + STEPS);
        assert_true(play.episode_return == episodes[i].episode_return);
        sac_play_close(&play);
    }
    sac_policy_destroy(policy);
    sac_task_destroy(task);
}

TEST(by_itself_it_takes_the_picture_and_all_numbers)
{
    static const char *const kinds[] = {"iap-rank", "mlp"};
    for (int i = 0; i < 2; i++)
    {
        course_register();
        const sac_setting settings[] = {{"policy.high.kind", kinds[i]}};
        static const char text[] = "env:\n  id: course\npolicy:\n  kind: hierarchical\nsearch:\n  method: ars\n";
        sac_task *task = load_task(text, settings, 1);
        sac_policy *policy = course_policy(task);
        const sac_policy_def *def = sac_policy_get_def(policy);
        assert_int_equal(def->input_count, i == 0 ? 2 : 1);
        assert_string_equal(def->inputs[0].name, i == 0 ? "camera" : "state");
        if (i == 0) assert_string_equal(def->inputs[1].name, "state");
        sac_policy_destroy(policy);
        sac_task_destroy(task);
    }
}

TEST(a_resolved_task_says_the_same)
{
    sac_task *task = search_task("policy.high.kind", "iap-rank"), *again;
    char *text, *repeated;
    assert_ok(sac_task_write(task, &text));
    assert_non_null(strstr(text, "  high:\n    kind: iap-rank\n"));
    assert_non_null(strstr(text, "  low:\n    parts:\n    controller: linear\n"));
    again = load_task(text, NULL, 0);
    assert_ok(sac_task_write(again, &repeated));
    assert_string_equal(text, repeated);
    sac_free(text);
    sac_free(repeated);
    sac_task_destroy(task);
    sac_task_destroy(again);
}

TEST(ppo_and_distill_say_that_there_is_no_gradient)
{
    // a teacher that is told what the world is about
    course_register();
    static const char teacher_text[] = "env:\n  id: course\npolicy:\n  kind: mlp\n  inputs: truth\n  teacher: true\n"
                                       "search:\n  method: ars\n";
    char path[512], text[1024];
    path_in(path, "teacher.safetensors");
    sac_task *task = load_task(teacher_text, NULL, 0);
    sac_policy *teacher = course_policy(task);
    sac_policy_info info = {.environment = "course", .score = NAN, .score_std = NAN};
    assert_ok(sac_policy_save(teacher, NULL, &info, path));
    sac_policy_destroy(teacher);
    sac_task_destroy(task);
    for (int i = 0; i < 2; i++)
    {
        snprintf(text, sizeof text, "env:\n  id: course\npolicy:\n  kind: hierarchical\nsearch:\n  method: %s\n%s%s\n",
                 i ? "distill" : "ppo", i ? "teacher:\n  policy: " : "", i ? path : "");
        task = load_task(text, NULL, 0);
        assert_fails(train(task, i ? "distill" : "ppo", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT,
                     "gradient: policies of kind hierarchical have none");
        sac_task_destroy(task);
    }
}

// --- counted to the number ---

TEST(the_articles_policies_have_the_articles_numbers)
{
    enum
    {
        LOW = COURSE_ACTIONS * (2 + COURSE_STATE + 1),       // 399
        DECIDE = 3 * (10 + 1),                               // 33
        LAYERS = 4 * (27 + 1) + 8 * (36 + 1) + 8 * (72 + 1), // 992
        POOLED = 13 * 13 * 8,                                // of 32 -> 30 -> 28 -> 26 pixels
        TOKENS = 4 * (48 + 1) + 4 * (48 + 1) + 8 * (48 + 1), // queries, keys, values
        KEPT = 7 * 8
    };
    assert_int_equal(LOW + DECIDE + 10 * (POOLED + 1) + LAYERS, 14954);
    assert_int_equal(LOW + DECIDE + 10 * (KEPT + 1) + TOKENS, 1786);
    course_register();
    assert_int_equal(course_count("tests/train/course-cnn.yaml"), 14954);
    assert_int_equal(course_count("tests/train/course-iap.yaml"), 1786);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_levels_are_two_policies_and_the_high_one_looks_when_its_command_has_run_out),
        cmocka_unit_test(tensors_have_the_name_of_their_level),
        cmocka_unit_test(time_is_linear_from_the_shortest_to_the_longest),
        cmocka_unit_test(a_picture_of_floats_is_kept_as_one_of_bytes_is),
        IN_FOLDER(a_file_keeps_every_option),
        cmocka_unit_test(options_are_those_of_the_high_level),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(memory_may_run_out_and_acting_takes_none),
        cmocka_unit_test(it_has_no_gradient),
        IN_FOLDER(a_run_is_the_same_for_any_number_of_threads_and_when_it_goes_on),
        IN_FOLDER(evolution_trains_both_levels),
        IN_FOLDER(pictures_that_it_does_not_look_at_are_not_drawn),
        IN_FOLDER(by_itself_it_takes_the_picture_and_all_numbers),
        IN_FOLDER(a_resolved_task_says_the_same),
        IN_FOLDER(ppo_and_distill_say_that_there_is_no_gradient),
        cmocka_unit_test(the_articles_policies_have_the_articles_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
