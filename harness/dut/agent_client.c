/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and answers: one question at a time, each answer by its number. */
#include "harness/dut/agent.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX  (1u << 20) /* that an agent may tell before anybody takes them */
#define UNREAD_MAX  32u        /* requests whose answer nobody has waited for yet */
#define LOG_COLUMNS 400

struct mrct_agent {
    struct mrct_agent_io *io;
    FILE *log;
    int64_t next_id, next_answer; /* answers next_answer .. next_id - 1 are due */
    char ops[UNREAD_MAX][16];     /* the operation of each request that is not answered, by id */
    bool broken, ended;
    bool any_id; /* the answer due belongs to no request */
    char why[400];
    char unsupported[16];
    bool refused; /* an answer said no for another reason than a full queue or a QP's state */
    uint64_t deadline_ns;
    bool idle;                   /* the latest answer says so */
    struct mrc_ep_event *events; /* [first, first + count) of a ring of room */
    size_t first, count, room;
};

struct mrct_agent *mrct_agent_new(struct mrct_agent_io *io)
{
    struct mrct_agent *const a = calloc(1, sizeof *a);
    if (a == NULL) {
        io->ops->free(io);
        return NULL;
    }
    a->io = io;
    a->next_id = a->next_answer = 1;
    a->deadline_ns = MRC_TIME_NEVER;
    return a;
}

void mrct_agent_log(struct mrct_agent *a, FILE *log)
{
    a->log = log;
}

const char *mrct_agent_why(const struct mrct_agent *a)
{
    return a->why;
}

bool mrct_agent_broken(const struct mrct_agent *a)
{
    return a->broken;
}

bool mrct_agent_refused(const struct mrct_agent *a)
{
    return a->refused;
}

const char *mrct_agent_unsupported(const struct mrct_agent *a)
{
    return a->unsupported[0] != '\0' ? a->unsupported : NULL;
}

/* ---- failing ---- */

static int broke(struct mrct_agent *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int broke(struct mrct_agent *a, const char *fmt, ...)
{
    if (!a->broken) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(a->why, sizeof a->why, fmt, ap);
        va_end(ap);
        a->broken = true;
    }
    return MRCT_AGENT_GONE;
}

static char *op_of(struct mrct_agent *a, int64_t id)
{
    return a->ops[(uint64_t)id % UNREAD_MAX];
}

void mrct_agent_break(struct mrct_agent *a, const char *op, const char *words)
{
    (void)broke(a, "its answer to '%s' is garbage: %s", op, words);
}

/* ---- the log ---- */

static bool moves_frames(const char *op)
{
    return strcmp(op, "input") == 0 || strcmp(op, "output") == 0 || strcmp(op, "tick") == 0;
}

static void note(struct mrct_agent *a, char way, const char *op, const char *line, size_t len)
{
    if (a->log == NULL || (moves_frames(op) && !a->broken))
        return;
    const bool cut = len > LOG_COLUMNS;
    (void)fprintf(a->log, "%c ", way);
    for (size_t i = 0; i < len && i < LOG_COLUMNS; i++)
        (void)fputc((unsigned char)line[i] < 0x20 || line[i] == 0x7F ? '?' : line[i], a->log);
    (void)fprintf(a->log, cut ? " ... (%zu bytes)\n" : "\n", len);
}

/* ---- events ---- */

static int grow(struct mrct_agent *a)
{
    const size_t room = a->room == 0 ? 64 : 2 * a->room;
    struct mrc_ep_event *const more = malloc(room * sizeof *more);
    if (more == NULL || room > EVENTS_MAX) {
        free(more);
        return broke(a, "it told more events than can be kept");
    }
    for (size_t i = 0, at = a->first; i < a->count; i++, at = at + 1 < a->room ? at + 1 : 0)
        more[i] = a->events[at];
    free(a->events);
    a->events = more;
    a->first = 0;
    a->room = room;
    return 0;
}

