/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/trace/outfile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int sorry(const char *path, const char *what, char *err, size_t cap)
{
    snprintf(err, cap, "%s: %s: %s", path, what, strerror(errno));
    return -1;
}

static void forget(struct mrct_outfile *o)
{
    free(o->path);
    free(o->temp);
    memset(o, 0, sizeof(*o));
}

static bool written_directly(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* mkstemp() makes files that only their owner reads; a report is made like any other file. */
static FILE *open_temp(char *name)
{
    const int fd = mkstemp(name);
    if (fd < 0)
        return NULL;
    const mode_t mask = umask(0);
    umask(mask);
    FILE *const file = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL) {
        close(fd);
        unlink(name);
    }
    return file;
}

int mrct_outfile_open(struct mrct_outfile *o, const char *path, char *err, size_t err_cap)
{
    memset(o, 0, sizeof(*o));
    o->path = strdup(path);
    if (o->path == NULL)
        return sorry(path, "cannot write", err, err_cap);
    if (strcmp(path, "-") == 0) {
        o->file = stdout;
        return 0;
    }
    if (written_directly(path)) {
        o->file = fopen(path, "wb");
    } else if (asprintf(&o->temp, "%s.tmp---", path) < 0) {
        o->temp = NULL;
        errno = ENOMEM;
    } else {
        memset(o->temp + strlen(path) + 1, 'X', 6); /* what mkstemp() replaces */
        o->file = open_temp(o->temp);
    }
    if (o->file == NULL) {
        sorry(path, "cannot write", err, err_cap);
        forget(o);
        return -1;
    }
    return 0;
}

static int close_file(FILE *file)
{
    const bool bad = ferror(file) != 0;
    if (file == stdout)
        return fflush(file) == 0 && !bad ? 0 : -1;
    return fclose(file) == 0 && !bad ? 0 : -1;
}

int mrct_outfile_commit(struct mrct_outfile *o, char *err, size_t err_cap)
{
    int status = 0;
    errno = 0;
    if (close_file(o->file) != 0)
        status = sorry(o->path, "cannot write", err, err_cap);
    else if (o->temp != NULL && rename(o->temp, o->path) != 0)
        status = sorry(o->path, "cannot rename the finished file", err, err_cap);
    if (status != 0 && o->temp != NULL)
        unlink(o->temp);
    forget(o);
    return status;
}

void mrct_outfile_abort(struct mrct_outfile *o)
{
    if (o->file != NULL && o->file != stdout)
        fclose(o->file);
    if (o->temp != NULL)
        unlink(o->temp);
    forget(o);
}
