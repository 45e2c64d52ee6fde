/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/fitness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The check's own user, and what it opens sessions with. */
struct checking {
    const struct mrct_manifest *m;
    int err_fd;
    void (*tell)(void *user, const char *item, const char *what, enum mrct_check_end end,
                 const char *why);
    void *user;
};

static struct mrct_agent_io *open_session(void *user, char *err, size_t err_cap)
{
    const struct checking *const c = user;
    return c->m->address != NULL
               ? mrct_agent_connect(c->m->address, c->m->patience_ns, err, err_cap)
               : mrct_agent_spawn(c->m->command, c->m->folder, c->err_fd, c->m->patience_ns, err,
                                  err_cap);
}

static void pass_on(void *user, const char *item, const char *what, enum mrct_check_end end,
                    const char *why)
{
    const struct checking *const c = user;
    c->tell(c->user, item, what, end, why);
}

int mrct_fitness_check(const struct mrct_device *d, const struct mrct_plan *plan, uint64_t seed,
                       const char *only,
                       void (*tell)(void *user, const char *item, const char *what,
                                    enum mrct_check_end end, const char *why),
                       void *user, char *err, size_t err_cap)
{
    struct checking c = {.m = &d->manifest, .tell = tell, .user = user};
    const char **const ids = calloc(plan->count + 1, sizeof *ids);
    if (ids == NULL) {
        (void)snprintf(err, err_cap, "out of memory");
        return -1;
    }
    for (size_t i = 0; i < plan->count; i++)
        ids[i] = plan->cases[i].id;
    c.err_fd = open("/dev/null", O_WRONLY | O_CLOEXEC); /* garbage makes agents complain */
    const struct mrct_agent_check check = {.open = open_session,
                                           .tell = pass_on,
                                           .user = &c,
                                           .case_ids = ids,
                                           .capabilities = mrct_capabilities,
                                           .only = only,
                                           .seed = seed};
    const int bad = mrct_agent_check(&check, err, err_cap);
    if (c.err_fd >= 0)
        (void)close(c.err_fd);
    free(ids);
    return bad;
}

/* The first bad item, in words. */
struct first {
    char words[700];
};

static void keep_first(void *user, const char *item, const char *what, enum mrct_check_end end,
                       const char *why)
{
    struct first *const f = user;
    (void)what;
    if (end == MRCT_CHECK_BAD && f->words[0] == '\0')
        (void)snprintf(f->words, sizeof f->words, "%s: %s", item, why);
}

int mrct_fitness(const struct mrct_device *d, const struct mrct_plan *plan, uint64_t seed,
                 char *err, size_t err_cap)
{
    struct first f = {""};
    char why[600] = "";
    if (!d->has_manifest)
        return 0;
    const int bad = mrct_fitness_check(d, plan, seed, NULL, keep_first, &f, why, sizeof why);
    if (bad < 0)
        (void)snprintf(err, err_cap, "the agent of %s: %s", d->name, why);
    else if (f.words[0] != '\0')
        (void)snprintf(err, err_cap,
                       "the agent of %s is not fit to speak for its device (see mrct agent-check): "
                       "%.400s",
                       d->name, f.words);
    return bad < 0 || f.words[0] != '\0' ? -1 : 0;
}
