/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One conversation, whatever carries it: behind VLAN tags, in the tunnels of switch mirrors, with
 * an FCS, captured on a cooked or a raw interface. The findings must be those of the plain capture.
 */
#include "harness/trace/capture.h"
#include "tests/cli/judge.h"
#include "tests/cli/suites.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA    "tests/data/conversations/"
#define ETH_LEN 14u
#define FCS_LEN 4u
#define AT_0    80u /* a place in head that is 0 */

/* What stands before a frame, byte by byte; its lengths are filled in for each. */
struct carrier {
    const char *name;
    uint32_t link; /* of the capture */
    size_t len;    /* of head */
    size_t take;   /* bytes of the frame that head replaces */
    size_t type;   /* where in head the frame's own EtherType goes; 0: nowhere */
    size_t ip4;    /* of an outer IPv4 header in head; 0: none */
    size_t ip6;
    size_t udp;
    bool fcs;
    uint8_t head[80];
};

#define ETH(type) 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, (type) >> 8, (type)&255
#define IP4(next) 0x45, 0, 0, 0, 0, 0, 0, 0, 64, (next), 0, 0, 192, 0, 2, 1, 192, 0, 2, 2
#define IP6(next)                                                                                  \
    0x60, 0, 0, 0, 0, 0, (next), 64, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x20, \
        1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2
#define VXLAN         0xC0, 1, 4789 >> 8, 4789 & 255, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 7, 0
#define GRE_SEQ(type) 0x10, 0, (type) >> 8, (type)&255, 0, 0, 0, 1

static const struct carrier carriers[] = {
    {.name = "FCS", .link = 1, .fcs = true},
    {.name = "VLAN", .link = 1, .len = 18, .take = 14, .type = 16, .head = {ETH(0x8100), 0, 5}},
    {.name = "QinQ",
     .link = 1,
     .len = 22,
     .take = 14,
     .type = 20,
     .fcs = true,
     .head = {ETH(0x88A8), 0, 5, 0x81, 0, 0, 6}},
    {.name = "VXLAN",
     .link = 1,
     .len = 50,
     .ip4 = 14,
     .udp = 34,
     .head = {ETH(0x0800), IP4(17), VXLAN}},
    {.name = "VXLAN over IPv6 with a VLAN tag",
     .link = 1,
     .len = 74,
     .ip6 = 18,
     .udp = 58,
     .fcs = true,
     .head = {ETH(0x8100), 0, 5, 0x86, 0xDD, IP6(17), VXLAN}},
    {.name = "ERSPAN II",
     .link = 1,
     .len = 50,
     .ip4 = 14,
     .head = {ETH(0x0800), IP4(47), GRE_SEQ(0x88BE), 0x10, 5, 0, 1, 0, 0, 0, 0}},
    {.name = "ERSPAN III",
     .link = 1,
     .len = 54,
     .ip4 = 14,
     .head = {ETH(0x0800), IP4(47), GRE_SEQ(0x22EB), 0x20, 5, 0, 1, 1, 2, 3, 4, 0, 0, 0, 0}},
    {.name = "ERSPAN III with a platform's part",
     .link = 1,
     .len = 62,
     .ip4 = 14,
     .head = {ETH(0x0800), IP4(47), GRE_SEQ(0x22EB),
              0x20,        5,       0,
              1,           1,       2,
              3,           4,       0,
              0,           0,       1,
              9,           9,       9,
              9,           9,       9,
              9,           9}},
    {.name = "GRE",
     .link = 1,
     .len = 38,
     .ip4 = 14,
     .head = {ETH(0x0800), IP4(47), 0, 0, 0x65, 0x58}},
    {.name = "cooked v1",
     .link = 113,
     .len = 16,
     .take = 14,
     .type = 14,
     .head = {0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0}},
    {.name = "cooked v2",
     .link = 276,
     .len = 20,
     .take = 14,
     .type = AT_0,
     .head = {0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0}},
    {.name = "raw IP", .link = 101, .take = 14},
};
#define CARRIERS (sizeof(carriers) / sizeof(carriers[0]))

static char dir[64], plain_out[128], out[128], path[128];

