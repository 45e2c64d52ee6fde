/* SPDX-License-Identifier: BSD-2-Clause */
/* All reports of a run into one folder. */
#include "harness/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int write_junit(const struct mrct_result_run *run, FILE *out)
{
    mrct_report_junit(run, out);
    return 0;
}

static int write_tap(const struct mrct_result_run *run, FILE *out)
{
    mrct_report_tap(run, out);
    return 0;
}

static int write_html(const struct mrct_result_run *run, FILE *out)
{
    mrct_report_html(run, out);
    return 0;
}

static const struct {
    const char *name;
    int (*write)(const struct mrct_result_run *run, FILE *out);
} reports[] = {
    {"junit.xml", write_junit},
    {"report.tap", write_tap},
    {"report.json", mrct_report_json},
    {"report.html", write_html},
};

static int write_one(const struct mrct_result_run *run, size_t i, const char *dir, char *err,
                     size_t err_cap)
{
    struct mrct_outfile out;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", dir, reports[i].name) < 0) {
        snprintf(err, err_cap, "%s: out of memory", dir);
        return -1;
    }
    int status = mrct_outfile_open(&out, path, err, err_cap);
    if (status == 0 && reports[i].write(run, out.file) != 0) {
        snprintf(err, err_cap, "%s: cannot write", path);
        mrct_outfile_abort(&out);
        status = -1;
    } else if (status == 0) {
        status = mrct_outfile_commit(&out, err, err_cap);
    }
    free(path);
    return status;
}

int mrct_report_write(const struct mrct_result_run *run, const char *dir, char *err, size_t err_cap)
{
    if (mrct_report_make_dir(dir, err, err_cap) != 0)
        return -1;
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
        if (write_one(run, i, dir, err, err_cap) != 0)
            return -1;
    return 0;
}

static int make_one(const char *dir)
{
    struct stat st;
    if (mkdir(dir, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else if (errno == EEXIST)
        return 0;
    return -1;
}

int mrct_report_make_dir(const char *dir, char *err, size_t err_cap)
{
    char *const path = strdup(dir);
    int status = path == NULL ? -1 : 0;
    if (dir[0] == '\0') {
        errno = ENOENT;
        status = -1;
    }
    for (char *slash = path; status == 0 && slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        if (path[0] != '\0')
            status = make_one(path);
        if (slash != NULL)
            *slash = '/';
    }
    if (status != 0)
        snprintf(err, err_cap, "%s: cannot make the folder: %s", dir, strerror(errno));
    free(path);
    return status;
}
