/* replay.c - a main() for the fuzz entries, so that any compiler can run what fuzzing once found: gives each file of
 * the corpus, or those named, to LLVMFuzzerTestOneInput. Coming back from it, under the sanitizers or not, is
 * the test. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

static int replayed;

static void replay_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    unsigned char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!data || fseek(in, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, in) != (size_t)size) {
        printf("not ok %d - %s cannot be read\n", ++replayed, path);
        exit(1);
    }
    fclose(in);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    printf("ok %d - %s\n", ++replayed, path);
    fflush(stdout);
}

static int is_input(const struct dirent *e) { return e->d_name[0] != '.'; }

static void replay_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_input, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        replay_file(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (count <= 0)
        printf("not ok %d - %s: no corpus there\n", ++replayed, folder);
}

/* Without arguments: the corpus of fuzz_NAME is test/fuzz/corpus/NAME. */
int main(int argc, char **argv)
{
    const char *name = strstr(argv[0], "/fuzz_");
    char folder[256];
    for (int i = 1; i < argc; i++)
        replay_file(argv[i]);
    if (argc == 1) {
        while (name && strstr(name + 1, "/fuzz_"))
            name = strstr(name + 1, "/fuzz_");
        snprintf(folder, sizeof folder, "test/fuzz/corpus/%s", name ? name + 6 : "none");
        replay_folder(folder);
    }
    printf("1..%d\n", replayed);
    return 0;
}