static void setup(void)
{
    strcpy(dir, "/tmp/mrct-carriers-"
                "XX"
                "XX"
                "XX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(plain_out, sizeof(plain_out), "%s/plain.json", dir);
    snprintf(out, sizeof(out), "%s/out.json", dir);
    snprintf(path, sizeof(path), "%s/capture.pcap", dir);
}

static void teardown(void)
{
    unlink(plain_out);
    unlink(out);
    unlink(path);
    rmdir(dir);
}

/* ---- wrapping ---- */

static void put16(uint8_t *p, size_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

/* Returns how many bytes stand before what is left of the frame, whose length is rest. */
static size_t wrap(const struct carrier *k, const uint8_t *frame, size_t rest, uint8_t head[80])
{
    memcpy(head, k->head, k->len);
    if (k->type != 0)
        memcpy(head + (k->type == AT_0 ? 0 : k->type), frame + 12, 2);
    if (k->ip4 != 0)
        put16(head + k->ip4 + 2, k->len - k->ip4 + rest);
    if (k->ip6 != 0)
        put16(head + k->ip6 + 4, k->len - k->ip6 - 40 + rest);
    if (k->udp != 0)
        put16(head + k->udp + 4, k->len - k->udp + rest);
    return k->len;
}

static void write_wrapped(const char *name, const struct carrier *k)
{
    static const uint8_t fcs[FCS_LEN] = {0xDE, 0xAD, 0xBE, 0xEF};
    const uint32_t header[6] = {0xA1B23C4D, 2 | 4 << 16, 0, 0, 65535, k->link};
    char from[256], err[400];
    struct mrct_capture_frame f;
    snprintf(from, sizeof(from), DATA "%s.pcap", name);
    struct mrct_capture *const c = mrct_capture_open(from, err, sizeof(err));
    FILE *const to = fopen(path, "wb");
    ck_assert_msg(c != NULL, "%s", err);
    ck_assert_ptr_nonnull(to);
    fwrite(header, sizeof(header), 1, to);
    while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME) {
        uint8_t head[80];
        const size_t rest = f.cap_len - k->take, tail = k->fcs ? FCS_LEN : 0;
        const size_t len = wrap(k, f.bytes, rest, head);
        const uint32_t record[4] = {(uint32_t)(f.time_ns / 1000000000),
                                    (uint32_t)(f.time_ns % 1000000000),
                                    (uint32_t)(len + rest + tail), (uint32_t)(len + rest + tail)};
        fwrite(record, sizeof(record), 1, to);
        fwrite(head, 1, len, to);
        fwrite(f.bytes + k->take, 1, rest, to);
        fwrite(fcs, 1, tail, to);
    }
    ck_assert_int_eq(fclose(to), 0);
    mrct_capture_close(c);
}

/* ---- judging ---- */

static json_t *check(const char *name, const char *capture, const char *to)
{
    char facts[256];
    char *argv[] = {(char[]){"check"},
                    (char[]){"--strict"},
                    (char[]){"--json"},
                    (char[]){"-C"},
                    (char[]){"--threads"},
                    (char[]){"2"},
                    (char[]){"-f"},
                    facts,
                    (char *)(uintptr_t)capture,
                    NULL};
    snprintf(facts, sizeof(facts), DATA "%s.facts.yaml", name);
    return cli_judge(to, 9, argv);
}

static void compare(const char *name, const struct carrier *k, const json_t *plain)
{
    static const char *const parts[] = {"frames", "findings", "requirements"};
    write_wrapped(name, k);
    json_t *const j = check(name, path, out);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const json_t *const want = json_object_get(plain, parts[i]);
        ck_assert_ptr_nonnull(want);
        ck_assert_msg(json_equal(want, json_object_get(j, parts[i])), "%s, %s: other %s", name,
                      k->name, parts[i]);
    }
    json_decref(j);
}

START_TEST(says_the_same)
{
    static const char *const names[] = {"honest-loss-requestor",    "honest-ip4-requestor",
                                        "honest-trims-responder",   "honest-srv6-requestor",
                                        "honest-corrupt-responder", "lie-cack-too-far"};
    const struct carrier *const k = &carriers[_i];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char from[256];
        snprintf(from, sizeof(from), DATA "%s.pcap", names[i]);
        json_t *const plain = check(names[i], from, plain_out);
        compare(names[i], k, plain);
        json_decref(plain);
    }
}
END_TEST

Suite *cli_carriers_suite(void)
{
    Suite *const s = suite_create("carriers");
    TCase *const t = tcase_create("findings");
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, says_the_same, 0, (int)CARRIERS);
    suite_add_tcase(s, t);
    return s;
}
