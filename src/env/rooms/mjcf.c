#include "env/rooms/mjcf.h"

#include "env/rooms/body.h"
#include "env/rooms/robot.h"

// The robot meets things as a ball does, because MuJoCo finds where balls touch boxes and cylinders in closed form, and
// of a cylinder at the edge of a box it finds contacts that are off by centimetres. In the plane of the ball's middle
// it is the same disc. The geom is in a group that scenes leave out: the camera does not see the robot, and pictures
// for people draw their own.
static void add_robot(sac_growing *text)
{
    sac_grow_text(text,
                  "<body name='saccade-robot' gravcomp='1'>\n"
                  "<inertial pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n"
                  "<joint name='saccade-x' type='slide' axis='1 0 0'/>\n"
                  "<joint name='saccade-y' type='slide' axis='0 1 0'/>\n"
                  "<joint name='saccade-turn' type='hinge' axis='0 0 1'/>\n"
                  "<geom name='saccade-robot' type='sphere' size='%.17g' pos='0 0 %.17g' group='5' "
                  "condim='3' friction='0.2 0.005 0.0001'/>\n</body>\n",
                  ROOMS_MIDDLE, ROOMS_MASS, ROOMS_MASS * ROOMS_RADIUS * ROOMS_RADIUS / 2,
                  ROOMS_MASS * ROOMS_RADIUS * ROOMS_RADIUS / 2, ROOMS_MASS * ROOMS_RADIUS * ROOMS_RADIUS / 2,
                  ROOMS_RADIUS, ROOMS_MIDDLE);
}

static void add_pieces(sac_growing *text)
{
    static const char *const words[2] = {"box", "round"}, *const types[2] = {"box", "cylinder"};
    const int counts[2] = {ROOMS_NEAR_BOXES, ROOMS_NEAR_ROUNDS};
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < counts[kind]; i++)
            sac_grow_text(text,
                          "<body name='%s%d' pos='0 0 -100'><geom type='%s' size='0.1 0.1 0.1' condim='3' "
                          "friction='0.2 0.005 0.0001'/></body>\n",
                          words[kind], i, types[kind]);
}

static void add_escaped(sac_growing *text, const char *file)
{
    for (; *file; file++)
        if (*file == '&' || *file == '\'' || *file == '<')
            sac_grow_text(text, "&#%d;", *file);
        else
            sac_grow_text(text, "%c", *file);
}

void sac_rooms_mjcf(sac_growing *text, const char *file, double step)
{
    sac_grow_text(text,
                  "<mujoco model='rooms'>\n<compiler angle='radian' autolimits='true'/>\n"
                  "<option timestep='%.17g' cone='pyramidal'/>\n",
                  step);
    if (file)
    {
        sac_grow_text(text, "<asset><model name='plan' file='");
        add_escaped(text, file);
        sac_grow_text(text, "'/></asset>\n");
    }
    sac_grow_text(text, "<worldbody>\n");
    if (file) sac_grow_text(text, "<frame><attach model='plan' body='world' prefix='plan-'/></frame>\n");
    add_robot(text);
    if (!file) add_pieces(text);
    sac_grow_text(text, "</worldbody>\n</mujoco>\n");
}
