/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an agent may answer. The reference agent's answers, each changed as the input says (members
 * of other types, other bytes, cut, deep, huge, out of turn, an end), to hello, to the bench of
 * agent-check and to two cases; arbitrary bytes instead of an agent; and arbitrary requests to the
 * reference agent itself. Whatever comes, each ends with a verdict or a sentence.
 */
#include "harness/cases/run.h"
#include "harness/dut/agent_check.h"
#include "harness/dut/agent_server.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TEXT_MAX (MRCT_AGENT_LINE_MAX + 1024u)
#define DEEP     3000u
#define PATIENCE UINT64_C(2000000000)
#define KEPT_MAX 200000u /* bytes that a socket holds for whoever reads it later */
#define ANSWERS  20000u  /* of one session */

/* ---- the agent: the reference's, and the input that changes what it says ---- */

struct liar {
    struct mrct_agent_io io; /* first */
    struct mrct_agent_server *server;
    struct fuzz_in *in;
    char *line, *asked;
    unsigned answers;
};

static const char *const capabilities[] = {"write_imm", "planes", "ev_control", "port_control",
                                           NULL};

static struct mrct_dut *make_reference(void *user, const struct mrc_ep_config *cfg, uint64_t seed)
{
    (void)user;
    return mrct_dut_reference(cfg, seed);
}

static bool know_all(void *user, const char *case_id)
{
    (void)user;
    (void)case_id;
    return true;
}

static const struct mrct_agent_service service = {.name = "liar",
                                                  .version = "1",
                                                  .firmware = "1",
                                                  .capabilities = capabilities,
                                                  .make = make_reference,
                                                  .knows = know_all};

/* ---- changes ---- */

static json_t *strange(struct fuzz_in *in)
{
    static const json_int_t numbers[] = {
        -1, 0, 1, 63, 64, 255, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN, 100000000};
    static const char *const words[] = {"",       "ok",    "no JSON", "success",
                                        "placed", "state", "0",       "zz"};
    switch (fuzz_u8(in) % 8) {
    case 0:
        return json_null();
    case 1:
        return json_true();
    case 2:
        return json_integer(numbers[fuzz_u8(in) % (sizeof numbers / sizeof numbers[0])]);
    case 3:
        return json_integer((json_int_t)fuzz_u32(in));
    case 4:
        return json_real(-1e300);
    case 5:
        return json_string(words[fuzz_u8(in) % (sizeof words / sizeof words[0])]);
    case 6:
        return json_pack("[{s:i},n,[],s]", "port", 1, "x");
    default:
        return json_object();
    }
}

/* A text with one of its characters another. */
static json_t *other_text(const json_t *text, struct fuzz_in *in)
{
    static const char digits[] = "0123456789abcdefx";
    const size_t len = json_string_length(text);
    char *const s = strdup(json_string_value(text));
    FUZZ_ASSERT(s != NULL);
    const size_t at = len > 0 ? fuzz_u16(in) % len : 0;
    if (len > 0)
        s[at] = digits[fuzz_u8(in) % (sizeof digits - 1)];
    if (fuzz_u8(in) % 16 == 0)
        s[at] = '\0';
    json_t *const t = json_string(s);
    free(s);
    return t;
}

static json_t *changed(json_t *v, struct fuzz_in *in)
{
    if (json_is_string(v) && fuzz_u8(in) % 2 == 0)
        return other_text(v, in);
    if (json_is_integer(v) && fuzz_u8(in) % 2 == 0)
        return json_integer(json_integer_value(v) + (int8_t)fuzz_u8(in));
    if (json_is_array(v) && json_array_size(v) > 0 && fuzz_u8(in) % 2 == 0) {
        json_t *const more = json_deep_copy(v);
        for (unsigned n = fuzz_u8(in) % 8; n > 0; n--)
            (void)json_array_append(more, json_array_get(v, fuzz_u8(in) % json_array_size(v)));
        return more;
    }
    return strange(in);
}

/* Goes down to some member, and changes it there. */
static void change_inside(json_t *o, struct fuzz_in *in)
{
    const size_t n = json_is_object(o) ? json_object_size(o) : json_array_size(o);
    size_t which = n > 0 ? fuzz_u8(in) % n : 0;
    if (n == 0)
        return;
    if (json_is_array(o)) {
        json_t *const v = json_array_get(o, which);
        if ((json_is_object(v) || json_is_array(v)) && fuzz_u8(in) % 4 != 0)
            change_inside(v, in);
        else
            (void)json_array_set_new(o, which, changed(v, in));
        return;
    }
    void *at = json_object_iter(o);
    while (which-- > 0)
        at = json_object_iter_next(o, at);
    json_t *const v = json_object_iter_value(at);
    if ((json_is_object(v) || json_is_array(v)) && fuzz_u8(in) % 4 != 0)
        change_inside(v, in);
    else if (fuzz_u8(in) % 8 == 0)
        (void)json_object_del(o, json_object_iter_key(at));
    else
        (void)json_object_iter_set_new(o, at, changed(v, in));
}

