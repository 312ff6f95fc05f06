#pragma once

#include "env/carracing/picture.h"
#include "env/carracing/raster.h"

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

struct car_picture
{
    int height, width;
    car_style style;
    const car_raster *raster;
    double scale_x, scale_y, left, top;
    car_layers layers;
    car_figure figure;
    float hull_seen[3]; ///< zoom and turn of the hull that is in figure.hull
    struct car_bar *bar;
};

/// Sine and cosine to 1e-15, the same bits on every system; |angle| below 1e6.
void sac_car_turn(double angle, double *sine, double *cosine);

/// Add a polygon of up to 8 corners, clockwise on the screen.
void sac_car_add_polygon(const car_picture *p, const car_plane *plane, const car_point *corners, int count,
                         float weight);

/// How the ground is drawn.
typedef struct car_look
{
    float grow; ///< what each side of a polygon moves outwards, in world units
    float grey; ///< level of the plain road
    bool mixed; ///< grass and squares differ in more than green
    bool lane;  ///< a second lane beside the road
} car_look;

/// Draw playfield, grass, road and kerbs into the layers.
void sac_car_draw_field(car_picture *p, const car_scene *scene, const car_camera *camera, const car_look *look);

/// Draw wheels and hull into the figure.
void sac_car_draw_figure(car_picture *p, const car_scene *scene, const car_camera *camera, double grow);

/// The bar with the indicators and the reward, over the picture's last rows.
SAC_CHECKED sac_status sac_car_bar_create(struct car_bar **out, const car_picture *p);
void sac_car_bar_destroy(struct car_bar *bar);
void sac_car_draw_bar(const car_picture *p, const car_scene *scene, uint8_t *rgb);
