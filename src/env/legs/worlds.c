#include "env/legs/course.h"

#include "base/error.h"

/// The worlds of four-legged robots: one row a world below. Where saccade was built without MuJoCo they are listed all
/// the same, and say what to run.

// Kinds of changes may be joined by '+', too (changes.h).
static const char *const variants[] = {"original", "friction", "mass", "latency", "camera", "terrain", "any", NULL};
static const char *const plane_variants[] = {"original", "friction", "mass", "latency", "camera", "any", NULL};

static const char *const same_world[] = {"camera",       "eyes",        "height", "width",
                                         "depth_height", "depth_width", "far",    NULL};

#define FIELD(name) offsetof(legs_config, name)

// clang-format off
#define OPTIONS(robot_, action_, heights_, length_, seconds_, cap_, physics_, control_, repeat_, latency_)             \
    {"robot", SAC_OPTION_TEXT, FIELD(robot), robot_, 0, 0, "laikago go1", "which robot walks"},                        \
    {"action", SAC_OPTION_TEXT, FIELD(action), action_, 0, 0, "pmtg footholds climbing released",                      \
     "what an action means: residuals and a trajectory generator, or footholds and how the trunk moves"},              \
    {"feet", SAC_OPTION_TEXT, FIELD(feet), "all", 0, 0, "all next either",                                             \
     "footholds, climbing: an action names all footholds, or those of the two feet that lift off next; either "        \
     "(footholds): for each of these two a place behind and one ahead, and which"},                                    \
    {"gait", SAC_OPTION_TEXT, FIELD(gait), "trot", 0, 0, "walk trot bound pace pronk", "pmtg: which legs go together"},\
    {"period", SAC_OPTION_REAL, FIELD(period), "0.5", 0.1, 2, NULL,                                                    \
     "footholds, climbing, released: seconds of a trot in which each foot stands and swings once"},                    \
    {"heights", SAC_OPTION_INT, FIELD(heights), heights_, 1, 4, NULL,                                                  \
     "pmtg: 1 for all legs, or 4: each leg has a height of its own, and an action 19 numbers"},                        \
    {"level", SAC_OPTION_REAL, FIELD(level), "10", 0, 12, NULL,                                                        \
     "gaps, risers and how far walls reach, in tenths: 10 has the article's, and the whole of our own obstacles"},     \
    {"least_level", SAC_OPTION_REAL, FIELD(least_level), "12", 0, 12, NULL,                                            \
     "where it is less than level, each episode draws its own between the two; else all have level"},                  \
    {"length", SAC_OPTION_REAL, FIELD(length), length_, 1, 60, NULL, "metres of the course"},                          \
    {"stones", SAC_OPTION_TEXT, FIELD(stones), "article", 0, 0, "article released",                                    \
     "stones: sizes of the article, or those of PyBullet's environment"},                                              \
    {"walls", SAC_OPTION_TEXT, FIELD(walls), "alternating", 0, 0, "alternating any varied",                            \
     "obstacles: from the right and the left in turn; any: sides and colours are drawn; varied: sizes, too"},          \
    {"seconds", SAC_OPTION_REAL, FIELD(seconds), seconds_, 0.1, 100000, NULL, "that an episode lasts at most"},        \
    {"speed_cap", SAC_OPTION_REAL, FIELD(speed_cap), cap_, 0.01, 10, NULL, "m/s up to which progress counts"},         \
    {"noise", SAC_OPTION_REAL, FIELD(noise), "1", 0, 100, NULL, "of sensors, times the usual"},                        \
    {"physics_ms", SAC_OPTION_REAL, FIELD(physics_ms), physics_, 0.1, 10, NULL, "a step of physics"},                  \
    {"control_ms", SAC_OPTION_REAL, FIELD(control_ms), control_, 0.1, 100, NULL, "a step of the motors' controller"},  \
    {"repeat", SAC_OPTION_INT, FIELD(repeat), repeat_, 1, 1000, NULL, "control steps that an action lasts"},           \
    {"camera", SAC_OPTION_TEXT, FIELD(camera), "ahead", 0, 0, "front belly ahead", "that the part camera is from"},    \
    {"eyes", SAC_OPTION_TEXT, FIELD(eyes), "both", 0, 0, "front belly ahead both",                                     \
     "cameras of the part depth; both: front and, beneath it in the picture, belly"},                                  \
    {"height", SAC_OPTION_INT, FIELD(height), "32", 8, 512, NULL, "pixels of camera"},                                 \
    {"width", SAC_OPTION_INT, FIELD(width), "32", 8, 512, NULL, "pixels of camera"},                                   \
    {"depth_height", SAC_OPTION_INT, FIELD(depth_height), "24", 8, 256, NULL, "pixels of each depth picture"},         \
    {"depth_width", SAC_OPTION_INT, FIELD(depth_width), "32", 8, 256, NULL, "pixels of each depth picture"},           \
    {"far", SAC_OPTION_REAL, FIELD(far), "1", 0.05, 100, NULL, "metres at which depth ends"},                          \
    {"camera_latency_ms", SAC_OPTION_REAL, FIELD(camera_latency_ms), latency_, 0, 1000, NULL,                          \
     "by which pictures are late: at most what an action lasts"},                                                      \
    {"released_stance", SAC_OPTION_BOOL, FIELD(released_stance), "false", 0, 0, NULL,                                  \
     "footholds, climbing, released: with the defect of PyBullet's stance control"},                                   \
    {"instant", SAC_OPTION_BOOL, FIELD(instant), "false", 0, 0, NULL,                                                  \
     "footholds, climbing, released: stance forces of a single instant instead of a horizon"},                         \
    {"told_speed", SAC_OPTION_BOOL, FIELD(told_speed), "false", 0, 0, NULL,                                            \
     "the walker knows its speed, in place of what a filter finds from joints and accelerometer; so does `state`"},    \
    {0}