static int take_events(struct mrct_agent *a, const char *op, const json_t *list)
{
    char err[200];
    const size_t n = json_array_size(list);
    if (list != NULL && !json_is_array(list))
        return broke(a, "its answer to '%s' is garbage: 'events' is no list", op);
    for (size_t i = 0; i < n; i++) {
        struct mrc_ep_event ev = {.psn = UINT32_MAX};
        const json_t *const o = json_array_get(list, i);
        if (mrct_msg_get(o, mrct_msg_event, &ev, err, sizeof err) != 0 ||
            json_object_get(o, "kind") == NULL)
            return broke(a, "its answer to '%s' is garbage: event %zu: %s", op, i,
                         json_object_get(o, "kind") == NULL ? "'kind' is missing" : err);
        if (a->count == a->room && grow(a) != 0)
            return MRCT_AGENT_GONE;
        a->events[(a->first + a->count++) % a->room] = ev;
    }
    return 0;
}

/* ---- answers ---- */

static int take_deadline(struct mrct_agent *a, const char *op, const json_t *v)
{
    static const struct mrct_msg_field field[] = {{"deadline", MRCT_MSG_TIME, 0, NULL}, {0}};
    if (v == NULL)
        return 0;
    json_t *const o = json_pack("{s:O}", "deadline", v);
    char err[200];
    const int rc = mrct_msg_get(o, field, &a->deadline_ns, err, sizeof err);
    json_decref(o);
    return rc == 0 ? 0 : broke(a, "its answer to '%s' is garbage: %s", op, err);
}

/* What a device in virtual time has no choice about. */
static bool must_do(const char *op)
{
    return moves_frames(op) || strcmp(op, "store") == 0 || strcmp(op, "free") == 0;
}

/* An answer that says no. */
static int refusal(struct mrct_agent *a, const char *op, const json_t *answer)
{
    const char *const word = json_string_value(json_object_get(answer, "error"));
    const char *const why = json_string_value(json_object_get(answer, "why"));
    if (word == NULL)
        return broke(a, "its answer to '%s' is garbage: neither 'ok' nor 'error'", op);
    const int error = mrct_msg_error(word);
    (void)snprintf(a->why, sizeof a->why, "it answered '%s' to '%s'%s%.200s", word, op,
                   why != NULL ? ": " : "", why != NULL ? why : "");
    if (must_do(op))
        return broke(a, "it answered '%s' to '%s'", word, op);
    if (error != MRCT_AGENT_UNSUPPORTED && error != MRC_EP_EFULL && error != MRC_EP_ESTATE)
        a->refused = true;
    if (error == MRCT_AGENT_UNSUPPORTED && a->unsupported[0] == '\0')
        (void)snprintf(a->unsupported, sizeof a->unsupported, "%s", op);
    return error;
}

/* Judges one line; *answer is kept when it is wanted. */
static int take_answer(struct mrct_agent *a, const char *line, size_t len, json_t **answer)
{
    json_error_t e;
    const int64_t id = a->next_answer++;
    const char *const op = op_of(a, id);
    json_t *const o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &e);
    int rc;
    if (!json_is_object(o)) {
        rc = broke(a, "its answer to '%s' is garbage: %s", op,
                   o == NULL ? "no JSON" : "no JSON object");
    } else if (!a->any_id && (!json_is_integer(json_object_get(o, "id")) ||
                              json_integer_value(json_object_get(o, "id")) != id)) {
        rc = broke(a, "its answer to '%s' does not carry the id of the request, %" PRId64, op, id);
    } else if (json_is_true(json_object_get(o, "ok"))) {
        rc = take_events(a, op, json_object_get(o, "events"));
        rc = rc == 0 ? take_deadline(a, op, json_object_get(o, "deadline")) : rc;
        a->idle = json_is_true(json_object_get(o, "idle"));
    } else {
        rc = refusal(a, op, o);
    }
    note(a, '<', op, line, len);
    if (answer != NULL && rc == 0)
        *answer = json_incref(o);
    json_decref(o);
    return rc;
}

