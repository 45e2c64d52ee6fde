/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/dut/agent_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WHY_MAX 500

/* What the items learn of one another. */
struct state {
    const struct mrct_agent_check *c;
    struct mrct_agent_hello hello;
    const char *case_id; /* one that it knows, or NULL */
    char *why;           /* of the item, WHY_MAX */
};

/* One item, with a fresh agent that has not said hello yet. */
struct item {
    const char *name, *what;
    enum mrct_check_end (*run)(struct state *s, struct mrct_agent *a);
    bool always; /* others rest on it */
};

static enum mrct_check_end bad(struct state *s, const char *words)
{
    (void)snprintf(s->why, WHY_MAX, "%s", words);
    return MRCT_CHECK_BAD;
}

static enum mrct_check_end not_shown(struct state *s, const char *words)
{
    (void)bad(s, words);
    return MRCT_CHECK_NOT_SHOWN;
}

static enum mrct_check_end broken(struct state *s, struct mrct_agent *a)
{
    return bad(s, mrct_agent_why(a));
}

static enum mrct_check_end skipped(struct state *s, const char *words)
{
    (void)snprintf(s->why, WHY_MAX, "%s", words);
    return MRCT_CHECK_SKIPPED;
}

/* True when it greets; else the item is bad with the reason. */
static bool greets(struct state *s, struct mrct_agent *a)
{
    struct mrct_agent_hello h;
    if (mrct_agent_hello(a, &h) == 0)
        return true;
    (void)broken(s, a);
    return false;
}

