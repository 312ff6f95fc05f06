#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "pcl.h"

// peer FILE STEP: one step of the file that cloud_steps wrote, beside PCL's. PCL is given the points that our step was
// given, so that a step answers for itself alone.

namespace
{
struct record
{
    peer::picture picture;
    peer::settings settings;
    std::vector<float> depth;
    peer::cloud::Ptr all, seen, cells, left;
    double plane[4];
    std::vector<int> kept, labels;
    std::vector<peer::object> objects;
};

void fail_unless(bool good, const char *what)
{
    if (good) return;
    std::printf("%s\n", what);
    std::exit(1);
}

void near(double a, double b, double tolerance, const char *what)
{
    if (std::fabs(a - b) <= tolerance) return;
    std::printf("%s: %.9g beside PCL's %.9g, expected within %.3g\n", what, a, b, tolerance);
    std::exit(1);
}

using peer::number;

peer::cloud::Ptr points(std::FILE *file)
{
    const size_t n = (size_t)number(file);
    std::vector<float> x(3 * n);
    fail_unless(std::fread(x.data(), sizeof(float), 3 * n, file) == 3 * n, "the file is short");
    peer::cloud::Ptr out(new peer::cloud);
    for (size_t i = 0; i < n; i++) out->push_back({x[i], x[n + i], x[2 * n + i]});
    return out;
}

std::vector<int> integers(std::FILE *file)
{
    std::vector<int> out((size_t)number(file));
    fail_unless(std::fread(out.data(), sizeof(int), out.size(), file) == out.size(), "the file is short");
    return out;
}

record read(const char *path)
{
    record r;
    std::FILE *file = std::fopen(path, "rb");
    fail_unless(file, "no such file");
    peer::read_picture(r.picture, r.settings, r.depth, file);
    r.all = points(file), r.seen = points(file), r.cells = points(file);
    for (double &x : r.plane) x = number(file);
    r.kept = integers(file);
    r.left = points(file);
    r.labels = integers(file);
    for (int count; (count = (int)number(file)) > 0;)
    {
        peer::object o{count, {}, {}, 0};
        for (int d = 0; d < 3; d++) o.center[d] = (float)number(file), o.axis[d] = (float)number(file);
        r.objects.push_back(o);
    }
    std::fclose(file);
    return r;
}

double distance(const double plane[4], const pcl::PointXYZ &p)
{
    return std::fabs(plane[0] * (double)p.x + plane[1] * (double)p.y + plane[2] * (double)p.z + plane[3]);
}

// both sides round at most ten times, each time by half an ulp of numbers below 4 m
void check_points(const record &r)
{
    peer::cloud camera, world;
    peer::project(camera, r.picture);
    peer::place(world, camera, r.picture);
    fail_unless(world.size() == r.all->size(), "another number of points");
    for (size_t i = 0; i < world.size(); i++)
        for (int d = 0; d < 3; d++)
            near((*r.all)[i].data[d], world[i].data[d], 4 * 20 * FLT_EPSILON / 2, "a point");
}

void check_bounds(const record &r)
{
    peer::cloud seen;
    peer::crop(seen, r.all, r.settings.least, r.settings.most);
    fail_unless(seen.size() == r.seen->size(), "another number of points");
    for (size_t i = 0; i < seen.size(); i++)
        fail_unless(std::memcmp(seen[i].data, (*r.seen)[i].data, 3 * sizeof(float)) == 0, "another point");
}

using cube = std::tuple<int, int, int>;

// PCL adds the points of a cube in float32, in any order: k points below 1 m round k times, and the quotient once. Ours
// are the double means, rounded. What is equal is the set of cubes, which are found again by the points.
void check_voxels(const record &r)
{
    struct sum
    {
        double x[3] = {0, 0, 0};
        int count = 0;
    };
    peer::cloud cells;
    std::map<cube, sum> sums;
    const float inverse = 1 / r.settings.voxel;
    peer::voxels(cells, r.seen, r.settings.voxel);
    for (const pcl::PointXYZ &p : *r.seen)
    {
        sum &s = sums[{(int)std::floor(p.x * inverse), (int)std::floor(p.y * inverse), (int)std::floor(p.z * inverse)}];
        for (int d = 0; d < 3; d++) s.x[d] += p.data[d];
        s.count++;
    }
    fail_unless(cells.size() == r.cells->size() && cells.size() == sums.size(), "another number of cubes");
    // PCL's cubes come with z slowest and x fastest
    std::map<cube, sum> turned;
    for (const auto &[at, s] : sums) turned[{std::get<2>(at), std::get<1>(at), std::get<0>(at)}] = s;
    size_t i = 0;
    for (const auto &[at, s] : turned)
    {
        for (int d = 0; d < 3; d++)
            near(s.x[d] / s.count, cells[i].data[d], (s.count + 2) * FLT_EPSILON / 2, "PCL's mean of a cube");
        i++;
    }
    std::vector<std::vector<float>> expected, got;
    for (const auto &[at, s] : sums)
        expected.push_back({(float)(s.x[0] / s.count), (float)(s.x[1] / s.count), (float)(s.x[2] / s.count)});
    for (const pcl::PointXYZ &p : *r.cells) got.push_back({p.x, p.y, p.z});
    std::sort(expected.begin(), expected.end());
    std::sort(got.begin(), got.end());
    fail_unless(expected == got, "our means are not those of the same cubes");
}

// PCL draws other points at random, so the planes differ, but nowhere on the table by more than half a voxel.
void check_plane(const record &r)
{
    pcl::ModelCoefficients found;
    pcl::PointIndices near_points;
    peer::plane(found, near_points, r.cells, r.settings.distance, r.settings.trials, r.settings.confidence);
    double theirs[4], sign = 0;
    for (int d = 0; d < 3; d++) sign += r.plane[d] * (double)found.values[(size_t)d];
    for (int d = 0; d < 4; d++) theirs[d] = (sign < 0 ? -1 : 1) * (double)found.values[(size_t)d];
    for (const pcl::PointXYZ &p : *r.cells)
    {
        double apart = r.plane[3] - theirs[3];
        for (int d = 0; d < 3; d++) apart += (r.plane[d] - theirs[d]) * (double)p.data[d];
        near(apart, 0, (double)r.settings.voxel / 2, "the distance between the planes");
    }
}

// The points beside our plane, but for those that lie at the distance itself up to rounding: four products and sums of
// numbers below 1 on both sides.
void check_beside(const record &r)
{
    pcl::SampleConsensusModelPlane<pcl::PointXYZ> model(r.cells);
    Eigen::VectorXf plane(4);
    pcl::Indices near_points;
    for (int d = 0; d < 4; d++) plane[d] = (float)r.plane[d];
    model.selectWithinDistance(plane, (double)r.settings.distance, near_points);
    std::vector<bool> ours(r.cells->size(), true), theirs(r.cells->size(), false);
    for (int i : r.kept) ours[(size_t)i] = false;
    for (int i : near_points) theirs[(size_t)i] = true;
    for (size_t i = 0; i < ours.size(); i++)
        if (ours[i] != theirs[i])
            near(distance(r.plane, (*r.cells)[i]), (double)r.settings.distance, 16 * FLT_EPSILON / 2, "the distance");
}

std::vector<pcl::PointIndices> their_clusters(const record &r)
{
    std::vector<pcl::PointIndices> found;
    peer::clusters(found, r.left, r.settings.reach, r.settings.points, 1 << 24);
    return found;
}

// the same sets of points; of clusters of one size the order is open
void check_clusters(const record &r)
{
    std::vector<pcl::PointIndices> found = their_clusters(r);
    std::map<int, std::vector<int>> ours;
    for (size_t i = 0; i < r.labels.size(); i++)
        if (r.labels[i] >= 0) ours[r.labels[i]].push_back((int)i);
    fail_unless(ours.size() == found.size(), "another number of clusters");
    for (size_t c = 0; c < found.size(); c++)
    {
        std::vector<int> indices(found[c].indices.begin(), found[c].indices.end());
        std::sort(indices.begin(), indices.end());
        fail_unless(found[c].indices.size() == ours[(int)c].size(), "clusters of another size");
        const auto same = [&](const auto &one) { return one.second == indices; };
        fail_unless(std::any_of(ours.begin(), ours.end(), same), "a cluster of other points");
    }
}

// PCL sums n points in float32, relative to the first one: n roundings of numbers below 0.5 m. The axis turns by the
// covariance's relative error over the gap between its two largest eigenvalues.
void check_axes(const record &r)
{
    const std::vector<pcl::PointIndices> found = their_clusters(r);
    fail_unless(found.size() == r.objects.size(), "another number of objects");
    for (const pcl::PointIndices &one : found)
    {
        const peer::object theirs = peer::describe(*r.left, one);
        const auto nearer = [&](const peer::object &a, const peer::object &b) {
            return std::hypot(a.center[0] - theirs.center[0], a.center[1] - theirs.center[1]) <
                   std::hypot(b.center[0] - theirs.center[0], b.center[1] - theirs.center[1]);
        };
        const peer::object ours = *std::min_element(r.objects.begin(), r.objects.end(), nearer);
        fail_unless(ours.count == theirs.count, "an object of another size");
        const double n = ours.count, rounding = n * FLT_EPSILON / 2;
        double along = 0;
        for (int d = 0; d < 3; d++)
        {
            near(ours.center[d], theirs.center[d], 0.5 * rounding + FLT_EPSILON, "a centre");
            along += (double)ours.axis[d] * (double)theirs.axis[d];
        }
        const double turn = 2 * rounding / theirs.gap;
        near(std::fabs(along), 1, turn * turn + 4 * FLT_EPSILON, "the cosine between the axes");
    }
}

// all of it, from the picture on: as many objects, each within a voxel of PCL's
void check_whole(const record &r)
{
    peer::work work;
    const std::vector<peer::object> theirs = peer::segment(work, r.picture, r.settings);
    fail_unless(theirs.size() == r.objects.size(), "another number of objects");
    for (const peer::object &one : theirs)
    {
        double nearest = 1e9;
        for (const peer::object &o : r.objects)
            nearest = std::min(nearest, std::hypot((double)(o.center[0] - one.center[0]),
                                                   (double)(o.center[1] - one.center[1]),
                                                   (double)(o.center[2] - one.center[2])));
        near(nearest, 0, (double)r.settings.voxel, "the distance between the objects' centres");
    }
}
} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const std::map<std::string, void (*)(const record &)> steps = {
        {"points", check_points},   {"bounds", check_bounds},     {"voxels", check_voxels}, {"plane", check_plane},
        {"beside", check_beside},   {"clusters", check_clusters}, {"axes", check_axes},     {"whole", check_whole},
    };
    const auto step = steps.find(argv[2]);
    if (step == steps.end()) return 2;
    step->second(read(argv[1]));
}
