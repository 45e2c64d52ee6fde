/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts files: what they give, what they may leave out, and the line of every error. */
#include "harness/trace/facts.h"
#include "tests/trace/suites.h"

#include <stdlib.h>
#include <string.h>

static char err[600];

static int load(struct mrct_facts *f, const char *yaml)
{
    mrct_facts_init(f);
    err[0] = '\0';
    return mrct_facts_load(f, scratch_file("facts.yaml", yaml, strlen(yaml)), err, sizeof(err));
}

static const char full[] =
    "# what the capture does not say\n"
    "path_mtu: 1024\n"
    "udp_ports: [4791, 5000]\n"
    "dscp: {no_trim: 1, trimmable: 5, trimmable_retx: 9, trimmed: 13, trimmed_lasthop: 17,\n"
    "       control: 47}\n"
    "tap: responder\n"
    "hosts:\n"
    "  - {name: alpha, addresses: [\"fd00::1\", {ip: 10.0.1.1, plane: 3}]}\n"
    "  - {name: beta, addresses: [\"fd00::2\"]}\n"
    "qps:\n"
    "  - {host: alpha, qpn: 34, peer_host: beta, peer_qpn: 0x11, start_psn: 16777200, mpr: 8,\n"
    "     dynamic_mpr: false, max_wimm: 32, trim_nack: true, svc_time: false, timeout: 7,\n"
    "     linear_cnt: 6, exp_cnt: 25, exp_ceiling_ns: 9000000,\n"
    "     sack_threshold: 16384, ev_min_active: 4}\n"
    "  - {host: beta, qpn: ~}\n";

static void expect_full(const struct mrct_facts *f)
{
    static const uint8_t alpha4[16] = {10, 0, 1, 1};
    static const uint8_t beta6[16] = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    ck_assert_int_eq(f->path_mtu, 1024);
    ck_assert_uint_eq(f->wire.udp_port_count, 2);
    ck_assert_uint_eq(f->wire.udp_ports[1], 5000);
    ck_assert_uint_eq(f->wire.dscp[MRC_DSCP_NO_TRIM], 1);
    ck_assert_uint_eq(f->wire.dscp[MRC_DSCP_CONTROL], 47);
    ck_assert_int_eq(f->tap, MRCT_TAP_RESPONDER);
    ck_assert_uint_eq(f->host_count, 2);
    ck_assert_int_eq(f->hosts[0].addrs[0].plane, MRCT_UNKNOWN);
    ck_assert_int_eq(f->hosts[0].addrs[1].plane, 3);
    ck_assert_int_eq(mrct_facts_host_of(f, false, alpha4), 0);
    ck_assert_int_eq(mrct_facts_host_of(f, true, alpha4), -1);
    ck_assert_int_eq(mrct_facts_host_of(f, true, beta6), 1);
    ck_assert_uint_eq(f->qp_count, 2);
    ck_assert_int_eq(f->qps[0].host, 0);
    ck_assert_int_eq(f->qps[0].peer_host, 1);
    ck_assert_int_eq(f->qps[0].peer_qpn, 17);
    ck_assert_int_eq(f->qps[0].start_psn, 16777200);
    ck_assert_int_eq(f->qps[0].trim_nack, 1);
    ck_assert_int_eq(f->qps[0].svc_time, 0);
    ck_assert_int_eq(f->qps[0].linear_cnt, 6);
    ck_assert_int_eq(f->qps[0].exp_ceiling_ns, 9000000);
    ck_assert_int_eq(f->qps[0].sack_threshold, 16384);
    ck_assert_int_eq(f->qps[0].ev_min_active, 4);
    ck_assert_int_eq(f->qps[1].host, 1);
    ck_assert_int_eq(f->qps[1].peer_host, 0); /* the other one of two */
    ck_assert_int_eq(f->qps[1].qpn, MRCT_UNKNOWN);
    ck_assert_int_eq(f->qps[1].mpr, MRCT_UNKNOWN);
}

START_TEST(gives_every_fact)
{
    struct mrct_facts f;
    ck_assert_msg(load(&f, full) == 0, "%s", err);
    expect_full(&f);
    mrct_facts_fini(&f);
}
END_TEST

START_TEST(writes_what_it_reads)
{
    struct mrct_facts f;
    ck_assert_int_eq(load(&f, full), 0);
    char *text = NULL;
    size_t len = 0;
    FILE *const out = open_memstream(&text, &len);
    mrct_facts_write(&f, out);
    fclose(out);
    mrct_facts_fini(&f);
    ck_assert_msg(load(&f, text) == 0, "%s in\n%s", err, text);
    expect_full(&f);
    mrct_facts_fini(&f);
    free(text);
}
END_TEST

START_TEST(leaves_out_anything)
{
    struct mrct_facts f;
    char *text = NULL;
    size_t len = 0;
    ck_assert_int_eq(load(&f, "{}\n"), 0);
    ck_assert_int_eq(f.path_mtu, MRCT_UNKNOWN);
    ck_assert(!f.have_ports && !f.have_dscp && !f.have_tap);
    ck_assert_uint_eq(f.wire.udp_port_count, 2); /* 4791 and 4971 (Q1) */
    ck_assert_int_eq(f.tap, MRCT_TAP_MIDDLE);
    FILE *const out = open_memstream(&text, &len);
    mrct_facts_write(&f, out);
    fclose(out);
    ck_assert_int_eq(load(&f, text), 0);
    free(text);
    ck_assert_int_eq(load(&f, "path_mtu:\nhosts:\n  - {}\n  - {name: b}\nqps:\n  - {qpn: 1}\n"), 0);
    ck_assert_str_eq(f.hosts[0].name, "host1");
    ck_assert_uint_eq(f.qp_count, 0); /* it belongs to nobody */
    mrct_facts_fini(&f);
}
END_TEST