// clang-format on

#ifdef SAC_HAVE_MUJOCO
#define CREATE(symbol, id_, ...)                                                                    \
    static const legs_rules rules_##symbol = {.id = id_, .options = options_##symbol, __VA_ARGS__}; \
    static sac_status create_##symbol(void **self, const void *config, const char *variant)         \
    {                                                                                               \
        return sac_legs_create(self, config, variant, &rules_##symbol);                             \
    }
#define CALLS                                                                                             \
    .spec = sac_legs_spec, .reset = sac_legs_reset, .step = sac_legs_step, .snapshot = sac_legs_snapshot, \
    .state = sac_legs_state, .picture = sac_legs_picture, .destroy = sac_legs_destroy
#else
#define CREATE(symbol, id_, ...)                                                                                 \
    static sac_status create_##symbol(void **self, const void *config, const char *variant)                      \
    {                                                                                                            \
        (void)self, (void)config, (void)variant;                                                                 \
        return sac_fail(SAC_ERROR_UNAVAILABLE, id_ ": built without MuJoCo: run 'make mujoco' and build again"); \
    }
#define CALLS .spec = NULL
#endif

#define WORLD(symbol, id, variants_, words)                                          \
    const sac_env_ops sac_legs_##symbol##_ops = {.name = id,                         \
                                                 .summary = words,                   \
                                                 .options = options_##symbol,        \
                                                 .config_size = sizeof(legs_config), \
                                                 .variants = variants_,              \
                                                 .same_world = same_world,           \
                                                 .create = create_##symbol,          \
                                                 CALLS};

#define ANYWHERE   .roll = 1.05, .pitch = 1.05, .low = 0.5, .may_touch = true
#define FEET_ALONE .roll = 0.25, .pitch = 1, .low = 0.33

static const sac_option options_flat[] = {OPTIONS("go1", "pmtg", "1", "50", "10", "1", "2", "10", "1", "0")};
static const sac_option options_obstacles[] = {OPTIONS("go1", "pmtg", "4", "12", "20", "0.5", "5", "10", "1", "0")};
static const sac_option options_stones[] = {
    OPTIONS("laikago", "footholds", "1", "20", "200", "0.375", "1", "5", "10", "30")};
static const sac_option options_grid[] = {
    OPTIONS("laikago", "footholds", "1", "5", "40", "0.375", "1", "5", "10", "30")};
static const sac_option options_stairs[] = {
    OPTIONS("laikago", "climbing", "1", "5", "40", "0.375", "1", "5", "10", "30")};

CREATE(flat, "legs:flat", .course = LEGS_FLAT, ANYWHERE)
CREATE(obstacles, "legs:obstacles", .course = LEGS_OBSTACLES, ANYWHERE)
CREATE(stones, "legs:stones", .course = LEGS_STONES, FEET_ALONE)
CREATE(grid, "legs:grid", .course = LEGS_GRID, FEET_ALONE)
CREATE(stairs, "legs:stairs", .course = LEGS_STAIRS, .roll = 0.5, .pitch = 1, .low = 0.33)

WORLD(flat, "legs:flat", plane_variants, "a robot with four legs walks on a plane")
WORLD(obstacles, "legs:obstacles", variants, "it walks over a raised platform, around walls from alternating sides")
WORLD(stones, "legs:stones", variants, "it crosses gaps between stepping stones")
WORLD(grid, "legs:grid", variants, "it crosses a grid of small square stones")
WORLD(stairs, "legs:stairs", variants, "it climbs stairs")
