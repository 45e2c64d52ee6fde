/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mrct interop, its parts. A cell is an ordered pair of devices and its cases; it runs in a process
 * of its own and is one JSON object in the end, which the matrix,
 * the pages and a resumed run are made of.
 */
#ifndef MRCT_CLI_INTEROP_H
#define MRCT_CLI_INTEROP_H

#include "harness/cases/plan.h"
#include "harness/cases/run.h"
#include "harness/cli/cli.h"
#include "harness/cli/devices.h"

#include <jansson.h>

#define MRCT_INTEROP_DEVICES_MAX 64u
#define MRCT_INTEROP_GLOBS_MAX   64u

enum mrct_interop_keep { MRCT_KEEP_NOTABLE, MRCT_KEEP_ALL, MRCT_KEEP_NONE };

struct mrct_interop {
    struct mrct_run_config cfg;
    struct mrct_device *devices;
    size_t device_count;
    char (*unfit)[500]; /* one a device: why it cannot be judged, or "" */
    struct mrct_selection selection;
    const char *globs[MRCT_INTEROP_GLOBS_MAX];
    const char *cases_dir, *out;
    bool resume, json, live;
    enum mrct_interop_keep keep;
    unsigned jobs;
    struct mrct_plan plan;
    size_t taken;
    char dir[4096], readings[200];
    /* What a kept cell must have been made of: the suite, its data, the cases, the options. */
    uint64_t fingerprint;
};

/* ---- interop_cell.c ---- */
/*
 * Runs the cell of two devices, its files into dir (NULL: none). The result is owned by the caller;
 * NULL: no memory.
 */
json_t *mrct_interop_cell(struct mrct_interop *t, size_t a, size_t b, const char *dir);
/* A cell that did not come to be run, with the verdict and the reason. */
json_t *mrct_interop_no_cell(const struct mrct_interop *t, size_t a, size_t b,
                             enum mrct_verdict verdict, const char *why);
/* True for a case that both sides can be devices in. */
bool mrct_interop_fits(const struct mrct_case *c);

/* ---- interop_work.c ---- */
/*
 * All cells, t->jobs at a time; cells[a * device_count + b] is set for each. Nothing that was begun
 * is left when this process dies, whenever that is. 0, or -1 with a sentence.
 */
int mrct_interop_work(struct mrct_interop *t, json_t **cells, char *err, size_t err_cap);

/* ---- interop_files.c ---- */
/* The folder of a cell below t->out, its name without and with ".part". */
int mrct_interop_folder(const struct mrct_interop *t, size_t a, size_t b, const char *suffix,
                        char *buf, size_t cap);
/* Removes a folder and all in it; one that is not there is fine. */
void mrct_interop_remove(const char *folder);
/* cell.json and index.html into dir. 0, or -1 with a sentence. */
int mrct_interop_write_cell(const json_t *cell, const char *dir, char *err, size_t err_cap);
/* The cell that an earlier run left, or NULL: not there, not whole, or made of something else. */
json_t *mrct_interop_read_cell(const struct mrct_interop *t, size_t a, size_t b);
uint64_t mrct_interop_fingerprint(const struct mrct_interop *t);

#endif
