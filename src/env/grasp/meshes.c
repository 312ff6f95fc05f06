#define _GNU_SOURCE
#include "env/grasp/meshes.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "files/atomic.h"

static const double density = 400; // kg/m^3 of the hull: between those of things of simple solids

// --- files

static bool is_mesh(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && end != name && (strcasecmp(end, ".obj") == 0 || strcasecmp(end, ".stl") == 0);
}

static int is_mesh_entry(const struct dirent *entry)
{
    return is_mesh(entry->d_name);
}

// By bytes, so that the order is the same in every language
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static sac_status add_path(grasp_meshes *m, const char *path)
{
    m->all[m->count].path = sac_copy_text(path);
    if (!m->all[m->count].path) return sac_fail_memory("meshes");
    m->count++;
    return SAC_OK;
}

static sac_status add_entries(grasp_meshes *m, const char *folder, struct dirent **entries, int found)
{
    if (found == 0)
        return sac_fail(SAC_ERROR_FILE, "meshes: the folder '%.200s' holds no .obj and no .stl file", folder);
    if (found > GRASP_MOST_MESHES)
        return sac_fail(SAC_ERROR_ARGUMENT, "meshes: the folder '%.200s' holds %d files, expected %d at most", folder,
                        found, GRASP_MOST_MESHES);
    m->all = SAC_NEW_ARRAY(grasp_mesh, (size_t)found);
    if (!m->all) return sac_fail_memory("meshes");
    for (int i = 0; i < found; i++)
    {
        char path[SAC_PATH_SIZE];
        SAC_TRY(sac_join_path(path, folder, entries[i]->d_name));
        SAC_TRY(add_path(m, path));
    }
    return SAC_OK;
}

static sac_status list_folder(grasp_meshes *m, const char *folder)
{
    struct dirent **entries;
    const int found = scandir(folder, &entries, is_mesh_entry, by_name);
    if (found < 0) return sac_fail(SAC_ERROR_FILE, "meshes: '%.200s': %s", folder, strerror(errno));
    sac_status status = add_entries(m, folder, entries, found);
    for (int i = 0; i < found; i++) free(entries[i]);
    free(entries);
    return status;
}

static sac_status list(grasp_meshes *m, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) return sac_fail(SAC_ERROR_FILE, "meshes: '%.200s': %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode)) return list_folder(m, path);
    if (!is_mesh(path))
        return sac_fail(SAC_ERROR_FILE, "meshes: '%.200s' is neither a folder nor an .obj or .stl file", path);
    m->all = SAC_NEW_ARRAY(grasp_mesh, 1);
    return m->all ? add_path(m, path) : sac_fail_memory("meshes");
}

// --- as MuJoCo's XML

// What a path may hold and an attribute may not
static void add_escaped(sac_growing *text, const char *words)
{
    for (; *words; words++)
        if (strchr("&<>'\"", *words))
            sac_grow_text(text, "&#%d;", *words);
        else
            sac_grow(text, words, 1);
}

// The hull is also what mass and inertia are of, so that a mesh need not be closed.
static void add_asset(sac_growing *text, int index, const char *path, double scale)
{
    sac_grow_text(text, "<mesh name='mesh%d' inertia='convex' scale='%.17g %.17g %.17g' file='", index, scale, scale,
                  scale);
    add_escaped(text, path);
    sac_grow_text(text, "'/>\n");
}

// A bit that nothing else has: MuJoCo makes hulls of meshes that could touch something.
static void add_geom(sac_growing *text, int index)
{
    sac_grow_text(text,
                  "<body pos='0 0 %d'><geom name='mesh%d' type='mesh' mesh='mesh%d' density='%.17g' contype='8' "
                  "conaffinity='0' group='4'/></body>\n",
                  -10 - index, index, index, density);
}

void sac_grasp_meshes_add_assets(sac_growing *text, const grasp_meshes *m)
{
    for (int i = 0; i < m->count; i++) add_asset(text, i, m->all[i].path, m->scale);
}

void sac_grasp_meshes_add_shelf(sac_growing *text, const grasp_meshes *m)
{
    for (int i = 0; i < m->count; i++) add_geom(text, i);
}

// --- what is known of a mesh

