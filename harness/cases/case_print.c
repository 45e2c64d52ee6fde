/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cases/case_print.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static size_t size_of(enum mrct_load_type type)
{
    switch (type) {
    case MRCT_LOAD_U8:
    case MRCT_LOAD_BOOL:
    case MRCT_LOAD_CHAR:
        return 1;
    case MRCT_LOAD_U16:
        return 2;
    case MRCT_LOAD_U32:
    case MRCT_LOAD_SIZE:
    case MRCT_LOAD_SHARE:
    case MRCT_LOAD_INT:
    case MRCT_LOAD_TRISTATE:
    case MRCT_LOAD_WORD:
        return 4;
    case MRCT_LOAD_I64:
    case MRCT_LOAD_DURATION:
    case MRCT_LOAD_RATE:
        return 8;
    case MRCT_LOAD_STRING:
    case MRCT_LOAD_STRINGS:
    case MRCT_LOAD_RANGE:
    case MRCT_LOAD_RANGE_INT:
    case MRCT_LOAD_CUSTOM:
        break;
    }
    return 0;
}

static int64_t value_at(const struct mrct_load_field *f, const uint8_t *p)
{
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    int32_t i32 = 0;
    int64_t i64 = 0;
    switch (size_of(f->type)) {
    case 1:
        memcpy(&u8, p, sizeof u8);
        return u8;
    case 2:
        memcpy(&u16, p, sizeof u16);
        return u16;
    case 4:
        if (f->type == MRCT_LOAD_INT || f->type == MRCT_LOAD_TRISTATE ||
            f->type == MRCT_LOAD_WORD) {
            memcpy(&i32, p, sizeof i32);
            return i32;
        }
        memcpy(&u32, p, sizeof u32);
        return u32;
    default:
        memcpy(&i64, p, sizeof i64);
        return i64;
    }
}

static void print_value(const struct mrct_load_field *f, int64_t v, FILE *out)
{
    switch (f->type) {
    case MRCT_LOAD_BOOL:
    case MRCT_LOAD_TRISTATE:
        fputs(v != 0 ? "true" : "false", out);
        return;
    case MRCT_LOAD_CHAR:
    case MRCT_LOAD_WORD:
        for (const struct mrct_load_word *w = f->words; w->name != NULL; w++) {
            if (w->value == v) {
                fputs(w->name, out);
                return;
            }
        }
        return;
    case MRCT_LOAD_DURATION:
        fprintf(out, "%" PRId64 "ns", v);
        return;
    case MRCT_LOAD_RATE:
        fprintf(out, "%" PRId64 "mbps", v / 1000000);
        return;
    case MRCT_LOAD_SHARE:
        fprintf(out, "%" PRId64 "ppm", v);
        return;
    case MRCT_LOAD_U8:
    case MRCT_LOAD_U16:
    case MRCT_LOAD_U32:
    case MRCT_LOAD_INT:
    case MRCT_LOAD_I64:
    case MRCT_LOAD_SIZE:
        fprintf(out, "%" PRId64, v);
        return;
    case MRCT_LOAD_STRING:
    case MRCT_LOAD_STRINGS:
    case MRCT_LOAD_RANGE:
    case MRCT_LOAD_RANGE_INT:
    case MRCT_LOAD_CUSTOM:
        break;
    }
}

size_t mrct_case_print_fields(const struct mrct_load_field *fields, const void *base,
                              const void *unlike, FILE *out)
{
    size_t n = 0;
    for (const struct mrct_load_field *f = fields; f->key != NULL; f++) {
        if (size_of(f->type) == 0) {
            continue;
        }
        const int64_t v = value_at(f, (const uint8_t *)base + f->offset);
        if (v != value_at(f, (const uint8_t *)unlike + f->offset)) {
            fprintf(out, "%s%s: ", n > 0 ? ", " : "", f->key);
            print_value(f, v, out);
            n++;
        }
    }
    return n;
}

static void print_options(const struct mrct_case *c, const struct mrct_case *unlike, FILE *out)
{
    const struct mrct_case_host *const h = &c->host[0];
    fprintf(out, "options: {qps: %u, path_mtu: %u, ip: %c, vlan: %s, dest_port: %u", c->qps,
            h->path_mtu, h->ip6 ? '6' : '4', h->vlan ? "true" : "false", h->dest_port);
    for (unsigned i = 0; i < 2; i++) {
        fprintf(out, ", host%u: {", i + 1);
        (void)mrct_case_print_fields(mrct_case_fields_host, &c->host[i], &unlike->host[i], out);
        fputc('}', out);
    }
    fputs("}\n", out);
}

static void print_when(const struct mrct_step *s, FILE *out)
{
    fprintf(out, "{host: host%u, qp: %u", s->host + 1, s->qp);
    if (s->when == MRCT_WHEN_AT) {
        fprintf(out, ", at: %" PRIu64 "ns", s->at_ns);
    } else if (s->when == MRCT_WHEN_COMPLETED) {
        fputs(", after: completion", out);
    }
}