static char *deep(const struct liar *l, char bracket)
{
    char *const s = malloc(DEEP + 64);
    FUZZ_ASSERT(s != NULL);
    (void)l;
    memset(s, bracket, DEEP);
    (void)snprintf(s + DEEP, 64, "1");
    return s;
}

static char *bytes_of(struct fuzz_in *in)
{
    const size_t n = fuzz_u8(in);
    char *const s = malloc(n + 1);
    FUZZ_ASSERT(s != NULL);
    fuzz_bytes(in, (uint8_t *)s, n);
    s[n] = '\0';
    return s;
}

static char *change(struct liar *l, char *answer)
{
    json_t *o;
    char *text = answer;
    const size_t len = strlen(answer);
    switch (fuzz_u8(l->in) % 16) {
    case 0:
        free(answer);
        return bytes_of(l->in);
    case 1:
        answer[fuzz_u16(l->in) % len] = '\0';
        return answer;
    case 2:
        answer[fuzz_u16(l->in) % len] = (char)fuzz_u8(l->in);
        return answer;
    case 3:
        free(answer);
        return deep(l, fuzz_u8(l->in) % 2 == 0 ? '[' : '{');
    default:
        o = json_loads(answer, 0, NULL);
        for (unsigned n = 1 + fuzz_u8(l->in) % 3; n > 0; n--)
            change_inside(o, l->in);
        free(answer);
        text = json_dumps(o, JSON_COMPACT);
        json_decref(o);
        FUZZ_ASSERT(text != NULL);
        return text;
    }
}

/* ---- as a way to an agent ---- */

static int liar_send(struct mrct_agent_io *io, const char *bytes, size_t len)
{
    struct liar *const l = (struct liar *)io;
    const size_t had = l->asked != NULL ? strlen(l->asked) : 0;
    l->asked = realloc(l->asked, had + len + 1);
    FUZZ_ASSERT(l->asked != NULL);
    memcpy(l->asked + had, bytes, len);
    l->asked[had + len] = '\0';
    return 0;
}

static int gone(struct liar *l, const char *why)
{
    (void)snprintf(l->io.err, sizeof l->io.err, "%s", why);
    return -1;
}

static int liar_recv(struct mrct_agent_io *io, const char **line, size_t *len)
{
    struct liar *const l = (struct liar *)io;
    char *const end = l->asked != NULL ? strchr(l->asked, '\n') : NULL;
    bool bye = false;
    if (end == NULL)
        return gone(l, "no answer came");
    if (++l->answers > ANSWERS)
        return gone(l, "it had enough");
    char *answer = mrct_agent_server_answer(l->server, l->asked, (size_t)(end - l->asked), &bye);
    FUZZ_ASSERT(answer != NULL);
    memmove(l->asked, end + 1, strlen(end + 1) + 1);
    answer[strlen(answer) - 1] = '\0';
    const uint8_t how = fuzz_u8(l->in);
    if (how == 0xFF)
        answer[0] = '\0';
    else if (how >= 0xC0)
        answer = change(l, answer);
    free(l->line);
    l->line = answer;
    *line = answer;
    *len = strlen(answer);
    return how == 0xFE ? gone(l, "it ended") : 0;
}

static void liar_free(struct mrct_agent_io *io)
{
    struct liar *const l = (struct liar *)io;
    mrct_agent_server_free(l->server);
    free(l->line);
    free(l->asked);
    free(l);
}

static const struct mrct_agent_io_ops liar_ops = {
    .send = liar_send, .recv = liar_recv, .free = liar_free};

static struct mrct_agent *meet(struct fuzz_in *in)
{
    struct liar *const l = calloc(1, sizeof *l);
    FUZZ_ASSERT(l != NULL);
    l->io.ops = &liar_ops;
    l->in = in;
    l->server = mrct_agent_server_new(&service);
    FUZZ_ASSERT(l->server != NULL);
    return mrct_agent_new(&l->io);
}

/* ---- what is asked of it ---- */

static struct mrct_dut *make_device(const struct mrct_dut_source *s, const char *case_id,
                                    unsigned host, const struct mrc_ep_config *cfg, uint64_t seed,
                                    enum mrct_dut_trouble *trouble, char *words, size_t cap)
{
    int error = 0;
    const struct mrct_agent_case c = {.case_id = case_id, .host = host, .cfg = cfg, .seed = seed};
    struct mrct_dut *const d = mrct_agent_begin(s->user, "liar", &c, &error);
    *trouble = error == MRCT_AGENT_UNSUPPORTED ? MRCT_DUT_UNSUPPORTED : MRCT_DUT_BROKEN;
    if (d == NULL)
        (void)snprintf(words, cap, "%s", mrct_agent_why(s->user));
    return d;
}

static const char *const cases[] = {
    "id: a/b\ntitle: t\npurpose: p\nrequirements: [REQ-6.2-01]\nreferences: [\"MRC 1.0\"]\n"
    "device: both\ntraffic:\n  - write: {size: 5000, count: 3}\n  - write_imm: {size: 900, imm: "
    "7}\n",
    "id: a/b\ntitle: t\npurpose: p\nrequirements: [REQ-6.2-01]\nreferences: [\"MRC 1.0\"]\n"
    "device: responder\ntraffic:\n  - write: {size: 5000, count: 3}\nfaults:\n"
    "  - drop: {direction: requests, psn: 2}\n",
};

