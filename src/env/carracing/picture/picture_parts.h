#pragma once

#include "env/carracing/picture/picture.h"
#include "env/carracing/picture/raster.h"

/// What the parts of the picture share. World coordinates are turned and zoomed into pixels of the picture by one
/// affine map; the 1000 x 800 scene, in "units", lies between.

enum
{
    SCENE_WIDTH = 1000,
    SCENE_HEIGHT = 800,
    CAR_X = 500,
    CAR_Y = 600,
    BAR_Y = 700
};

// fmin and fmax are calls
static inline double sac_car_lesser(double a, double b)
{
    return a < b ? a : b;
}
static inline double sac_car_greater(double a, double b)
{
    return a > b ? a : b;
}

typedef struct car_camera
{
    double x, y;             ///< the hull, in the world
    double cosine, sine;     ///< of the view's turn
    double zoom;             ///< units a world unit
    double scale_x, scale_y; ///< pixels a unit
    double left, top;        ///< of the scene in the picture, pixels
    bool whole_units;        ///< corners are cut to whole units, as in Gymnasium's picture
} car_camera;

typedef struct car_point
{
    float x, y;
} car_point;

/// Where a point of the world lies in the picture, given by its distance from the hull.
static inline car_point sac_car_see(const car_camera *c, double dx, double dy)
{
    double x = c->zoom * (c->cosine * dx - c->sine * dy), y = c->zoom * (c->sine * dx + c->cosine * dy);
    return (car_point){(float)(c->left + c->scale_x * (CAR_X + x)), (float)(c->top + c->scale_y * (CAR_Y - y))};
}

/// The same for a corner of what lies on the ground: Gymnasium cuts it to a whole unit, of which it is the middle.
static inline car_point sac_car_see_corner(const car_camera *c, double dx, double dy)
{
    if (!c->whole_units) return sac_car_see(c, dx, dy);
    double x = c->zoom * (c->cosine * dx - c->sine * dy), y = c->zoom * (c->sine * dx + c->cosine * dy);
    // its y runs upwards
    x = (int)(CAR_X + x) + 0.5;
    y = (int)(SCENE_HEIGHT - CAR_Y + y) + 0.5;
    return (car_point){(float)(c->left + c->scale_x * x), (float)(c->top + c->scale_y * (SCENE_HEIGHT - y))};
}

enum
{
    CAR_HULL_PARTS = 4,
    CAR_SPAN_ROWS = 120
};

/// The hull in the agent's picture, which is drawn again only when it looks another way.
struct car_spans
{
    float hull_seen[3];                           ///< its zoom and turn
    short hull[CAR_SPAN_ROWS][CAR_HULL_PARTS][2]; ///< spans on each row of the scene, both ends included
    unsigned char hull_count[CAR_SPAN_ROWS];
};

struct car_picture
{
    int height, width;
    car_style style;
    const car_raster *raster;
    double scale_x, scale_y, left, top;
    car_layers layers;
    car_figure figure;
    struct car_spans spans;
    struct car_bar *bar;
};

/// Gymnasium scales its picture down along x, then along y, and cuts to whole levels each time. The first cut takes 1
/// from every level above 0, so colours start with that taken; the second is a cut below the exact value.
static inline float sac_car_lost(const car_picture *p)
{
    return p->style == CAR_STYLE_AGENT ? 1 : 0;
}

/// What to add before a level is cut to a whole number.
static inline float sac_car_offset(const car_picture *p)
{
    return p->style == CAR_STYLE_AGENT ? -0.01f : 0.5f;
}

static inline uint8_t sac_car_byte(const car_picture *p, float level)
{
    level += sac_car_offset(p);
    return (uint8_t)(int)(level < 0 ? 0 : level > 255 ? 255 : level);
}

/// Sine and cosine to 1e-15, the same bits on every system; |angle| below 1e6.
void sac_car_turn(double angle, double *sine, double *cosine);

/// Add a polygon of up to 8 corners, clockwise on the screen.
void sac_car_add_polygon(const car_picture *p, const car_plane *plane, const car_point *corners, int count,
                         float weight);

/// How the ground is drawn.
typedef struct car_look
{
    float grey, white; ///< levels of the plain road and of white kerbs
    bool mixed;        ///< grass and squares differ in more than green
    bool side_road;    ///< a second road beside the road: the variant fake-lane
} car_look;

/// Draw playfield, grass, road and kerbs into the layers.
void sac_car_draw_field(car_picture *p, const car_scene *scene, const car_camera *camera, const car_look *look);

/// A convex polygon of a body, in world units in the body's frame.
typedef struct car_part
{
    int count;
    float corners[8][2];
} car_part;

car_part sac_car_wheel_part(void);
car_part sac_car_hull_part(int i);                      ///< 0..CAR_HULL_PARTS-1
bool sac_car_stripe_part(double phase, car_part *part); ///< false when the stripe is below

void sac_car_clear_plane(const car_plane *plane);

/// Draw wheels and hull into the figure, with smooth edges.
void sac_car_draw_smooth_figure(car_picture *p, const car_scene *scene, const car_camera *camera);

/// The same as Gymnasium draws them, unit for unit.
void sac_car_draw_exact_figure(car_picture *p, const car_scene *scene, const car_camera *camera);

/// The bar with the indicators and the reward, over the picture's last rows.
SAC_CHECKED sac_status sac_car_bar_create(struct car_bar **out, const car_picture *p);
void sac_car_bar_destroy(struct car_bar *bar);
void sac_car_draw_bar(const car_picture *p, const car_scene *scene, uint8_t *rgb);