/* A name that nobody can have expected. */
static void random_name(const struct state *s, char buf[40])
{
    const uint64_t a = (s->c->seed + 1) * UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t b = (a ^ (a >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    (void)snprintf(buf, 40, "x%08x/y%08x", (unsigned)(a >> 32), (unsigned)(b >> 32));
}

static int ask_case(struct mrct_agent *a, const char *id)
{
    struct mrct_bench b;
    mrct_bench_init(&b);
    const struct mrct_agent_case c = {.case_id = id, .cfg = &b.cfg, .seed = 1};
    return mrct_agent_ask(a, mrct_agent_case_request(&c), NULL);
}

/* ---- the items ---- */

static enum mrct_check_end check_hello(struct state *s, struct mrct_agent *a)
{
    return mrct_agent_hello(a, &s->hello) == 0 ? MRCT_CHECK_OK : broken(s, a);
}

static enum mrct_check_end check_version(struct state *s, struct mrct_agent *a)
{
    json_t *answer = NULL;
    const int rc = mrct_agent_ask(
        a, json_pack("{s:s,s:i}", "op", "hello", "version", MRCT_AGENT_VERSION + 998), &answer);
    const json_int_t said = json_integer_value(json_object_get(answer, "version"));
    json_decref(answer);
    if (mrct_agent_broken(a))
        return broken(s, a);
    if (rc == 0) {
        (void)snprintf(s->why, WHY_MAX,
                       "it agreed to version %d, which does not exist, and answered with %" PRIdMAX,
                       MRCT_AGENT_VERSION + 998, (intmax_t)said);
        return MRCT_CHECK_BAD;
    }
    return rc == MRCT_AGENT_VERSION_BAD ? MRCT_CHECK_OK : broken(s, a);
}

static enum mrct_check_end check_operation(struct state *s, struct mrct_agent *a)
{
    char name[40];
    random_name(s, name);
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    const int rc = mrct_agent_ask(a, json_pack("{s:s}", "op", name), NULL);
    if (rc == 0)
        return bad(s, "it answered 'ok' to an operation that does not exist");
    return rc == MRCT_AGENT_UNSUPPORTED ? MRCT_CHECK_OK : broken(s, a);
}

static enum mrct_check_end check_case(struct state *s, struct mrct_agent *a)
{
    char name[40];
    random_name(s, name);
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    const int rc = ask_case(a, name);
    if (rc == 0)
        return bad(s, "it answered 'ok' to a case that does not exist, so its 'ok' means nothing");
    return rc == MRCT_AGENT_UNSUPPORTED ? MRCT_CHECK_OK : broken(s, a);
}

static enum mrct_check_end check_known(struct state *s, struct mrct_agent *a)
{
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    if (!s->hello.virtual_time)
        return skipped(s, "it is live only");
    for (const char *const *id = s->c->case_ids; *id != NULL && s->case_id == NULL; id++) {
        const int rc = ask_case(a, *id);
        if (rc == 0)
            s->case_id = *id;
        else if (rc != MRCT_AGENT_UNSUPPORTED)
            return broken(s, a);
    }
    if (s->case_id == NULL)
        return skipped(s, "it supports none of the cases");
    return mrct_agent_ask(a, json_pack("{s:s}", "op", "reset"), NULL) == 0 ? MRCT_CHECK_OK
                                                                           : broken(s, a);
}

/* Each line must be answered with an error, and the session go on. */
static enum mrct_check_end check_garbage(struct state *s, struct mrct_agent *a)
{
    static const char *const lines[] = {
        "no json\n",
        "[]\n",
        "{}\n",
        "{\"id\":\"x\"}\n",
        "{\"op\":7}\n",
        "\xff\xfe\x01\n",
        "{\"op\":\"case\",\"case\":[],\"node\":3,\"ports\":\"x\"}\n",
        "{\"op\":\"create_qp\",\"evs\":{}}\n",
        "{\"op\":\"input\",\"now\":-1,\"port\":99,\"frame\":\"zz\"}\n"};
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const int rc = mrct_agent_raw(a, lines[i]);
        if (mrct_agent_broken(a))
            return broken(s, a);
        if (rc == 0)
            return bad(s, "it answered 'ok' to garbage");
    }
    const int rc = mrct_agent_ask(a, json_pack("{s:s}", "op", "reset"), NULL);
    return rc == 0 ? MRCT_CHECK_OK : broken(s, a);
}

static enum mrct_check_end check_turn(struct state *s, struct mrct_agent *a)
{
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    const int rc = mrct_agent_ask(
        a, json_pack("{s:s,s:i,s:i}", "op", "post_recv", "qpn", 5, "wr_id", 1), NULL);
    if (mrct_agent_broken(a))
        return broken(s, a);
    return rc != 0 ? MRCT_CHECK_OK : bad(s, "it answered 'ok' to 'post_recv' without a case");
}

static enum mrct_check_end check_memory(struct state *s, struct mrct_agent *a)
{
    static const uint8_t bytes[] = {1, 2, 3, 250, 251, 0, 7, 8};
    const json_int_t va = 0x5000;
    json_t *answer = NULL;
    uint8_t back[sizeof bytes] = {0};
    if (s->case_id == NULL)
        return skipped(s, "no case to try it in");
    if (!greets(s, a) || ask_case(a, s->case_id) != 0 ||
        mrct_agent_ask(a, json_pack("{s:s,s:I,s:i}", "op", "alloc", "va", va, "len", 4096), NULL) !=
            0 ||
        mrct_agent_ask(a,
                       json_pack("{s:s,s:I,s:o}", "op", "store", "va", va + 8, "data",
                                 mrct_msg_hex(bytes, sizeof bytes)),
                       NULL) != 0 ||
        mrct_agent_ask(a, json_pack("{s:s,s:I,s:i}", "op", "load", "va", va + 8, "len", 8),
                       &answer) != 0)
        return broken(s, a);
    const int n = mrct_msg_unhex(json_object_get(answer, "data"), back, sizeof back);
    json_decref(answer);
    if (n != (int)sizeof back || memcmp(back, bytes, sizeof back) != 0)
        return bad(s, "'load' gave other bytes than 'store' had put there");
    const int beyond = mrct_agent_ask(
        a, json_pack("{s:s,s:I,s:i}", "op", "load", "va", va + 4090, "len", 8), NULL);
    if (mrct_agent_broken(a))
        return broken(s, a);
    return beyond != 0 ? MRCT_CHECK_OK : bad(s, "'load' gave bytes behind the memory's end");
}

/* A write each way; again with the same seed, which must give the same frames. */
static enum mrct_check_end check_write(struct state *s, struct mrct_agent *a)
{
    struct mrct_bench b[2];
    if (s->case_id == NULL)
        return skipped(s, "no case to try it in");
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    for (unsigned i = 0; i < 2; i++) {
        mrct_bench_init(&b[i]);
        if (mrct_bench_run(&b[i], a, s->case_id, s->why, WHY_MAX) != 0)
            return MRCT_CHECK_BAD;
    }
    if (!b[0].sent)
        return not_shown(s, "a write of its device did not arrive or did not complete");
    if (!b[0].received)
        return not_shown(s, "a write to its device did not arrive or did not complete");
    return b[0].hash == b[1].hash && b[0].frames == b[1].frames
               ? MRCT_CHECK_OK
               : bad(s,
                     "the same seed gave other frames the second time: 'reset' leaves something");
}

static enum mrct_check_end check_bye(struct state *s, struct mrct_agent *a)
{
    if (!greets(s, a))
        return MRCT_CHECK_BAD;
    return mrct_agent_ends(a) == 0 ? MRCT_CHECK_OK : broken(s, a);
}

static const struct item items[] = {
    {"hello", "it says hello in the version offered", check_hello, true},
    {"version", "it refuses a version that does not exist", check_version, false},
    {"unknown-operation", "it answers 'unsupported' to an operation that does not exist",
     check_operation, false},
    {"unknown-case", "it answers 'unsupported' to a case that does not exist", check_case, false},
    {"garbage", "it answers garbage with an error, and goes on", check_garbage, false},
    {"out-of-turn", "it refuses what needs a case before there is one", check_turn, false},
    {"known-case", "it supports a case", check_known, true},
    {"memory", "its memory holds what is put there", check_memory, false},
    {"write", "its device writes and is written to, twice the same with one seed", check_write,
     false},
    {"bye", "it says goodbye and ends", check_bye, false},
};

/* ---- capabilities ---- */

static void want_ipv4(struct mrct_bench *b)
{
    for (unsigned p = 0; p < MRC_EP_PORTS_MAX; p++)
        b->cfg.port_addr[p].is_v6 = false;
}
static void want_vlan(struct mrct_bench *b)
{
    b->cfg.vlan = true;
    b->cfg.vlan_tci = 0x64;
}
static void want_tseth(struct mrct_bench *b)
{
    b->cfg.send_tseth = true;
}
static void want_trimming(struct mrct_bench *b)
{
    b->cfg.trimmable = true;
}
static void want_trim_nack(struct mrct_bench *b)
{
    b->cfg.trimmable = true;
    b->attr.trim_nack = true;
    b->trim = true;
}
static void want_dynamic_mpr(struct mrct_bench *b)
{
    b->attr.dynamic_mpr = true;
    b->set_mpr = true;
}
static void want_svc_time(struct mrct_bench *b)
{
    b->attr.svc_time = true;
}
static void want_imm(struct mrct_bench *b)
{
    b->imm = true;
}
static void want_planes(struct mrct_bench *b)
{
    b->cfg.ports = 2;
}
static void want_ev_control(struct mrct_bench *b)
{
    b->ev_control = true;
}
static void want_port_control(struct mrct_bench *b)
{
    b->cfg.ports = 2;
    b->port_control = true;
}

static bool saw_vlan(const struct mrct_bench *b)
{
    return b->with_vlan == b->frames;
}
static bool saw_tseth(const struct mrct_bench *b)
{
    return b->with_tseth == b->requests;
}
static bool saw_trimmable(const struct mrct_bench *b)
{
    return b->trimmable == b->requests;
}
static bool saw_trim_nack(const struct mrct_bench *b)
{
    return b->trim_nacks > 0;
}
static bool saw_imm(const struct mrct_bench *b)
{
    return b->with_imm > 0;
}
static bool saw_planes(const struct mrct_bench *b)
{
    return b->ports == 3;
}

/* How a capability is provoked, and what shows it. One that is not here is tried in cases alone. */
static const struct {
    const char *name;
    void (*want)(struct mrct_bench *b);
    bool (*saw)(const struct mrct_bench *b); /* NULL: the writes alone */
    const char *otherwise;
} claims[] = {
    {"ipv4", want_ipv4, NULL, NULL},
    {"vlan", want_vlan, saw_vlan, "its frames carry no tag"},
    {"tseth", want_tseth, saw_tseth, "its requests carry no TSETH"},
    {"trimming", want_trimming, saw_trimmable, "its requests are not in the class TRIMMABLE"},
    {"trim_nack", want_trim_nack, saw_trim_nack, "it sent no NACK for a trimmed request"},
    {"dynamic_mpr", want_dynamic_mpr, NULL, NULL},
    {"svc_time", want_svc_time, NULL, NULL},
    {"write_imm", want_imm, saw_imm, "its write carries no immediate"},
    {"planes", want_planes, saw_planes, "it did not send by both of two planes"},
    {"ev_control", want_ev_control, NULL, NULL},
    {"port_control", want_port_control, NULL, NULL},
};

static enum mrct_check_end check_claim(struct state *s, struct mrct_agent *a, const char *name)
{
    struct mrct_bench b;
    mrct_bench_init(&b);
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        if (strcmp(claims[i].name, name) != 0)
            continue;
        claims[i].want(&b);
        if (mrct_bench_run(&b, a, s->case_id, s->why, WHY_MAX) != 0)
            return MRCT_CHECK_BAD;
        if (!b.sent || !b.received)
            return not_shown(s, b.sent
                                    ? "a write to its device did not arrive or did not complete"
                                    : "a write of its device did not arrive or did not complete");
        return claims[i].saw == NULL || claims[i].saw(&b) ? MRCT_CHECK_OK
                                                          : not_shown(s, claims[i].otherwise);
    }
    return skipped(s, "only cases can show it");
}

