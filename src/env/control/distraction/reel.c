#include "env/control/distraction/reel.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "files/atomic.h"
#include "files/pictures/footage.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static control_reels *first;

// ---- showing

// Computes the mean of a stretch of two rows, a whole pixel at a time.
static void mix(uint32_t *restrict out, const uint32_t *restrict a, const uint32_t *restrict b, int count)
{
    for (int i = 0; i < count; i++) out[i] = (a[i] & b[i]) + (((a[i] ^ b[i]) & 0xfefefe) >> 1); // each byte on its own
}

// A video that was read is a list of frames. One that is drawn is two layers that drift over each other and come round
// at their edges; a frame is the mean of both.
const uint32_t *sac_reel_show(const control_reel *reel, int index, uint32_t *scratch)
{
    const int mask = REEL_SIDE - 1;
    if (reel->frames) return reel->frames + (size_t)index * REEL_SIDE * REEL_SIDE;
    for (int y = 0; y < REEL_SIDE; y++)
    {
        const uint32_t *rows[2];
        int columns[2], length;
        for (int l = 0; l < 2; l++)
        {
            int row = l * REEL_SIDE + ((y + reel->drift[l][0] * index) & mask);
            rows[l] = reel->layers + (size_t)row * REEL_SIDE;
            columns[l] = (reel->drift[l][1] * index) & mask;
        }
        for (int x = 0; x < REEL_SIDE; x += length) // until one of the two comes round
        {
            int a = (x + columns[0]) & mask, b = (x + columns[1]) & mask, far = a > b ? a : b;
            length = REEL_SIDE - (far > x ? far : x);
            mix(scratch + (size_t)y * REEL_SIDE + x, rows[0] + a, rows[1] + b, length);
        }
    }
    return scratch;
}

// ---- reading

static int is_video_name(const char *name)
{
    static const char *const ends[] = {".mp4", ".mkv", ".avi", ".mov", ".webm", NULL};
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && ends[i]; i++)
        if (strcmp(dot, ends[i]) == 0) return 1;
    return 0;
}

static sac_status read_video(control_reel *reel, const char *path)
{
    uint8_t *rgb;
    SAC_TRY(sac_footage_read(&rgb, &reel->count, REEL_FRAMES, path, REEL_SIDE, REEL_SIDE));
    size_t pixels = (size_t)reel->count * REEL_SIDE * REEL_SIDE;
    reel->frames = SAC_NEW_ARRAY(uint32_t, pixels);
    for (size_t i = 0; reel->frames && i < pixels; i++)
        reel->frames[i] = (uint32_t)rgb[3 * i] | (uint32_t)rgb[3 * i + 1] << 8 | (uint32_t)rgb[3 * i + 2] << 16;
    sac_free(rgb);
    return reel->frames ? SAC_OK : sac_fail_memory("a video");
}

static sac_status read_entry(control_reels *r, const char *name)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, r->pictures, name));
    if (!sac_is_folder(path) && !is_video_name(path)) return SAC_OK;
    SAC_TRY(read_video(&r->reels[r->count], path));
    r->count++;
    return SAC_OK;
}

static bool is_davis(const char *folder)
{
    char path[SAC_PATH_SIZE];
    for (int i = 0; sac_davis_names[i]; i++)
        if (sac_join_path(path, folder, sac_davis_names[i]) != SAC_OK || !sac_is_folder(path)) return false;
    return true;
}