/* A file that must be refused: the line that is named, and words that say why. */
static const struct {
    const char *yaml;
    int line;
    const char *words;
} refused[] = {
    {"path_mtu: 100\n", 1, "path_mtu must be"},
    {"path_mtu: [1]\n", 1, "path_mtu must be"},
    {"\npath_mtu: 256\nmtu: 9\n", 3, "mtu"},
    {"udp_ports: 4791\n", 1, "udp_ports must be a list"},
    {"udp_ports: []\n", 1, "1 to 8 ports"},
    {"udp_ports: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n", 1, "1 to 8 ports"},
    {"udp_ports:\n  - 1\n  - 65536\n", 3, "1 to 65535"},
    {"udp_ports: [http]\n", 1, "1 to 65535"},
    {"dscp:\n  trimmed: 64\n", 2, "0 to 63"},
    {"dscp:\n  control: 1\n  other: 2\n", 3, "other"},
    {"dscp: 4\n", 1, ""},
    {"tap: top\n", 1, "requestor, responder"},
    {"hosts:\n  - {name: a}\n  - {name: a}\n", 3, "taken"},
    {"hosts:\n  - {name: a, addresses: [x]}\n", 2, "address was expected"},
    {"hosts:\n  - {name: a, addresses: [{ip: 1.2.3.4, plane: -1}]}\n", 2, "plane must be"},
    {"hosts:\n  - {name: a, addresses: [1.2.3.4]}\n  - {addresses: [1.2.3.4]}\n", 3, "twice"},
    {"hosts: {name: a}\n", 1, "must be a list"},
    {"hosts:\n  - a\n", 2, ""},
    {"qps:\n  - {host: a}\n", 2, "none of the hosts"},
    {"qps:\n  - qpn: 16777216\n", 2, "qpn must be a number"},
    {"qps:\n  - mpr: eight\n", 2, "mpr must be a number"},
    {"qps:\n  - {qpn: 1,\n     trim_nack: 2}\n", 3, "trim_nack must be true"},
    {"qps:\n  - timeout: 25\n", 2, "0 to 24"},
    {"qps:\n  - {qpn: 1}\n  - {speed: 1}\n", 3, "speed"},
    {"hosts:\n  - {name: a\n", 3, ""},
    {"- 1\n", 1, ""},
};

START_TEST(names_the_line_of_an_error)
{
    struct mrct_facts f;
    char where[500];
    ck_assert_msg(load(&f, refused[_i].yaml) == -1, "taken: %s", refused[_i].yaml);
    snprintf(where, sizeof(where), "%s:%d: ", scratch_path("facts.yaml"), refused[_i].line);
    ck_assert_msg(strncmp(err, where, strlen(where)) == 0, "%s, for\n%s", err, refused[_i].yaml);
    ck_assert_msg(strstr(err, refused[_i].words) != NULL, "%s", err);
    ck_assert_ptr_null(strchr(err, '\n'));
    mrct_facts_fini(&f);
}
END_TEST

START_TEST(says_that_a_file_is_missing)
{
    struct mrct_facts f;
    mrct_facts_init(&f);
    ck_assert_int_eq(mrct_facts_load(&f, scratch_path("none"), err, sizeof(err)), -1);
    ck_assert_ptr_nonnull(strstr(err, "No such file"));
    mrct_facts_fini(&f);
}
END_TEST

START_TEST(finds_a_host_among_many)
{
    struct mrct_facts f;
    char name[32];
    uint8_t ip[16] = {0xFD};
    mrct_facts_init(&f);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "h%d", i);
        ip[14] = (uint8_t)(i >> 8);
        ip[15] = (uint8_t)i;
        ck_assert_int_eq(mrct_facts_add_host(&f, name), i);
        ck_assert_int_eq(mrct_facts_add_addr(&f, i, true, ip, MRCT_UNKNOWN), 0);
        ck_assert_int_eq(mrct_facts_add_addr(&f, i, true, ip, MRCT_UNKNOWN), -1);
    }
    for (int i = 0; i < 1000; i++) {
        ip[14] = (uint8_t)(i >> 8);
        ip[15] = (uint8_t)i;
        ck_assert_int_eq(mrct_facts_host_of(&f, true, ip), i);
    }
    ip[13] = 1;
    ck_assert_int_eq(mrct_facts_host_of(&f, true, ip), -1);
    ck_assert_int_eq(mrct_facts_host_named(&f, "h999"), 999);
    ck_assert_int_eq(mrct_facts_host_named(&f, "h1000"), -1);
    mrct_facts_fini(&f);
}
END_TEST

Suite *trace_facts_suite(void)
{
    Suite *const s = suite_create("facts");
    TCase *const t = tcase_create("facts");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, gives_every_fact);
    tcase_add_test(t, writes_what_it_reads);
    tcase_add_test(t, leaves_out_anything);
    tcase_add_loop_test(t, names_the_line_of_an_error, 0,
                        (int)(sizeof(refused) / sizeof(refused[0])));
    tcase_add_test(t, says_that_a_file_is_missing);
    tcase_add_test(t, finds_a_host_among_many);
    suite_add_tcase(s, t);
    return s;
}