static bool is_listed(const char *const *list, const char *name)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

/* ---- all of it ---- */

static struct mrct_agent *begin(struct state *s, char *err, size_t err_cap)
{
    struct mrct_agent_io *const io = s->c->open(s->c->user, err, err_cap);
    struct mrct_agent *const a = io != NULL ? mrct_agent_new(io) : NULL;
    if (io != NULL && a == NULL)
        (void)snprintf(err, err_cap, "out of memory");
    return a;
}

static bool is_wanted(const struct mrct_agent_check *c, const char *item)
{
    return c->only == NULL || strcmp(c->only, item) == 0;
}

/* Tells an outcome; 1 when it counts against the agent. */
static int tell(const struct state *s, const char *item, const char *what, enum mrct_check_end end)
{
    s->c->tell(s->c->user, item, what, end, s->why);
    return end == MRCT_CHECK_BAD || end == MRCT_CHECK_NOT_SHOWN ? 1 : 0;
}

static int run_claims(struct state *s, char *err, size_t err_cap)
{
    char item[64], what[96];
    int failed = 0;
    for (unsigned i = 0; i < s->hello.capability_count; i++) {
        const char *const name = s->hello.capabilities[i];
        (void)snprintf(item, sizeof item, "capability %.31s", name);
        (void)snprintf(what, sizeof what, "it can do '%.31s', as it claims", name);
        if (!is_wanted(s->c, item))
            continue;
        struct mrct_agent *const a = begin(s, err, err_cap);
        enum mrct_check_end end;
        s->why[0] = '\0';
        if (a == NULL)
            end = bad(s, err);
        else if (!is_listed(s->c->capabilities, name))
            end = bad(s, "no case asks for a capability of this name");
        else if (s->case_id == NULL)
            end = skipped(s, "no case to try it in");
        else
            end = greets(s, a) ? check_claim(s, a, name) : MRCT_CHECK_BAD;
        failed += tell(s, item, what, end);
        mrct_agent_free(a);
    }
    return failed;
}

int mrct_agent_check(const struct mrct_agent_check *check, char *err, size_t err_cap)
{
    char why[WHY_MAX] = "";
    struct state s = {.c = check, .why = why};
    int failed = 0;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (!items[i].always && !is_wanted(check, items[i].name))
            continue;
        struct mrct_agent *const a = begin(&s, err, err_cap);
        if (a == NULL && i == 0)
            return -1;
        why[0] = '\0';
        const enum mrct_check_end end = a != NULL ? items[i].run(&s, a) : bad(&s, err);
        mrct_agent_free(a);
        if (is_wanted(check, items[i].name) || end == MRCT_CHECK_BAD)
            failed += tell(&s, items[i].name, items[i].what, end);
        if (i == 0 && failed > 0)
            return failed; /* it would fail all the others by the same */
    }
    return failed + run_claims(&s, err, err_cap);
}