static void rotation(double a[9], const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double all[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(a, all, sizeof all);
}

// The box about all points, along the file's axes. MuJoCo turns a mesh to the axes of its inertia; its geom turns it
// back.
static void find_box(grip_solid *box, const mjModel *model)
{
    double axes[9], least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
    rotation(axes, model->geom_quat);
    for (int i = 0; i < model->nmeshvert; i++)
    {
        const float *v = model->mesh_vert + (ptrdiff_t)3 * i;
        const double point[3] = {(double)v[0], (double)v[1], (double)v[2]};
        double turned[3];
        grip_turn(turned, axes, point);
        // Comparisons, because GCC 12 for AArch64 stops with an internal error where fmin and fmax stand here.
        for (int k = 0; k < 3; k++)
        {
            least[k] = turned[k] < least[k] ? turned[k] : least[k];
            most[k] = turned[k] > most[k] ? turned[k] : most[k];
        }
    }
    *box = (grip_solid){.kind = GRIP_BOX, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < 3; k++)
    {
        box->size[k] = 0.5 * (most[k] - least[k]);
        box->center[k] = 0.5 * (most[k] + least[k]);
    }
}

// Mass and inertia of body 1, about the origin of its geom
static void weigh(grip_weight *w, const mjModel *model)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double axes[9];
    rotation(axes, model->body_iquat + 4);
    w->mass = model->body_mass[1];
    for (int k = 0; k < 3; k++) w->center[k] = model->body_ipos[3 + k] - model->geom_pos[k];
    for (int p = 0; p < 6; p++)
    {
        w->inertia[p] = 0;
        for (int k = 0; k < 3; k++)
            w->inertia[p] += axes[3 * pairs[p][0] + k] * model->body_inertia[3 + k] * axes[3 * pairs[p][1] + k];
    }
}

static sac_status check_size(const char *path, const grip_solid *box)
{
    static const double shortest = 0.005, longest = 0.3;
    const double length = 2 * fmax(box->size[0], fmax(box->size[1], box->size[2]));
    if (length >= shortest && length <= longest) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "meshes: '%.200s' is %.3g m long, expected %g to %g; mesh_scale scales it",
                    path, length, shortest, longest);
}

// As it stands in its file, and on two other sides: it comes to rest from there.
static void describe(grasp_mesh *mesh, int index, const mjModel *model)
{
    static const double poses[GRASP_POSES][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 1, 0, -1, 0, 0}, {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    grasp_object *o = &mesh->object;
    sac_stream color = sac_stream_create(0x6d657368, (uint64_t)index, 0);
    o->thing.count = 1;
    o->density = density;
    o->pose_count = GRASP_POSES;
    memcpy(o->poses, poses, sizeof poses);
    for (int i = 0; i < 3; i++) o->rgba[i] = (float)sac_stream_uniform(&color, 0.2, 0.95);
    o->rgba[3] = 1;
    find_box(&o->thing.solids[0], model);
    weigh(&mesh->weight, model);
}

static sac_status measure(grasp_meshes *m, int index, const sac_mujoco *mj)
{
    grasp_mesh *mesh = &m->all[index];
    sac_growing text = {0};
    sac_grow_text(&text, "<mujoco>\n<asset>\n");
    add_asset(&text, 0, mesh->path, m->scale);
    sac_grow_text(&text, "</asset>\n<worldbody>\n");
    add_geom(&text, 0);
    sac_grow_text(&text, "</worldbody>\n</mujoco>\n%c", 0);
    mjModel *model = NULL;
    sac_status status =
        text.failed ? sac_fail_memory("a mesh") : sac_mujoco_load_text(&model, mj, mesh->path, text.bytes);
    sac_grow_clear(&text);
    if (status != SAC_OK) return status == SAC_ERROR_MEMORY ? status : sac_fail_in(status, "meshes");
    describe(mesh, index, model);
    mj->mj_deleteModel(model);
    return check_size(mesh->path, &mesh->object.thing.solids[0]);
}

sac_status sac_grasp_meshes_open(grasp_meshes *meshes, const sac_mujoco *mj, const char *path, double scale)
{
    *meshes = (grasp_meshes){.scale = scale};
    SAC_TRY(list(meshes, path));
    for (int i = 0; i < meshes->count; i++) SAC_TRY(measure(meshes, i, mj));
    return SAC_OK;
}

void sac_grasp_meshes_close(grasp_meshes *meshes)
{
    for (int i = 0; i < meshes->count; i++) sac_free(meshes->all[i].path);
    sac_free(meshes->all);
    *meshes = (grasp_meshes){0};
}
