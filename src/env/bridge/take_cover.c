#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "env/bridge/bridge.h"
#include "env/bridge/doom_looks.h"
#include "env/bridge/doom_text.h"
#include "saccade/env.h"

/// take-cover: dodge fireballs in ViZDoom's scenario, played by the real engine in a worker process.

typedef struct take_cover_config
{
    char rules[SAC_TEXT_SIZE], screen[SAC_TEXT_SIZE], text[SAC_TEXT_SIZE];
    int skill, skip;
    bool objects;
    sac_bridge_settings bridge;
} take_cover_config;

static const sac_option options[] = {
    {"rules", SAC_OPTION_TEXT, offsetof(take_cover_config, rules), "released", 0, 0, "released vizdoom",
     "released: skill 5, HUD, no weapon, from tic 14 to tic 2100, blue first; vizdoom: as its configuration says"},
    {"screen", SAC_OPTION_TEXT, offsetof(take_cover_config, screen), "160x120", 0, 0, "160x120 320x240 640x480",
     "what the engine draws, and what is seen"},
    {"text", SAC_OPTION_TEXT, offsetof(take_cover_config, text), "fixed", 0, 0, "fixed seeded",
     "variant text: where the panel hovers, as in the article or drawn for each episode"},
    {"skill", SAC_OPTION_INT, offsetof(take_cover_config, skill), "0", 0, 5, NULL,
     "Doom's difficulty, 1 to 5 (at 5 fireballs fly twice as fast); 0: as the rules say"},
    {"skip", SAC_OPTION_INT, offsetof(take_cover_config, skip), "1", 1, 35, NULL,
     "tics that an action lasts, of which the last one is drawn; the return stays the number of tics"},
    {"objects", SAC_OPTION_BOOL, offsetof(take_cover_config, objects), "false", 0, 0, NULL,
     "two more columns: the number of objects, and a checksum of their places and velocities"},
    SAC_BRIDGE_OPTIONS(take_cover_config, bridge),
    {0},
};

static const char *const same_world[] = {"screen", "objects", "skip", SAC_BRIDGE_SAME_WORLD, NULL};

enum
{
    RELEASED_END = 2100, // tic
    VIZDOOM_END = 10000,
    FIRST_FOLDED = 1000000, // seeds below are for evaluation
    COLUMNS = 4,
    FIREBALLS = 16, // as in saccade-worker.py
    MONSTERS = 8,
    OBJECT_NUMBERS = 4 + 5 * (FIREBALLS + MONSTERS),
};

/// The parts of its observation.
enum
{
    CAMERA,
    OBJECTS, // player, fireballs and monsters; the engine tells of them where somebody has asked
    PARTS
};

typedef struct take_cover
{
    take_cover_config config;
    bool released;
    sac_doom_looks looks;
    sac_doom_look look; // of this episode
    int height, width;
    sac_bridge *bridge; // NULL until the first reset, so that the spec costs no engine
    bool telling;       // whether that engine fills the part `objects`, which costs time
    sac_doom_text *text;
    uint64_t next_seed;
    sac_space parts[PARTS];
    const uint8_t *seen; // the caller's last observation
} take_cover;

static const sac_env_column columns[COLUMNS] = {
    {"y", SAC_COLUMN_DOUBLE},
    {"health", SAC_COLUMN_INT},
    {"objects", SAC_COLUMN_INT},
    {"objects_crc32", SAC_COLUMN_DOUBLE},
};

// Writes the scenario as the engine is to load it. `path` is where the worker's package keeps the original.
static sac_status write_scenario(const void *user, const char *path, int descriptor)
{
    const take_cover *t = user;
    return sac_doom_looks_write(&t->looks, path, descriptor);
}

static sac_status open_take_cover(take_cover *t, const char *variant)
{
    SAC_TRY(sac_doom_looks_read(&t->looks, variant));
    t->released = strcmp(t->config.rules, "released") == 0;
    if (sscanf(t->config.screen, "%dx%d", &t->width, &t->height) != 2)
        return sac_fail(SAC_ERROR_ARGUMENT, "take-cover: screen is '%.80s'", t->config.screen);
    t->parts[CAMERA] = (sac_space){.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {t->height, t->width, 3}};
    t->parts[OBJECTS] =
        (sac_space){.name = "objects", .kind = SAC_SPACE_VECTOR, .shape = {OBJECT_NUMBERS}, .privileged = true};
    if (t->looks.has_text) SAC_TRY(sac_doom_text_create(&t->text, t->height, t->width));
    return SAC_OK;
}