static void play(const char *text, struct mrct_agent *a)
{
    static const struct mrct_case none;
    char err[700] = "";
    struct mrct_case c = none;
    struct mrct_run_config cfg;
    struct mrct_pool pool;
    struct mrct_result_case r;
    const struct mrct_dut_source source = {.name = "liar", .make = make_device, .user = a};
    if (mrct_case_parse(&c, "case", text, NULL, err, sizeof err) != 0) {
        fprintf(stderr, "%s\n", err);
        FUZZ_ASSERT(false);
    }
    mrct_run_config_default(&cfg);
    cfg.source[0] = c.device == MRCT_DEVICE_BOTH ? &source : NULL;
    cfg.source[1] = c.device == MRCT_DEVICE_BOTH ? NULL : &source;
    mrct_pool_init(&pool);
    mrct_run_case(&cfg, &c, &pool, &r);
    FUZZ_ASSERT(r.verdict == MRCT_PASS || r.why[0] != '\0');
    mrct_pool_fini(&pool);
    mrct_case_fini(&c);
}

static void with_agent(struct mrct_agent *a, struct fuzz_in *in)
{
    struct mrct_agent_hello hello;
    char err[300] = "";
    FUZZ_ASSERT(a != NULL);
    const uint8_t what = fuzz_u8(in);
    if (mrct_agent_hello(a, &hello) != 0) {
        FUZZ_ASSERT(mrct_agent_why(a)[0] != '\0');
    } else if (what % 3 == 2) {
        struct mrct_bench b;
        mrct_bench_init(&b);
        b.imm = (what & 4) != 0;
        b.cfg.ports = (what & 8) != 0 ? 2 : 1;
        b.set_mpr = (what & 16) != 0;
        b.ev_control = (what & 32) != 0;
        b.port_control = (what & 64) != 0;
        FUZZ_ASSERT(mrct_bench_run(&b, a, "a/b", err, sizeof err) == 0 || err[0] != '\0');
    } else {
        play(cases[what % 3], a);
    }
    mrct_agent_free(a);
}

/* Bytes that nobody chose, on the way that agents are really reached by. */
static void with_bytes(struct fuzz_in *in)
{
    int fd[2];
    const size_t have = (size_t)(in->end - in->p);
    FUZZ_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
    FUZZ_ASSERT(have <= KEPT_MAX && write(fd[1], in->p, have) == (ssize_t)have);
    struct mrct_agent_io *const io = mrct_agent_fds(fd[0], fd[0], PATIENCE);
    FUZZ_ASSERT(io != NULL && shutdown(fd[1], SHUT_WR) == 0);
    struct fuzz_in none = {0};
    with_agent(mrct_agent_new(io), &none);
    (void)close(fd[1]);
}

/* Lines that nobody chose, to the reference agent. */
static void to_agent(struct fuzz_in *in)
{
    static const char *const before[] = {
        "{\"op\":\"hello\",\"version\":1,\"id\":1}",
        "{\"op\":\"case\",\"case\":\"a/b\",\"mode\":\"virtual\",\"host\":1,\"seed\":"
        "\"0000000000000001\",\"ports\":[{\"ip\":\"fd00::1\",\"mac\":\"02:00:00:00:01:01\"}],"
        "\"wire\":{},\"node\":{},\"id\":2}",
        "{\"op\":\"alloc\",\"va\":4096,\"len\":5000,\"id\":3}",
        "{\"op\":\"create_qp\",\"evs\":[{\"ev\":1,\"port\":0}],\"qpn\":17,\"cc\":null,\"id\":4}"};
    struct mrct_agent_server *const s = mrct_agent_server_new(&service);
    bool bye = false;
    FUZZ_ASSERT(s != NULL);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        free(mrct_agent_server_answer(s, before[i], strlen(before[i]), &bye));
    while (in->p < in->end) {
        const uint8_t *const end = memchr(in->p, '\n', (size_t)(in->end - in->p));
        const size_t len = (size_t)((end != NULL ? end : in->end) - in->p);
        char *const answer = mrct_agent_server_answer(s, (const char *)in->p, len, &bye);
        json_t *const o = answer != NULL ? json_loads(answer, 0, NULL) : NULL;
        FUZZ_ASSERT(json_is_object(o));
        FUZZ_ASSERT(json_is_true(json_object_get(o, "ok")) ||
                    json_is_string(json_object_get(o, "error")));
        json_decref(o);
        free(answer);
        in->p = end != NULL ? end + 1 : in->end;
    }
    mrct_agent_server_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct fuzz_in in = {.p = data, .end = data + len};
    const uint8_t way = fuzz_u8(&in);
    if (way == 'b')
        with_bytes(&in);
    else if (way == 'r')
        to_agent(&in);
    else
        with_agent(meet(&in), &in);
    return 0;
}
