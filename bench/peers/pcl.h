#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <pcl/common/centroid.h>
#include <pcl/common/eigen.h>
#include <pcl/common/transforms.h>
#include <pcl/filters/crop_box.h>
#include <pcl/filters/extract_indices.h>
#include <pcl/filters/voxel_grid.h>
#include <pcl/sample_consensus/sac_model_plane.h>
#include <pcl/segmentation/extract_clusters.h>
#include <pcl/segmentation/sac_segmentation.h>

/// The steps of saccade/cloud.h by the Point Cloud Library, as its tutorials do them.

namespace peer
{
using cloud = pcl::PointCloud<pcl::PointXYZ>;

/// A depth picture in metres, 0 where a pixel sees nothing, with intrinsics and pose as in saccade/tokens.h.
struct picture
{
    int height, width;
    const float *depth;
    double focal_row, focal_column, center_row, center_column;
    double rotation[9], position[3];
};

inline void project(cloud &out, const picture &p)
{
    const float fx = (float)(1 / p.focal_column), fy = (float)(1 / p.focal_row);
    const float cx = (float)p.center_column, cy = (float)p.center_row;
    out.clear();
    for (int row = 0; row < p.height; row++)
        for (int column = 0; column < p.width; column++)
        {
            const float z = p.depth[(size_t)row * (size_t)p.width + (size_t)column];
            if (z > 0) out.push_back({((float)column - cx) * z * fx, ((float)row - cy) * z * fy, z});
        }
}

inline void place(cloud &out, const cloud &in, const picture &p)
{
    Eigen::Affine3f pose = Eigen::Affine3f::Identity();
    for (int i = 0; i < 3; i++)
    {
        for (int j = 0; j < 3; j++) pose(i, j) = (float)p.rotation[3 * i + j];
        pose(i, 3) = (float)p.position[i];
    }
    pcl::transformPointCloud(in, out, pose);
}

/// One crop box costs less than a PassThrough for each axis, and keeps the same points.
inline void crop(cloud &out, const cloud::Ptr &in, const float least[3], const float most[3])
{
    pcl::CropBox<pcl::PointXYZ> box;
    box.setMin({least[0], least[1], least[2], 1});
    box.setMax({most[0], most[1], most[2], 1});
    box.setInputCloud(in);
    box.filter(out);
}

inline void voxels(cloud &out, const cloud::Ptr &in, float size)
{
    pcl::VoxelGrid<pcl::PointXYZ> grid;
    grid.setInputCloud(in);
    grid.setLeafSize(size, size, size);
    grid.filter(out);
}

inline void plane(pcl::ModelCoefficients &out, pcl::PointIndices &near, const cloud::Ptr &in, float distance,
                  int trials, double confidence)
{
    pcl::SACSegmentation<pcl::PointXYZ> search;
    search.setOptimizeCoefficients(true);
    search.setModelType(pcl::SACMODEL_PLANE);
    search.setMethodType(pcl::SAC_RANSAC);
    search.setDistanceThreshold(distance);
    search.setMaxIterations(trials);
    search.setProbability(confidence);
    search.setInputCloud(in);
    search.segment(near, out);
}

inline void without(cloud &out, const cloud::Ptr &in, const pcl::PointIndices &near)
{
    pcl::ExtractIndices<pcl::PointXYZ> extract;
    extract.setInputCloud(in);
    extract.setIndices(pcl::PointIndices::ConstPtr(new pcl::PointIndices(near)));
    extract.setNegative(true);
    extract.filter(out);
}

inline void clusters(std::vector<pcl::PointIndices> &out, const cloud::Ptr &in, float reach, int least, int most)
{
    pcl::search::KdTree<pcl::PointXYZ>::Ptr tree(new pcl::search::KdTree<pcl::PointXYZ>);
    tree->setInputCloud(in);
    pcl::EuclideanClusterExtraction<pcl::PointXYZ> extraction;
    extraction.setClusterTolerance(reach);
    extraction.setMinClusterSize(least);
    extraction.setMaxClusterSize(most);
    extraction.setSearchMethod(tree);
    extraction.setInputCloud(in);
    extraction.extract(out);
}

struct object
{
    int count;
    float center[3], axis[3];
    double gap; ///< of the two largest eigenvalues of its covariance, as a share of the largest
};

inline object describe(const cloud &in, const pcl::PointIndices &of)
{
    Eigen::Vector4f center;
    Eigen::Matrix3f covariance, vectors;
    Eigen::Vector3f values;
    pcl::computeMeanAndCovarianceMatrix(in, of, covariance, center);
    pcl::eigen33(covariance, vectors, values); // in increasing order
    object o{(int)of.indices.size(), {}, {}, (double)((values[2] - values[1]) / values[2])};
    for (int d = 0; d < 3; d++) o.center[d] = center[d], o.axis[d] = vectors(d, 2);
    return o;
}

/// What a segmenter's def says.
struct settings
{
    float least[3], most[3], voxel, distance, reach;
    int trials, points; // of a cluster at least
    double confidence;
};

/// The next number of a file that saccade wrote; a file that is short ends the program.
inline double number(std::FILE *file)
{
    double x = 0;
    if (std::fread(&x, sizeof x, 1, file) == 1) return x;
    std::printf("the file is short\n");
    std::exit(1);
}

/// Read a picture and what is done with it, as table_put_picture of bench/clouds/table_scene.h writes them.
/// @param[out] depth  the pixels, which the picture points to
inline void read_picture(picture &p, settings &s, std::vector<float> &depth, std::FILE *file)
{
    p.height = (int)number(file), p.width = (int)number(file);
    p.focal_row = number(file), p.focal_column = number(file);
    p.center_row = number(file), p.center_column = number(file);
    for (double &x : p.rotation) x = number(file);
    for (double &x : p.position) x = number(file);
    for (float &x : s.least) x = (float)number(file);
    for (float &x : s.most) x = (float)number(file);
    s.voxel = (float)number(file), s.distance = (float)number(file), s.reach = (float)number(file);
    s.trials = (int)number(file), s.points = (int)number(file), s.confidence = number(file);
    depth.resize((size_t)p.height * (size_t)p.width);
    if (std::fread(depth.data(), sizeof(float), depth.size(), file) != depth.size())
    {
        std::printf("the file is short\n");
        std::exit(1);
    }
    p.depth = depth.data();
}

/// The points of each step, kept between pictures so that they need no new memory.
struct work
{
    cloud camera;
    cloud::Ptr world{new cloud}, seen{new cloud}, cells{new cloud}, left{new cloud};
};

inline std::vector<object> segment(work &w, const picture &p, const settings &s)
{
    pcl::ModelCoefficients coefficients;
    pcl::PointIndices near;
    std::vector<pcl::PointIndices> found;
    std::vector<object> objects;
    project(w.camera, p);
    place(*w.world, w.camera, p);
    crop(*w.seen, w.world, s.least, s.most);
    voxels(*w.cells, w.seen, s.voxel);
    plane(coefficients, near, w.cells, s.distance, s.trials, s.confidence);
    without(*w.left, w.cells, near);
    clusters(found, w.left, s.reach, s.points, 1 << 24);
    for (const pcl::PointIndices &one : found) objects.push_back(describe(*w.left, one));
    return objects;
}
} // namespace peer