// What the worker is told, in JSON, released by free; NULL on lack of memory.
static char *make_config(const take_cover *t)
{
    int skill = t->config.skill ? t->config.skill : t->released ? 5 : 4;
    // ViZDoom's own: the weapon's script takes it away, and nothing ends an episode but death
    json_t *config =
        json_pack("{s:s, s:s, s:b, s:i, s:b, s:b, s:b, s:b, s:b, s:i, s:i, s:i, s:i}", "world", "take-cover", "screen",
                  t->config.screen, "rewritten", sac_doom_looks_rewritten(&t->looks), "scenes", t->looks.scene_count,
                  "bgr", t->released, "hud", t->released, "plain", t->released, "objects", t->telling, "counted",
                  t->config.objects, "skill", skill, "start_tic", t->released ? 14 : 1, "timeout_tic",
                  t->released ? RELEASED_END : 0, "skip", t->config.skip);
    char *text = config ? json_dumps(config, JSON_COMPACT) : NULL;
    json_decref(config);
    return text;
}

static void take_cover_destroy(void *self)
{
    take_cover *t = self;
    if (!t) return;
    sac_bridge_destroy(t->bridge);
    sac_doom_text_destroy(t->text);
    sac_free(t);
}

static sac_status take_cover_create(void **self, const void *config, const char *variant)
{
    take_cover *t = SAC_NEW(take_cover);
    if (!t) return sac_fail_memory("take-cover");
    t->config = *(const take_cover_config *)config;
    sac_status status = open_take_cover(t, variant);
    if (status == SAC_OK)
        *self = t;
    else
        take_cover_destroy(t);
    return status;
}

static int max_steps(const take_cover *t)
{
    int tics = t->released ? RELEASED_END : VIZDOOM_END;
    return (tics + t->config.skip - 1) / t->config.skip;
}

static void take_cover_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {0}, high[] = {2};
    static const char *const names[] = {"stay", "left", "right"};
    const take_cover *t = self;
    *spec = (sac_env_spec){.observations = t->parts,
                           .observation_count = PARTS,
                           .action_size = 1,
                           .action_choices = 3,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = max_steps(t),
                           .lanes = sac_bridge_lanes(&t->config.bridge),
                           .columns = columns,
                           .column_count = t->config.objects ? COLUMNS : 2,
                           .action_names = names,
                           .picture_aspect = 4.0f / 3,
                           .picture_same_view = true};
}

// Tell whether the engine shows what the spec says; `objects` alone may be missing.
static bool is_as_expected(const take_cover *t)
{
    sac_env_spec ours, theirs;
    take_cover_spec(t, &ours);
    sac_bridge_spec(t->bridge, &theirs);
    int parts = t->telling ? PARTS : PARTS - 1;
    bool same = theirs.observation_count == parts && ours.column_count == theirs.column_count;
    for (int i = 0; same && i < parts; i++) same = sac_space_same(&ours.observations[i], &theirs.observations[i]);
    return same;
}

static sac_status start(take_cover *t, bool telling)
{
    t->telling = telling;
    char *config = make_config(t);
    if (!config) return sac_fail_memory("take-cover");
    sac_status status = sac_bridge_create(&t->bridge, &(sac_bridge_def){.name = "take-cover",
                                                                        .settings = &t->config.bridge,
                                                                        .config = config,
                                                                        .scenario = write_scenario,
                                                                        .user = t,
                                                                        .max_steps = max_steps(t)});
    free(config);
    if (status != SAC_OK || is_as_expected(t)) return status;
    sac_env_spec theirs;
    char text[SAC_SPACE_TEXT_SIZE];
    sac_bridge_spec(t->bridge, &theirs);
    status = sac_fail(SAC_ERROR_ENVIRONMENT, "take-cover: the engine shows '%s', expected %d x %d pixels",
                      sac_space_format(&theirs.observations[0], text), t->height, t->width);
    sac_bridge_destroy(t->bridge);
    t->bridge = NULL;
    return status;
}

