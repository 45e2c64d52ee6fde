/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of requests, and the memory that the harness asks for. */
#include "harness/dut/agent_serve.h"

#include <isa-l.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- members of requests ---- */

int mrct_serve_bad(struct mrct_agent_server *s, const char *key)
{
    (void)snprintf(s->why, sizeof s->why, "'%s' is not what was expected", key);
    return MRC_EP_EINVAL;
}

bool mrct_serve_u64(const json_t *o, const char *key, uint64_t max, uint64_t *out)
{
    const json_t *const v = json_object_get(o, key);
    if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) > max)
        return false;
    *out = (uint64_t)json_integer_value(v);
    return true;
}

int mrct_serve_now(struct mrct_agent_server *s, const json_t *o)
{
    uint64_t now = 0;
    if (s->live) {
        s->now_ns = s->service.now_ns(s->service.user);
        return 0;
    }
    if (!mrct_serve_u64(o, "now", INT64_MAX, &now) || now < s->now_ns)
        return mrct_serve_bad(s, "now");
    s->now_ns = now;
    return 0;
}

int mrct_serve_qpn(struct mrct_agent_server *s, const json_t *o, uint32_t *qpn)
{
    uint64_t v = 0;
    if (!mrct_serve_u64(o, "qpn", 0xFFFFFF, &v))
        return mrct_serve_bad(s, "qpn");
    *qpn = (uint32_t)v;
    return 0;
}

/* ---- memory ---- */

uint8_t *mrct_serve_memory(struct mrct_agent_server *s, uint64_t va, uint64_t len)
{
    for (size_t i = 0; i < s->buffer_count; i++) {
        const struct mrct_serve_buffer *const b = &s->buffers[i];
        if (va >= b->va && va - b->va <= b->len && len <= b->len - (va - b->va))
            return b->mem + (va - b->va);
    }
    return NULL;
}

int mrct_serve_alloc(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrct_serve_buffer b = {0};
    (void)answer;
    if (!mrct_serve_u64(o, "va", INT64_MAX, &b.va) ||
        !mrct_serve_u64(o, "len", MRCT_SERVE_BYTES_MAX, &b.len) || b.len == 0)
        return mrct_serve_bad(s, "len");
    if (s->buffer_count == MRCT_SERVE_BUFFERS_MAX || b.len > MRCT_SERVE_BYTES_MAX - s->buffer_bytes)
        return MRC_EP_ENOMEM;
    for (size_t i = 0; i < s->buffer_count; i++)
        if (b.va < s->buffers[i].va + s->buffers[i].len && s->buffers[i].va < b.va + b.len)
            return MRC_EP_EBUSY;
    if (s->buffer_count == s->buffer_room) {
        const size_t room = s->buffer_room == 0 ? 16 : 2 * s->buffer_room;
        struct mrct_serve_buffer *const more = realloc(s->buffers, room * sizeof *more);
        if (more == NULL)
            return MRC_EP_ENOMEM;
        s->buffers = more;
        s->buffer_room = room;
    }
    b.mem = calloc(1, b.len);
    if (b.mem == NULL)
        return MRC_EP_ENOMEM;
    s->buffers[s->buffer_count++] = b;
    s->buffer_bytes += b.len;
    return 0;
}

int mrct_serve_free(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t va = 0;
    (void)answer;
    if (!mrct_serve_u64(o, "va", INT64_MAX, &va))
        return mrct_serve_bad(s, "va");
    for (size_t i = 0; i < s->buffer_count; i++) {
        if (s->buffers[i].va != va)
            continue;
        s->buffer_bytes -= s->buffers[i].len;
        free(s->buffers[i].mem);
        s->buffers[i] = s->buffers[--s->buffer_count];
        return 0;
    }
    return MRC_EP_ENOENT;
}

int mrct_serve_store(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t va = 0;
    const json_t *const data = json_object_get(o, "data");
    const size_t len = json_string_length(data) / 2;
    (void)answer;
    if (!mrct_serve_u64(o, "va", INT64_MAX, &va))
        return mrct_serve_bad(s, "va");
    uint8_t *const mem = mrct_serve_memory(s, va, len);
    if (mem == NULL)
        return MRC_EP_ENOENT;
    return mrct_msg_unhex(data, mem, len) >= 0 ? 0 : mrct_serve_bad(s, "data");
}

/* The memory that a request names by va and len. */
static uint8_t *named(struct mrct_agent_server *s, const json_t *o, uint64_t max, uint64_t *len)
{
    uint64_t va = 0;
    if (!mrct_serve_u64(o, "va", INT64_MAX, &va) || !mrct_serve_u64(o, "len", max, len))
        return NULL;
    return mrct_serve_memory(s, va, *len);
}

int mrct_serve_load(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t len = 0;
    const uint8_t *const mem = named(s, o, MRCT_AGENT_CHUNK_MAX, &len);
    if (mem == NULL)
        return MRC_EP_ENOENT;
    return json_object_set_new(answer, "data", mrct_msg_hex(mem, len)) == 0 ? 0 : MRC_EP_ENOMEM;
}

int mrct_serve_digest(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    uint64_t len = 0;
    const uint8_t *const mem = named(s, o, MRCT_SERVE_BYTES_MAX, &len);
    if (mem == NULL)
        return MRC_EP_ENOENT;
    return json_object_set_new(answer, "crc32", json_integer(crc32_gzip_refl(0, mem, len))) == 0
               ? 0
               : MRC_EP_ENOMEM;
}

int mrct_serve_register(struct mrct_agent_server *s, const json_t *o, json_t *answer)
{
    struct mrc_mr mr = {0};
    if (!mrct_serve_u64(o, "va", INT64_MAX, &mr.va) ||
        !mrct_serve_u64(o, "len", MRCT_SERVE_BYTES_MAX, &mr.len_bytes))
        return mrct_serve_bad(s, "va");
    mr.mem = mrct_serve_memory(s, mr.va, mr.len_bytes);
    mr.access = json_is_true(json_object_get(o, "remote_write")) ? MRC_MR_REMOTE_WRITE : 0;
    if (mr.mem == NULL)
        return MRC_EP_ENOENT;
    const int rc = s->dut->ops->register_mr(s->dut, &mr);
    if (rc == 0)
        (void)json_object_set_new(answer, "rkey", json_integer(mr.rkey));
    return rc;
}