/* Reads all that is due; the last answer may be wanted. */
static int settle(struct mrct_agent *a, json_t **answer)
{
    int rc = 0;
    while (!a->broken && a->next_answer < a->next_id) {
        const char *line = NULL;
        size_t len = 0;
        const bool last = a->next_answer == a->next_id - 1;
        if (a->io->ops->recv(a->io, &line, &len) != 0)
            return broke(a, "during '%s': %s", op_of(a, a->next_answer), a->io->err);
        rc = take_answer(a, line, len, last ? answer : NULL);
    }
    return a->broken ? MRCT_AGENT_GONE : rc;
}

uint64_t mrct_agent_deadline(struct mrct_agent *a)
{
    (void)settle(a, NULL);
    return a->broken ? MRC_TIME_NEVER : a->deadline_ns;
}

bool mrct_agent_idle(struct mrct_agent *a)
{
    (void)settle(a, NULL);
    return a->idle;
}

bool mrct_agent_event(struct mrct_agent *a, struct mrc_ep_event *ev)
{
    (void)settle(a, NULL);
    if (a->count == 0)
        return false;
    *ev = a->events[a->first];
    a->first = (a->first + 1) % a->room;
    a->count--;
    return true;
}

/* ---- requests ---- */

/* A new case: what was of the one before it is forgotten. */
static void forget(struct mrct_agent *a)
{
    (void)settle(a, NULL);
    a->unsupported[0] = '\0';
    a->refused = false;
    a->deadline_ns = MRC_TIME_NEVER;
    a->count = 0;
}

static int post(struct mrct_agent *a, json_t *request)
{
    const char *const op = json_string_value(json_object_get(request, "op"));
    const int64_t id = a->next_id;
    char *text = NULL;
    if (op != NULL && json_object_set_new(request, "id", json_integer(id)) == 0)
        text = json_dumps(request, JSON_COMPACT);
    if (text == NULL) {
        json_decref(request);
        return broke(a, "there is no memory for a request");
    }
    (void)snprintf(op_of(a, id), sizeof a->ops[0], "%s", op);
    json_decref(request);
    const size_t len = strlen(text);
    note(a, '>', op_of(a, id), text, len);
    text[len] = '\n'; /* in the place of the end of the string */
    const int rc = a->io->ops->send(a->io, text, len + 1);
    free(text);
    a->next_id++;
    return rc == 0 ? 0 : broke(a, "during '%s': %s", op_of(a, id), a->io->err);
}

int mrct_agent_ask(struct mrct_agent *a, json_t *request, json_t **answer)
{
    if (answer != NULL)
        *answer = NULL;
    if (a->broken) {
        json_decref(request);
        return MRCT_AGENT_GONE;
    }
    const char *const op = json_string_value(json_object_get(request, "op"));
    if (op != NULL && strcmp(op, "case") == 0)
        forget(a);
    const int rc = post(a, request);
    return rc == 0 ? settle(a, answer) : rc;
}

void mrct_agent_tell(struct mrct_agent *a, json_t *request)
{
    if (a->next_id - a->next_answer >= (int64_t)UNREAD_MAX - 1)
        (void)settle(a, NULL);
    if (a->broken)
        json_decref(request);
    else
        (void)post(a, request);
}

int mrct_agent_raw(struct mrct_agent *a, const char *line)
{
    (void)settle(a, NULL);
    if (a->broken)
        return MRCT_AGENT_GONE;
    (void)snprintf(op_of(a, a->next_id), sizeof a->ops[0], "garbage");
    a->next_id++;
    if (a->io->ops->send(a->io, line, strlen(line)) != 0)
        return broke(a, "during 'garbage': %s", a->io->err);
    a->any_id = true;
    const int rc = settle(a, NULL);
    a->any_id = false;
    return rc;
}

