/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/sim_write.h"

#include "harness/cli/cli.h"
#include "harness/report/json.h"
#include "harness/sim/page.h"
#include "harness/trace/outfile.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct source {
    const struct mrct_sim *sim;
    const json_t *results;
};

static void put_json(const struct source *s, FILE *out)
{
    (void)mrct_json_write((json_t *)s->results, out);
}

static void put_html(const struct source *s, FILE *out)
{
    mrct_sim_html(s->results, out);
}

static void put_samples(const struct source *s, FILE *out)
{
    mrct_sim_csv_samples(s->results, out);
}

static void put_queues(const struct source *s, FILE *out)
{
    mrct_sim_csv_queues(s->results, out);
}

static void put_links(const struct source *s, FILE *out)
{
    mrct_sim_csv_links(s->sim, out);
}

static void put_flows(const struct source *s, FILE *out)
{
    mrct_sim_csv_flows(s->sim, out);
}

static void put_evs(const struct source *s, FILE *out)
{
    mrct_sim_csv_evs(s->sim, out);
}

static const struct {
    const char *name;
    void (*put)(const struct source *s, FILE *out);
} files[] = {
    {"report.html", put_html}, {"results.json", put_json}, {"samples.csv", put_samples},
    {"links.csv", put_links},  {"queues.csv", put_queues}, {"flows.csv", put_flows},
    {"evs.csv", put_evs},
};

static int write_file(const struct source *s, const char *path,
                      void (*put)(const struct source *, FILE *))
{
    char err[300];
    struct mrct_outfile o;
    if (mrct_outfile_open(&o, path, err, sizeof err) != 0)
        return mrct_cli_fail("sim", "%s", err);
    put(s, o.file);
    if (mrct_outfile_commit(&o, err, sizeof err) != 0)
        return mrct_cli_fail("sim", "%s", err);
    return MRCT_EXIT_PASS;
}

int mrct_sim_write_json(const json_t *results, const char *path)
{
    const struct source s = {NULL, results};
    return write_file(&s, path, put_json);
}

int mrct_sim_write_all(const struct mrct_sim *sim, const json_t *results, const char *dir)
{
    const struct source s = {sim, results};
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return mrct_cli_fail("sim", "%s: it cannot be made: %s", dir, strerror(errno));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", dir, files[i].name);
        const int rc = write_file(&s, path, files[i].put);
        if (rc != MRCT_EXIT_PASS)
            return rc;
    }
    return MRCT_EXIT_PASS;
}