// A folder that is the DAVIS data set gives its videos in the order of the original suite; any other, by their names.
static sac_status read_folder(control_reels *r)
{
    struct dirent **entries = NULL;
    sac_status status = SAC_OK;
    if (is_davis(r->pictures))
    {
        while (status == SAC_OK && r->count < r->wanted && sac_davis_names[r->count])
            status = read_entry(r, sac_davis_names[r->count]);
        return status;
    }
    int found = scandir(r->pictures, &entries, NULL, alphasort);
    if (found < 0) return sac_fail(SAC_ERROR_FILE, "%.200s: the folder cannot be read", r->pictures);
    for (int i = 0; i < found; i++)
    {
        if (status == SAC_OK && r->count < r->wanted && entries[i]->d_name[0] != '.')
            status = read_entry(r, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return status;
}

// Sets of moving textures, one after the other.
typedef struct set_range
{
    int first, count; // none: the name is that of files
} set_range;

static bool parse_set(int *set, const char *digits, size_t length)
{
    char text[16];
    double number;
    if (length == 0 || length >= sizeof text) return false;
    memcpy(text, digits, length);
    text[length] = 0;
    if (!sac_parse_real(text, &number) || number < 0 || number > INT_MAX || number != floor(number)) return false;
    *set = (int)number;
    return true;
}

// "procedural" is the set 0, "procedural:N" the set N, "procedural:N-M" all from N to M.
static sac_status find_sets(const char *pictures, set_range *sets)
{
    static const char name[] = "procedural";
    const size_t size = sizeof name - 1;
    *sets = (set_range){0, 0};
    if (strncmp(pictures, name, size) != 0 || (pictures[size] && pictures[size] != ':')) return SAC_OK;
    sets->count = 1;
    if (!pictures[size]) return SAC_OK;
    const char *from = pictures + size + 1, *dash = strchr(from, '-');
    int last;
    bool good = parse_set(&sets->first, from, dash ? (size_t)(dash - from) : strlen(from));
    if (good && dash)
    {
        good = parse_set(&last, dash + 1, strlen(dash + 1)) && last >= sets->first && last - sets->first < REEL_SETS;
        if (good) sets->count = last - sets->first + 1;
    }
    if (good) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "background '%.100s': expected procedural, procedural:N or, for up to %d sets, procedural:N-M, "
                    "with N and M from 0 to %d",
                    pictures, REEL_SETS, INT_MAX);
}

static sac_status draw_sets(control_reels *r, set_range sets)
{
    for (int s = 0; s < sets.count; s++)
        for (int i = 0; i < r->wanted; i++) SAC_TRY(sac_reel_draw(&r->reels[r->count++], sets.first + s, i));
    return SAC_OK;
}

static sac_status read_all(control_reels *r)
{
    set_range sets;
    SAC_TRY(find_sets(r->pictures, &sets));
    r->room = r->wanted * (sets.count > 0 ? sets.count : 1);
    r->reels = SAC_NEW_ARRAY(control_reel, (size_t)r->room);
    if (!r->reels) return sac_fail_memory("videos");
    if (sets.count > 0) return draw_sets(r, sets);
    if (sac_is_folder(r->pictures)) SAC_TRY(read_folder(r));
    if (r->count > 0) return SAC_OK;
    r->count = 1; // neither folders nor videos in it: it is one video itself
    return read_video(&r->reels[0], r->pictures);
}

// ---- sharing

static void destroy(control_reels *r)
{
    for (int i = 0; r->reels && i < r->room; i++)
    {
        sac_free(r->reels[i].frames);
        sac_free(r->reels[i].layers);
    }
    sac_free(r->reels);
    sac_free(r->pictures);
    sac_free(r);
}

static sac_status add(control_reels **out, const char *pictures, int wanted)
{
    control_reels *r = SAC_NEW(control_reels);
    if (!r) return sac_fail_memory("videos");
    r->wanted = wanted;
    r->pictures = sac_copy_text(pictures);
    sac_status status = r->pictures ? read_all(r) : sac_fail_memory("videos");
    if (status != SAC_OK)
    {
        destroy(r);
        return status;
    }
    r->next = first;
    first = r;
    *out = r;
    return SAC_OK;
}

sac_status sac_reels_acquire(control_reels **out, const char *pictures, int wanted)
{
    sac_status status = SAC_OK;
    pthread_mutex_lock(&lock);
    control_reels *r = first;
    while (r && (r->wanted != wanted || strcmp(r->pictures, pictures) != 0)) r = r->next;
    if (!r) status = add(&r, pictures, wanted);
    if (r) r->users++;
    pthread_mutex_unlock(&lock);
    *out = r;
    return status;
}

void sac_reels_release(control_reels *r)
{
    if (!r) return;
    pthread_mutex_lock(&lock);
    if (--r->users == 0)
    {
        control_reels **link = &first;
        while (*link != r) link = &(*link)->next;
        *link = r->next;
        destroy(r);
    }
    pthread_mutex_unlock(&lock);
}
