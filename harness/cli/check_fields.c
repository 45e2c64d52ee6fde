/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check --fields: a line a frame, the fields asked for between tabs. */
#include "harness/cli/check_run.h"

#include "harness/report/escape.h"
#include "harness/trace/decap.h"
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

struct line {
    const struct mrct_capture_frame *f;
    const struct mrct_feed *feed;
    const uint8_t *bytes; /* of the frame decoded, which a tunnel may have carried */
    const struct mrc_pkt *p;
    enum mrc_wire_error err;
};

/* ---- what is no field of a header ---- */

static void put_u64(uint64_t v)
{
    printf("%" PRIu64, v);
}

static void number(const struct line *l)
{
    put_u64(l->f->frame_no);
}

static void time_of(const struct line *l)
{
    mrct_escape_seconds(stdout, l->f->time_ns);
}

static void wire_len(const struct line *l)
{
    put_u64(l->f->raw_wire_len);
}

static void cap_len(const struct line *l)
{
    put_u64(l->f->raw_len);
}

static void iface(const struct line *l)
{
    const struct mrct_feed_iface *const i = mrct_feed_iface(l->feed, l->f->iface);
    if (i->name[0] != '\0')
        mrct_escape_line(stdout, i->name, 0);
    else
        put_u64(l->f->iface);
}

static void ev(const struct line *l)
{
    if (MRC_PKT_HAS(l->p, UDP))
        put_u64(l->p->ev);
}

static void dscp(const struct line *l)
{
    put_u64(l->p->dscp);
}

static void ecn(const struct line *l)
{
    put_u64(l->p->ecn);
}

static void trim(const struct line *l)
{
    put_u64(l->p->trim);
}

static void payload_len(const struct line *l)
{
    put_u64(l->p->payload_len);
}

static void icrc(const struct line *l)
{
    static const char *const words[] = {"absent", "deferred", "valid", "wrong"};
    fputs(words[l->p->icrc_state], stdout);
}

static void op(const struct line *l)
{
    const char *const name = MRC_PKT_HAS(l->p, BTH) ? mrc_opcode_str(l->p->bth.opcode) : NULL;
    fputs(name == NULL ? "" : name, stdout);
}

static void error(const struct line *l)
{
    fputs(l->err == MRC_WIRE_OK ? "" : mrc_wire_error_str(l->err), stdout);
}

static void address(const struct line *l, bool source)
{
    char text[INET6_ADDRSTRLEN];
    const struct mrc_pkt *const p = l->p;
    const uint8_t *const a = p->is_v6 ? (source ? p->ip6.src : p->ip6.dst)
                             : source ? p->ip4.src
                                      : p->ip4.dst;
    if (inet_ntop(p->is_v6 ? AF_INET6 : AF_INET, a, text, sizeof(text)) != NULL)
        fputs(text, stdout);
}

static void ip_src(const struct line *l)
{
    address(l, true);
}

static void ip_dst(const struct line *l)
{
    address(l, false);
}

static const struct special {
    const char *name, *meaning;
    void (*print)(const struct line *l);
} specials[] = {
    {"frame.number", "number of the frame, from 1", number},
    {"frame.time", "its time, in seconds", time_of},
    {"frame.len", "bytes on the wire", wire_len},
    {"frame.cap_len", "bytes captured", cap_len},
    {"frame.interface", "name of the interface, or its number", iface},
    {"ip.src", "source address, of whichever IP", ip_src},
    {"ip.dst", "destination address", ip_dst},
    {"ev", "entropy value", ev},
    {"dscp", "DSCP of the outermost IP header", dscp},
    {"ecn", "ECN of it", ecn},
    {"trim", "0, or 1 trimmed, 2 trimmed at the last hop", trim},
    {"op", "name of the opcode", op},
    {"payload_len", "bytes of payload", payload_len},
    {"icrc", "valid, wrong or absent", icrc},
    {"error", "why the frame is malformed", error},
};
#define SPECIALS (sizeof(specials) / sizeof(specials[0]))

/* ---- fields of headers ---- */

struct column {
    const struct special *special; /* or: */
    const struct mrc_field *field;
};

static void put_bytes(const struct mrc_field *f, const uint8_t *p)
{
    char text[INET6_ADDRSTRLEN];
    const unsigned len = f->bit_width / 8u;
    if (f->hdr == MRC_HDR_IPV6 || f->hdr == MRC_HDR_IPV4 || f->hdr == MRC_HDR_SRH) {
        const int family = len == 16 ? AF_INET6 : AF_INET;
        fputs(inet_ntop(family, p, text, sizeof(text)) != NULL ? text : "", stdout);
        return;
    }
    for (unsigned i = 0; i < len; i++)
        printf("%s%02x", i > 0 ? ":" : "", p[i]);
}

