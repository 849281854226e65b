/* replay.c: runs a fuzz target over the files of its corpus, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int main(int argc, char **argv)
{
    int count = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        fprintf(stderr, "usage: replay_NAME FOLDER (with at least one file)\n");
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length;
        char *path = file_join(argv[1], entry->d_name);
        char *bytes = path != NULL && entry->d_name[0] != '.' ? file_read(path, 16 << 20, &length, NULL) : NULL;
        if (bytes != NULL) {
            LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
            count++;
        }
        mem_free(bytes);
        mem_free(path);
    }
    closedir(folder);
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
