/* SPDX-License-Identifier: BSD-2-Clause */
/* main() of a fuzz target without libFuzzer: runs every file, and every file of every directory,
 * that its arguments name; prints how many. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_MAX (1u << 20)

static unsigned long ran;

static int run_file(const char *path)
{
    FILE *const f = fopen(path, "rb");
    uint8_t *const big = malloc(INPUT_MAX);
    if (f == NULL || big == NULL) {
        perror(path);
        free(big);
        return 1;
    }
    const size_t len = fread(big, 1, INPUT_MAX, f);
    (void)fclose(f);
    /* Exactly as long as the input, so that a sanitizer sees the first byte read too far. */
    uint8_t *const data = malloc(len > 0 ? len : 1);
    if (data != NULL) {
        memcpy(data, big, len);
        (void)LLVMFuzzerTestOneInput(data, len);
        ran++;
    }
    free(data);
    free(big);
    return data == NULL;
}

static int run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return run_file(path);
    struct dirent **names = NULL;
    const int n = scandir(path, &names, NULL, alphasort);
    if (n < 0) {
        perror(path);
        return 1;
    }
    int bad = 0;
    for (int i = 0; i < n; i++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            bad |= run_path(name);
        free(names[i]);
    }
    free(names);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= run_path(argv[i]);
    printf("%lu inputs\n", ran);
    return bad || ran == 0;
}