static void put_field(const struct mrc_field *f, const struct line *l)
{
    if ((l->p->present & (UINT32_C(1) << f->hdr)) == 0)
        return;
    const uint8_t *const hdr = l->bytes + l->p->off[f->hdr];
    if (f->is_bytes)
        put_bytes(f, hdr + f->bit_off / 8u);
    else if (f->is_signed)
        printf("%" PRId64,
               (int64_t)(mrc_field_get(f, hdr) << (64 - f->bit_width)) >> (64 - f->bit_width));
    else
        put_u64(mrc_field_get(f, hdr));
}

static bool find_column(const char *name, struct column *c)
{
    *c = (struct column){0};
    for (size_t i = 0; i < SPECIALS; i++)
        if (strcmp(specials[i].name, name) == 0)
            c->special = &specials[i];
    for (size_t i = 0; i < mrc_field_count; i++)
        if (strcmp(mrc_fields[i].name, name) == 0)
            c->field = &mrc_fields[i];
    return c->special != NULL || c->field != NULL;
}

static int list_fields(void)
{
    for (size_t i = 0; i < SPECIALS; i++)
        printf("%-24s %s\n", specials[i].name, specials[i].meaning);
    for (size_t i = 0; i < mrc_field_count; i++)
        printf("%-24s %s\n", mrc_fields[i].name, mrc_fields[i].meaning);
    return MRCT_EXIT_PASS;
}

static int take_columns(char *names, struct column *columns, size_t *count)
{
    char *rest = NULL;
    *count = 0;
    for (char *name = strtok_r(names, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        if (*count == FIELDS_MAX)
            return mrct_cli_fail("check", "at most %u fields can be printed", FIELDS_MAX);
        if (!find_column(name, &columns[(*count)++]))
            return mrct_cli_fail("check", "'%s' is no field (--fields help lists them)", name);
    }
    return *count > 0 ? 0 : mrct_cli_fail("check", "--fields needs a field");
}

static void print_line(const struct line *l, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            putchar('\t');
        if (columns[i].special != NULL)
            columns[i].special->print(l);
        else
            put_field(columns[i].field, l);
    }
    putchar('\n');
}

static bool decode(struct line *l, const struct mrct_facts *facts, struct mrc_pkt *p)
{
    struct mrct_inner in;
    const struct mrct_capture_frame *const f = l->f;
    l->p = p;
    l->bytes = f->bytes;
    l->err = mrc_pkt_decode(&facts->wire, f->bytes, f->cap_len, f->wire_len, true, p);
    if (l->err != MRC_WIRE_NOT_MRC ||
        mrct_decap(f->bytes, f->cap_len, f->wire_len, &in) == MRCT_TUNNEL_NONE)
        return l->err != MRC_WIRE_NOT_MRC;
    l->bytes = in.bytes;
    l->err = mrc_pkt_decode(&facts->wire, in.bytes, in.cap_len, in.wire_len, true, p);
    return l->err != MRC_WIRE_NOT_MRC;
}

static int print_all(const struct check_options *o, const struct mrct_facts *facts,
                     struct mrct_feed *feed, const struct column *columns, size_t count)
{
    struct mrct_capture_frame f;
    struct mrc_pkt p;
    uint64_t mrc = 0, frames = 0;
    enum mrct_capture_state state = MRCT_CAPTURE_END;
    while (!ferror(stdout) && (o->count == 0 || frames < o->count) &&
           (state = mrct_feed_next(feed, &f)) == MRCT_CAPTURE_FRAME) {
        struct line l = {.f = &f, .feed = feed};
        frames++;
        if (!decode(&l, facts, &p))
            continue;
        mrc++;
        print_line(&l, columns, count);
    }
    for (size_t i = 0; i < mrct_feed_warnings(feed); i++)
        mrct_cli_warn("check", "%s", mrct_feed_warning(feed, i));
    if (state == MRCT_CAPTURE_BAD)
        return mrct_cli_fail("check", "%s", mrct_feed_message(feed));
    if (fflush(stdout) != 0 || ferror(stdout))
        return mrct_cli_fail("check", "the fields cannot be written");
    return mrc > 0 ? MRCT_EXIT_PASS : MRCT_EXIT_NOTHING;
}

int mrct_check_fields(const struct check_options *o, const struct mrct_facts *facts,
                      const volatile sig_atomic_t *stop)
{
    struct column columns[FIELDS_MAX + 1];
    size_t count;
    char err[400];
    if (strcmp(o->fields, "help") == 0)
        return list_fields();
    if (take_columns(o->fields, columns, &count) != 0)
        return MRCT_EXIT_USAGE;
    const struct mrct_feed_config cfg = {.files = (const char *const *)o->files,
                                         .file_count = o->file_count,
                                         .live = o->live,
                                         .merge = o->merge,
                                         .stop = stop};
    struct mrct_feed *const feed = mrct_feed_open(&cfg, err, sizeof(err));
    if (feed == NULL)
        return mrct_cli_fail("check", "%s", err);
    const int status = print_all(o, facts, feed, columns, count);
    mrct_feed_close(feed);
    return status;
}
