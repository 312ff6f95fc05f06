#include <chrono>
#include <cstdio>
#include <vector>

#include "pcl.h"

// cloud FILE: the picture and the settings of bench/clouds/cloud.c, segmented by PCL; prints the microseconds of the best run
// and how many objects there are.

namespace
{
double number(std::FILE *file)
{
    double x = 0;
    if (std::fread(&x, sizeof x, 1, file) != 1) std::exit(1);
    return x;
}

double microseconds()
{
    return 1e-3 * (double)std::chrono::steady_clock::now().time_since_epoch().count();
}
} // namespace

int main(int argc, char **argv)
{
    std::FILE *file = argc == 2 ? std::fopen(argv[1], "rb") : nullptr;
    if (!file) return 2;
    peer::picture p;
    peer::settings s;
    p.height = (int)number(file), p.width = (int)number(file);
    p.focal_row = number(file), p.focal_column = number(file);
    p.center_row = number(file), p.center_column = number(file);
    for (double &x : p.rotation) x = number(file);
    for (double &x : p.position) x = number(file);
    for (float &x : s.least) x = (float)number(file);
    for (float &x : s.most) x = (float)number(file);
    s.voxel = (float)number(file), s.distance = (float)number(file), s.reach = (float)number(file);
    s.trials = (int)number(file), s.points = (int)number(file), s.confidence = number(file);
    std::vector<float> depth((size_t)p.height * (size_t)p.width);
    if (std::fread(depth.data(), sizeof(float), depth.size(), file) != depth.size()) return 1;
    std::fclose(file);
    p.depth = depth.data();

    peer::work work;
    double best = 1e300;
    size_t objects = 0;
    for (int run = 0; run < 30; run++)
    {
        const double begin = microseconds();
        objects = peer::segment(work, p, s).size();
        const double time = microseconds() - begin;
        if (time < best) best = time;
    }
    std::printf("%.17g %zu %s\n", best, objects, PCL_VERSION_PRETTY);
}