int mrct_agent_ends(struct mrct_agent *a)
{
    const char *line = NULL;
    size_t len = 0;
    const int rc = mrct_agent_ask(a, json_pack("{s:s}", "op", "bye"), NULL);
    if (rc != 0)
        return a->broken ? rc : broke(a, "%s", a->why);
    if (a->io->ops->recv(a->io, &line, &len) == 0)
        return broke(a, "it went on talking after 'bye'");
    if (strncmp(a->io->err, "no answer", 9) == 0)
        return broke(a, "it did not end after 'bye'");
    a->ended = true;
    return 0;
}

void mrct_agent_free(struct mrct_agent *a)
{
    if (a == NULL)
        return;
    if (!a->ended)
        (void)mrct_agent_ask(a, json_pack("{s:s}", "op", "bye"), NULL);
    a->io->ops->free(a->io);
    free(a->events);
    free(a);
}

/* ---- hello ---- */

static void copy_text(const json_t *o, const char *key, char *buf, size_t cap)
{
    const char *const text = json_string_value(json_object_get(o, key));
    size_t n = 0;
    for (const char *p = text != NULL ? text : ""; *p != '\0' && n + 1 < cap; p++)
        buf[n++] = (char)(*p < 0x20 || *p == 0x7F ? '?' : *p);
    buf[n] = '\0';
}

static bool lists(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *const text = json_string_value(json_array_get(list, i));
        if (text != NULL && strcmp(text, word) == 0)
            return true;
    }
    return false;
}

static int take_hello(struct mrct_agent *a, const json_t *o, struct mrct_agent_hello *h)
{
    const json_t *const version = json_object_get(o, "version");
    const json_t *const caps = json_object_get(o, "capabilities");
    const json_int_t ports = json_integer_value(json_object_get(o, "ports"));
    *h = (struct mrct_agent_hello){.version = (int)json_integer_value(version), .ports = 1};
    if (json_integer_value(version) != MRCT_AGENT_VERSION) {
        (void)broke(
            a, "it speaks version %" JSON_INTEGER_FORMAT " of the protocol where %d was offered",
            json_integer_value(version), MRCT_AGENT_VERSION);
        return MRCT_AGENT_VERSION_BAD;
    }
    copy_text(o, "name", h->name, sizeof h->name);
    copy_text(o, "device_version", h->device_version, sizeof h->device_version);
    copy_text(o, "firmware", h->firmware, sizeof h->firmware);
    h->virtual_time = lists(json_object_get(o, "modes"), "virtual");
    h->live = lists(json_object_get(o, "modes"), "live");
    if (ports >= 1 && ports <= (json_int_t)MRC_EP_PORTS_MAX)
        h->ports = (unsigned)ports;
    if (h->name[0] == '\0')
        return broke(a, "its hello is garbage: 'name' is missing");
    if (!h->virtual_time && !h->live)
        return broke(a, "its hello is garbage: 'modes' names neither 'virtual' nor 'live'");
    for (size_t i = 0; i < json_array_size(caps) && i < MRCT_AGENT_CAPS_MAX; i++)
        if (json_is_string(json_array_get(caps, i)))
            (void)snprintf(h->capabilities[h->capability_count++], sizeof h->capabilities[0], "%s",
                           json_string_value(json_array_get(caps, i)));
    return 0;
}

int mrct_agent_hello(struct mrct_agent *a, struct mrct_agent_hello *hello)
{
    json_t *answer = NULL;
    *hello = (struct mrct_agent_hello){0};
    const int rc = mrct_agent_ask(a,
                                  json_pack("{s:s,s:i,s:s}", "op", "hello", "version",
                                            MRCT_AGENT_VERSION, "harness", "mrct " MRCT_VERSION),
                                  &answer);
    const int taken = rc == 0 ? take_hello(a, answer, hello) : rc;
    json_decref(answer);
    return taken;
}

bool mrct_agent_claims(const struct mrct_agent_hello *h, const char *capability)
{
    for (unsigned i = 0; i < h->capability_count; i++)
        if (strcmp(h->capabilities[i], capability) == 0)
            return true;
    return false;
}