// Nobody pays for `objects` who does not ask: ViZDoom decides at its start whether it tells of them. Where they are
// asked for later, an engine that does takes the place of one that does not, and plays the episode up to here.
static sac_status tell_objects(take_cover *t, bool going)
{
    sac_bridge *silent = t->bridge;
    t->bridge = NULL;
    sac_status status = start(t, true);
    if (status == SAC_OK && going) status = sac_bridge_follow(t->bridge, silent);
    sac_bridge_destroy(silent);
    return status;
}

// The engine's seeds have 32 bits. A larger seed is folded, and never into one of those that are for evaluation.
static uint64_t fold(uint64_t seed)
{
    if (seed <= UINT32_MAX) return seed;
    uint64_t folded = (seed ^ seed >> 32) & UINT32_MAX;
    return folded < FIRST_FOLDED ? folded + FIRST_FOLDED : folded;
}

static void show(take_cover *t, const sac_env_row *row)
{
    t->seen = row->parts[CAMERA];
    if (t->look.text && row->parts[CAMERA]) sac_doom_text_paste(t->text, row->parts[CAMERA], t->released);
}

static sac_status take_cover_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    take_cover *t = self;
    bool asked = row->parts[OBJECTS] != NULL;
    if (!t->bridge) SAC_TRY(start(t, asked));
    if (asked && !t->telling) SAC_TRY(tell_objects(t, false));
    if (seed == SAC_SEED_NEXT) seed = t->next_seed;
    t->next_seed = sac_mix_seed(seed, 0, 1);
    t->look = sac_doom_looks_draw(&t->looks, seed);
    if (t->look.text && strcmp(t->config.text, "seeded") == 0)
    {
        int column, row_of_text;
        sac_doom_text_place(seed, &column, &row_of_text);
        sac_doom_text_move(t->text, column, row_of_text);
    }
    sac_bridge_set_scene(t->bridge, t->look.scene);
    SAC_TRY(sac_bridge_reset(t->bridge, fold(seed), row));
    show(t, row);
    return SAC_OK;
}

enum
{
    MAX_TOGETHER = 256
};

static sac_status take_cover_step_batch(void *const *selves, const sac_env_row *rows, int count)
{
    sac_bridge *bridges[MAX_TOGETHER] = {NULL};
    SAC_ASSERT(count <= MAX_TOGETHER);
    for (int i = 0; i < count; i++)
    {
        take_cover *t = selves[i];
        if (!t->bridge) return sac_fail(SAC_ERROR_ENVIRONMENT, "take-cover: stepped after its failure");
        if (rows[i].parts[OBJECTS] && !t->telling) SAC_TRY(tell_objects(t, true));
        bridges[i] = t->bridge;
    }
    SAC_TRY(sac_bridge_step(bridges, rows, count));
    for (int i = 0; i < count; i++) show(selves[i], &rows[i]);
    return SAC_OK;
}

static sac_status take_cover_step(void *self, const sac_env_row *row)
{
    return take_cover_step_batch(&self, row, 1);
}

static void take_cover_state(const void *self, double *values)
{
    const take_cover *t = self;
    const double *now = t->bridge ? sac_bridge_columns(t->bridge) : NULL;
    for (int i = 0; i < (t->config.objects ? COLUMNS : 2); i++) values[i] = now ? now[i] : 0;
}

// The picture for people is the observation, enlarged, with red first.
static sac_status take_cover_picture(void *self, uint8_t *rgb, int height, int width)
{
    const take_cover *t = self;
    if (!t->seen)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "take-cover: a picture needs a reset first, and a row with a place for the camera");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
        {
            const uint8_t *pixel = t->seen + 3 * (y * t->height / height * t->width + x * t->width / width);
            for (int c = 0; c < 3; c++) *rgb++ = pixel[t->released ? 2 - c : c];
        }
    return SAC_OK;
}

const sac_env_ops sac_take_cover_ops = {
    .name = "take-cover",
    .summary = "dodge the fireballs of a row of monsters: ViZDoom's scenario in its engine",
    .options = options,
    .config_size = sizeof(take_cover_config),
    .variants = sac_doom_variants,
    .same_world = same_world,
    .create = take_cover_create,
    .spec = take_cover_spec,
    .reset = take_cover_reset,
    .step = take_cover_step,
    .step_batch = take_cover_step_batch,
    .state = take_cover_state,
    .picture = take_cover_picture,
    .destroy = take_cover_destroy,
};
