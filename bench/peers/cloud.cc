#include <chrono>
#include <cstdio>
#include <vector>

#include "pcl.h"

// cloud FILE: the picture and the settings of bench/clouds/cloud.c, segmented by PCL; prints the microseconds of the best run
// and how many objects there are.

namespace
{
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
    std::vector<float> depth;
    peer::read_picture(p, s, depth, file);
    std::fclose(file);

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
