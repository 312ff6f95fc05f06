#include <dirent.h>

#include "fuzz.h"

// replays a folder of inputs where there is no libFuzzer

static void replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    fuzz_require(file);
    fuzz_require(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    fuzz_require(size >= 0);
    rewind(file);
    // exactly as large as the input, so that a sanitizer sees any read beyond it
    uint8_t *data = malloc((size_t)size);
    fuzz_require(data || size == 0);
    fuzz_require(fread(data, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder)
    {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
    {
        if (entry->d_name[0] == '.') continue;
        char path[4096];
        snprintf(path, sizeof path, "%.3000s/%.1000s", argv[1], entry->d_name);
        replay(path);
        count++;
    }
    closedir(folder);
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