static const char *reason_word(uint8_t reason)
{
    switch (reason) {
    case MRC_NACK_NO_BITMAP:
        return "no_bitmap";
    case MRC_NACK_NO_PKT_BUFFER:
        return "no_packet_buffer";
    case MRC_NACK_NO_RESOURCE:
        return "no_resource";
    default:
        return "unexpected_event";
    }
}

static void print_step(const struct mrct_step *s, FILE *out)
{
    static const char *const targets[] = {"good", "wrong_rkey", "past_end", "before", "read_only"};
    static const char *const names[] = {
        [MRCT_STEP_WRITE] = "write",
        [MRCT_STEP_RECV] = "post_recv",
        [MRCT_STEP_OVERWRITE] = "overwrite",
        [MRCT_STEP_INJECT] = "inject",
        [MRCT_STEP_SET_MPR] = "set_mpr",
        [MRCT_STEP_SHORTAGE] = "shortage",
        [MRCT_STEP_PORT] = "port",
        [MRCT_STEP_EV_STATE] = "ev_state",
        [MRCT_STEP_EV_REPLACE] = "ev_replace",
    };
    fprintf(out, "  - %s%s: ", names[s->kind],
            s->kind == MRCT_STEP_WRITE && s->has_imm ? "_imm" : "");
    print_when(s, out);
    switch (s->kind) {
    case MRCT_STEP_WRITE:
        fprintf(out, ", size: %" PRIu32 ", count: %" PRIu32, s->size, s->count);
        if (s->has_imm) {
            fprintf(out, ", imm: 0x%" PRIx32, s->imm);
        }
        if (s->target != MRCT_TARGET_GOOD) {
            fprintf(out, ", target: %s", targets[s->target]);
        }
        break;
    case MRCT_STEP_RECV:
        fprintf(out, ", count: %" PRIu32, s->count);
        break;
    case MRCT_STEP_SET_MPR:
        fprintf(out, ", mpr: %u", s->mpr);
        break;
    case MRCT_STEP_SHORTAGE:
        fprintf(out, ", reason: %s", reason_word(s->reason));
        if (s->rate_ppm > 0) {
            fprintf(out, ", rate: %" PRIu32 "ppm", s->rate_ppm);
        } else {
            fprintf(out, ", count: %" PRIu32, s->count);
        }
        break;
    case MRCT_STEP_PORT:
        fprintf(out, ", plane: %u, state: %s", s->plane, s->up ? "up" : "down");
        break;
    case MRCT_STEP_EV_STATE:
        fprintf(out, ", plane: %u, ev: %u, state: %s", s->plane, s->ev,
                s->state == MRC_EV_DENIED ? "denied" : "good");
        break;
    case MRCT_STEP_EV_REPLACE:
        fprintf(out, ", plane: %u, ev: %u", s->plane, s->ev);
        break;
    case MRCT_STEP_OVERWRITE:
    case MRCT_STEP_INJECT:
        break;
    }
    fputs("}\n", out);
}

static void print_link(const struct mrct_case_link *l, FILE *out)
{
    static const char *const hosts[] = {"both", "host1", "host2"};
    fprintf(out, "  - {at: %" PRIu64 "ns, host: %s, plane: %u", l->at_ns, hosts[l->host + 1],
            l->plane);
    if (l->path >= 0) {
        fprintf(out, ", path: %d", l->path);
    }
    fprintf(out, ", state: %s}\n", l->up ? "up" : "down");
}

/* Either everything succeeds, or how writes and QPs end is left to the checks. */
static void print_expect(const struct mrct_case_expect *e, FILE *out)
{
    if (e->all_success) {
        return;
    }
    fprintf(out, "expect: {writes: %s", e->all_done ? "done" : "any");
    if (e->imm_min >= 0) {
        fprintf(out, ", immediates: %" PRId64 "..", e->imm_min);
    }
    fputs("}\n", out);
}

void mrct_case_print(const struct mrct_case *c, const char *id, FILE *out)
{
    struct mrct_case unlike;
    mrct_case_init(&unlike);
    fprintf(out,
            "id: %s\ntitle: What %s draws\npurpose: >-\n  Drawn from a seed.\n"
            "requirements: [REQ-6.2-01]\ndevice: %s\n",
            id, id, mrct_case_device_str(c->device));
    fputs("topology: {", out);
    (void)mrct_case_print_fields(mrct_case_fields_topology, &c->fabric, &unlike.fabric, out);
    fputs("}\nrandom: {", out);
    (void)mrct_case_print_fields(mrct_case_fields_random, &c->fabric, &unlike.fabric, out);
    fputs("}\n", out);
    print_options(c, &unlike, out);
    fputs("traffic:\n", out);
    for (size_t i = 0; i < c->step_count; i++) {
        print_step(&c->steps[i], out);
    }
    if (c->link_count > 0) {
        fputs("links:\n", out);
    }
    for (size_t i = 0; i < c->link_count; i++) {
        print_link(&c->links[i], out);
    }
    print_expect(&c->expect, out);
    fprintf(out, "limit: %" PRIu64 "ns\n", c->limit_ns);
    mrct_case_fini(&unlike);
}
