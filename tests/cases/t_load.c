/* SPDX-License-Identifier: BSD-2-Clause */
/* One case that says everything, and one fault at a time with the sentence it gives. */
#include "harness/cases/case.h"
#include "tests/cases/suites.h"

#include <stdio.h>
#include <string.h>

static const char everything[] =
    "id: net/all\n"
    "version: 3\n"
    "title: All keys\n"
    "purpose: >-\n"
    "  Two lines that\n"
    "  become one.\n"
    "requirements: [REQ-6.2-01, REQ-7.5.2-02]\n"
    "references: [\"one\", \"two\"]\n"
    "device: responder\n"
    "capabilities: [ipv4, vlan]\n"
    "topology: {planes: 2, paths: 8, rate: 25gbps, latency: 3us, latency_step: 100ns}\n"
    "options:\n"
    "  path_mtu: 4096\n"
    "  ip: 4\n"
    "  vlan: true\n"
    "  qps: 2\n"
    "  mpr: 10\n"
    "  timeout: 9\n"
    "  cwnd: 1MiB\n"
    "  host1: {start_psn: 0xFFFFF0, tseth: false}\n"
    "  host2: {mpr: 16, told_mpr: 32, q2: a, ev_format: udp, ev_source: generated, q25: b}\n"
    "random: {loss: 1%, mark_ce: 20ppm, delay: 3%, delay_max: 7us}\n"
    "traffic:\n"
    "  - post_recv: {count: 3, qp: 2}\n"
    "  - write: {size: 4KiB, count: 5}\n"
    "  - write_imm: {size: 1, imm: 0xAA, at: 10us, qp: 2, host: host2}\n"
    "  - write: {size: 7, after: completion, target: past_end}\n"
    "  - overwrite: {placed_psn: 4}\n"
    "  - inject: {what: probe, id: 9, plane: 1, ev: 2}\n"
    "  - set_mpr: {mpr: 9, at: 20us}\n"
    "  - shortage: {reason: no_bitmap, count: 2, host: host1}\n"
    "  - shortage: {reason: no_resource, rate: 10%}\n"
    "  - port: {host: host2, plane: 1, state: down, at: 30us}\n"
    "  - ev_state: {qp: 2, plane: 1, ev: 7, state: denied}\n"
    "  - ev_replace: {host: host2, plane: 1, ev: 3}\n"
    "faults:\n"
    "  - drop: {name: lost, direction: requests, psn: 3..5, nth: 1, retransmission: false, hits: "
    "3}\n"
    "  - duplicate: {direction: responses, opcode: sack, copies: 2, delay: 1us}\n"
    "  - corrupt: {direction: requests, field: bth.psn, mask: 0x10, mend: true, ev: 3, plane: 1}\n"
    "  - trim: {direction: requests, last_hop: true, nth: 2..}\n"
    "links:\n"
    "  - {at: 5us, host: host2, plane: 1, path: 7, state: down}\n"
    "expect:\n"
    "  writes: {success: 6, remote_access: 1, flushed: 0..}\n"
    "  qp_error: {host2: local_access}\n"
    "  immediates: 1\n"
    "  memory: false\n"
    "  frames:\n"
    "    - {from: host2, opcode: nack, count: 0}\n"
    "    - {from: host1, opcode: write_only, retransmission: true, count: 1..}\n"
    "positive: net/plain\n"
    "possible_problems: [\"a problem\"]\n"
    "limit: 9ms\n";

static void check_hosts(const struct mrct_case *c)
{
    ck_assert_uint_eq(c->host[0].path_mtu, 4096);
    ck_assert(!c->host[1].ip6 && c->host[1].vlan);
    ck_assert_uint_eq(c->host[0].mpr, 10);
    ck_assert_uint_eq(c->host[1].mpr, 16);
    ck_assert_int_eq(c->host[1].told_mpr, 32);
    ck_assert_int_eq(c->host[0].told_mpr, -1);
    ck_assert_int_eq(c->host[0].start_psn, 0xFFFFF0);
    ck_assert_int_eq(c->host[1].start_psn, -1);
    ck_assert(!c->host[0].tseth && c->host[1].tseth);
    ck_assert_int_eq(c->host[1].q2, 'a');
    ck_assert(c->host[1].q25 == 'b' && c->host[0].q25 == 'a');
    ck_assert(c->host[1].ev_format == MRCT_EV_UDP && c->host[0].ev_format == MRCT_EV_STRUCTURED);
    ck_assert(c->host[1].ev_source == MRCT_EVS_GENERATED && c->host[0].ev_source == MRCT_EVS_LIST);
    ck_assert_uint_eq(c->host[0].cwnd_bytes, 1048576);
    ck_assert_uint_eq(c->host[1].timeout, 9);
}

static void check_steps(const struct mrct_case *c)
{
    const struct mrct_step *const s = c->steps;
    ck_assert_uint_eq(c->step_count, 12);
    ck_assert_int_eq(s[0].kind, MRCT_STEP_RECV);
    ck_assert(s[0].host == 1 && s[0].qp == 2 && s[0].count == 3);
    ck_assert(s[1].kind == MRCT_STEP_WRITE && !s[1].has_imm && s[1].size == 4096);
    ck_assert(s[1].host == 0 && s[1].count == 5 && s[1].when == MRCT_WHEN_NOW);
    ck_assert(s[2].has_imm && s[2].imm == 0xAA && s[2].host == 1 && s[2].when == MRCT_WHEN_AT);
    ck_assert_uint_eq(s[2].at_ns, 10000);
    ck_assert(s[3].when == MRCT_WHEN_COMPLETED && s[3].target == MRCT_TARGET_PAST_END);
    ck_assert(s[4].kind == MRCT_STEP_OVERWRITE && s[4].psn == 4 && s[4].host == 1);
    ck_assert(s[5].kind == MRCT_STEP_INJECT && s[5].inject.id == 9 && s[5].inject.plane == 1);
    ck_assert(s[6].kind == MRCT_STEP_SET_MPR && s[6].mpr == 9 && s[6].host == 1);
    ck_assert(s[7].kind == MRCT_STEP_SHORTAGE && s[7].reason == MRC_NACK_NO_BITMAP);
    ck_assert(s[7].count == 2 && s[7].host == 0 && s[7].rate_ppm == 0);
    ck_assert(s[8].reason == MRC_NACK_NO_RESOURCE && s[8].rate_ppm == 100000);
    ck_assert(s[9].kind == MRCT_STEP_PORT && s[9].host == 1 && s[9].plane == 1 && !s[9].up);
    ck_assert(s[10].kind == MRCT_STEP_EV_STATE && s[10].host == 0 && s[10].qp == 2);
    ck_assert(s[10].ev == 7 && s[10].state == MRC_EV_DENIED);
    ck_assert(s[11].kind == MRCT_STEP_EV_REPLACE && s[11].host == 1 && s[11].plane == 1);
    ck_assert_uint_eq(s[11].ev, 3);
}

static void check_faults(const struct mrct_case *c)
{
    const struct mrct_case_rule *const r = c->rules;
    ck_assert_uint_eq(c->rule_count, 4);
    ck_assert_str_eq(r[0].rule.name, "lost");
    ck_assert(r[0].rule.match.psn_first == 3 && r[0].rule.match.psn_last == 5);
    ck_assert(r[0].rule.match.nth_first == 1 && r[0].rule.match.nth_last == 1);
    ck_assert(r[0].rule.match.direction == 0 && r[0].rule.match.retransmission == 0);
    ck_assert_uint_eq(r[0].hits_min, 3);
    ck_assert_str_eq(r[1].rule.name, "duplicate, line 38");
    ck_assert(r[1].rule.match.direction == 1 && r[1].rule.match.opcode == MRC_OP_SACK);
    ck_assert(r[1].rule.arg == 2 && r[1].rule.arg_ns == 1000 && r[1].hits_min == 1);
    ck_assert_str_eq(r[2].rule.field, "bth.psn");
    ck_assert(r[2].rule.value == 0x10 && r[2].rule.mend_icrc && r[2].ev_index == 3);
    ck_assert(r[3].rule.arg == 1 && r[3].rule.match.nth_first == 2);
    ck_assert_int_eq(r[3].rule.match.nth_last, INT32_MAX);
}

static void check_expect(const struct mrct_case_expect *e)
{
    ck_assert(!e->all_success && e->all_done && !e->memory);
    ck_assert_uint_eq(e->done_min[MRC_WC_SUCCESS], 6);
    ck_assert_uint_eq(e->done_max[MRC_WC_SUCCESS], 6);
    ck_assert_uint_eq(e->done_max[MRC_WC_FLUSHED], INT64_MAX);
    ck_assert_uint_eq(e->done_max[MRC_WC_REMOTE_OP], 0);
    ck_assert(e->qp_error[0] == -1 && e->qp_error[1] == MRC_WC_LOCAL_ACCESS);
    ck_assert(e->imm_min == 1 && e->imm_max == 1);
    ck_assert_uint_eq(e->frame_count, 2);
    ck_assert(e->frames[0].host == 1 && e->frames[0].max == 0);
    ck_assert(e->frames[1].min == 1 && e->frames[1].retransmission == 1);
}

START_TEST(says_everything)
{
    char err[700] = "";
    struct mrct_case c;
    const char *const path = scratch_file("net/all.yaml", everything);
    const int rc = mrct_case_load(&c, path, "net/all", err, sizeof err);
    ck_assert_msg(rc == 0, "%s", err);
    ck_assert_str_eq(c.section, "net");
    ck_assert_str_eq(c.purpose, "Two lines that become one.");
    ck_assert_int_eq(c.version, 3);
    ck_assert_int_eq(c.device, MRCT_DEVICE_RESPONDER);
    ck_assert_uint_eq(c.requirement_count, 2);
    ck_assert_str_eq(c.requirements[1], "REQ-7.5.2-02");
    ck_assert_uint_eq(c.reference_count, 2);
    ck_assert_str_eq(c.capabilities[1], "vlan");
    ck_assert_uint_eq(c.fabric.planes, 2);
    ck_assert_uint_eq(c.fabric.rate_bps, UINT64_C(25000000000));
    ck_assert_uint_eq(c.fabric.latency_step_ns, 100);
    ck_assert_uint_eq(c.fabric.loss_ppm, 10000);
    ck_assert_uint_eq(c.fabric.ce_ppm, 20);
    ck_assert_uint_eq(c.fabric.delay_max_ns, 7000);
    ck_assert_uint_eq(c.qps, 2);
    ck_assert_str_eq(c.positive, "net/plain");
    ck_assert_uint_eq(c.limit_ns, 9000000);
    ck_assert(mrct_case_peer_misled(&c));
    check_hosts(&c);
    check_steps(&c);
    check_faults(&c);
    check_expect(&c.expect);
    ck_assert(c.link_count == 1 && c.links[0].host == 1 && c.links[0].path == 7);
    ck_assert(!c.links[0].up && c.links[0].at_ns == 5000);
    mrct_case_fini(&c);
}
END_TEST

START_TEST(has_defaults)
{
    char err[700] = "";
    struct mrct_case c;
    const char *const path = scratch_case("a/b", "traffic:\n  - write: {size: 1}\n");
    ck_assert_int_eq(mrct_case_load(&c, path, NULL, err, sizeof err), 0);
    ck_assert(c.expect.all_success && c.expect.all_done && c.expect.memory);
    ck_assert(c.expect.qp_error[0] == -1 && c.expect.imm_min == -1);
    ck_assert(c.qps == 1 && c.fabric.planes == 1 && c.host[0].ip6);
    ck_assert(!mrct_case_peer_misled(&c));
    mrct_case_fini(&c);
}
END_TEST

/* What stands behind the head of the case (lines 1 to 5), and the sentence it gives. */
static const struct {
    const char *more, *sentence;
} faults[] = {
    {"", "1: either 'traffic' or 'script' was expected"},
    {"traffic: [", "7: did not find expected node content"},
    {"trafic: []\n",
     "6: unknown key 'trafic'; known here: id, version, title, purpose, requirements, references, "
     "device, capabilities, topology, options, random, traffic, preamble, postamble, repeat, "
     "script, faults, links, expect, "
     "positive, "
     "possible_problems, exact_time, limit"},
    {"title: again\ntraffic: []\n", "6: the key 'title' stands twice"},
    {"traffic: 3\n", "6: traffic: a list was expected"},
    {"traffic:\n  - write: {size: 0}\n", "7: size: 0 is not in 1..67108864"},
    {"traffic:\n  - write: {count: 1}\n", "7: the key 'size' is missing"},
    {"traffic:\n  - write: {size: big}\n", "7: size: 'big' is not a size like 512, 64KiB or 3MiB"},
    {"traffic:\n  - write: {size: 1, at: 10}\n",
     "7: at: '10' is not a duration like 250ns, 10us, 2ms or 1s"},
    {"traffic:\n  - write: {size: 1, after: dinner}\n", "7: after: 'dinner' is none of completion"},
    {"traffic:\n  - write: {size: 1, host: host3}\n", "7: host: 'host3' is none of host1, host2"},
    {"traffic:\n  - write: {size: 1, qp: 2}\n", "7: qp: 2 was given, but the case has 1"},
    {"traffic:\n  - write: {size: 1MiB, count: 100}\n",
     "7: the writes carry more than 67108864 bytes"},
    {"traffic:\n  - write: {size: 9, count: 2, target: before}\n",
     "7: count: 1 was expected with a target not good"},
    {"traffic:\n  - send: {size: 1}\n",
     "7: traffic: a step was expected: write, write_imm, post_recv, overwrite, inject, set_mpr, "
     "shortage, port, ev_state or ev_replace, with its keys in braces"},
    {"traffic:\n  - shortage: {reason: none}\n",
     "7: reason: 'none' is none of no_bitmap, no_packet_buffer, no_resource, unexpected_event"},
    {"traffic:\n  - set_mpr: {mpr: 0}\n", "7: mpr: 0 is not in 1..255"},
    {"traffic:\n  - inject: {what: probe, plane: 1}\n", "7: inject: no such plane or EV"},
    {"traffic: []\ntopology: {planes: 17}\n", "7: planes: 17 is not in 1..16"},
    {"traffic: []\ntopology: {rate: fast}\n",
     "7: rate: 'fast' is not a rate like 100gbps or 400mbps"},
    {"traffic: []\noptions: {path_mtu: 1500}\n",
     "7: path_mtu: '1500' is none of 256, 512, 1024, 2048, 4096"},
    {"traffic: []\noptions: {vlan: maybe}\n", "7: vlan: 'maybe' is not true or false"},
    {"traffic: []\noptions:\n  host2:\n    vlan: true\n",
     "9: unknown key 'vlan'; known here: tseth, ecn, trimmable, trim_nack, dynamic_mpr, svc_time, "
     "ev_active, evs, ev_min_active, ev_loss_limit, reverse_probe, ev_format, ev_source, "
     "start_psn, mpr, max_wimm, told_mpr, told_max_wimm, "
     "timeout, linear_cnt, "
     "exp_cnt, "
     "exp_ceiling, cwnd, cc, cc_shared, cwnd_pen, restore_cwnd, service_time, q20, "
     "tseth_every, sack_threshold, sack_min_pkt, reorder_margin, q2, q9, q10, q11, q17, q22, q25, "
     "q26"},
    {"traffic:\n  - port: {plane: 1, state: down}\n", "7: there is no such plane or EV"},
    {"traffic:\n  - port: {plane: 0, state: broken}\n", "7: state: 'broken' is none of down, up"},
    {"traffic:\n  - ev_state: {plane: 0, ev: 8, state: good}\n", "7: there is no such plane or EV"},
    {"traffic:\n  - ev_replace: {plane: 0, ev: 1}\n",
     "7: ev_replace: the host's EVs stand in no profile"},
    {"traffic:\n  - ev_replace: {plane: 0, ev: 8}\noptions: {ev_source: explicit}\n",
     "7: there is no such plane or EV"},
    {"traffic:\n  - ev_state: {plane: 0, ev: 1, state: skip}\n",
     "7: state: 'skip' is none of good, denied"},
    {"traffic: []\noptions: {ev_format: srv6}\n",
     "1: ev_format: SRv6 needs an ev_source of a profile"},
    {"traffic: []\noptions: {ev_format: srv6, ev_source: auto, ip: 4}\n",
     "1: ev_format: SRv6 needs ip: 6"},
    {"traffic: []\noptions: {ev_source: auto, ip: 4}\n",
     "1: ev_source: auto EVs over IPv4 need ev_format: udp"},
    {"traffic: []\nrandom: {loss: 5}\n", "7: loss: '5' is not a share like 0.5% or 200ppm"},
    {"traffic: []\ncapabilities: [telepathy]\n",
     "7: capabilities: 'telepathy' is no known capability"},
    {"traffic: []\nfaults:\n  - lose: {psn: 1}\n",
     "8: faults: a rule was expected: drop, duplicate, delay, reorder, corrupt, mark_ce, trim or "
     "dscp, with its keys in braces"},
    {"traffic: []\nfaults:\n  - drop: {psn: 5..3}\n",
     "8: psn: '5..3' is not a number or a range like 3..5 or 3.."},
    {"traffic: []\nfaults:\n  - drop: {opcode: read}\n",
     "8: opcode: 'read' is none of write_first, write_middle, write_last, write_last_imm, "
     "write_only, write_only_imm, ack, ep_request, ep_response, sack, nack, probe"},
    {"traffic: []\nfaults:\n  - delay: {psn: 5}\n", "8: the key 'by' is missing"},
    {"traffic: []\nfaults:\n  - corrupt: {field: bth.colour, mask: 1}\n",
     "8: field: 'bth.colour' is no field of a header; one like bth.psn was expected"},
    {"traffic: []\nfaults:\n  - corrupt: {field: bth.psn}\n",
     "8: corrupt: a field needs a mask other than 0"},
    {"traffic: []\nfaults:\n  - drop: {path: 4}\n", "8: path: 4 was given, but there are 4 from 0"},
    {"traffic: []\nfaults:\n  - drop: {ev: 1}\n", "8: direction: ev and qp need one"},
    {"traffic: []\nfaults:\n  - drop: {ev: 8, direction: requests}\n",
     "8: ev: 8 was given, but there are 8 from 0"},
    {"traffic: []\nlinks:\n  - {at: 1us, plane: 3, state: down}\n",
     "1: links: entry 1 names a plane or path that is not"},
    {"traffic: []\nlinks:\n  - {at: 1us, state: broken}\n",
     "8: state: 'broken' is none of down, up"},
    {"traffic: []\nexpect: {writes: well}\n", "7: writes: 'well' is none of success, done, any"},
    {"traffic: []\nexpect: {writes: {lost: 1}}\n",
     "7: writes: 'lost' is none of success, retry_exceeded, remote_access, remote_invalid, "
     "remote_op, flushed, rq_empty, local_access, wimm_limit, unexpected_event"},
    {"traffic: []\nexpect: {frames: [{from: host1, opcode: sack}]}\n",
     "7: the key 'count' is missing"},
    {"traffic: []\nlimit: 1h\n", "7: limit: '1h' is not a duration like 250ns, 10us, 2ms or 1s"},
    {"traffic: []\nlimit: 30s\n", "7: limit: 30s is not in 1..20000000000"},
};

START_TEST(names_file_line_and_what_was_expected)
{
    char err[700] = "";
    char want[900];
    struct mrct_case c;
    const char *const path = scratch_case("a/b", faults[_i].more);
    ck_assert_int_eq(mrct_case_load(&c, path, "a/b", err, sizeof err), -1);
    (void)snprintf(want, sizeof want, "%s:%s", path, faults[_i].sentence);
    ck_assert_str_eq(err, want);
}
END_TEST

/* Faults in the head itself: the whole text, and the sentence. */
static const struct {
    const char *text, *sentence;
} heads[] = {
    {"", ": empty file"},
    {"- a list\n", ":1: a map of keys was expected"},
    {"id: a/c\ntitle: t\npurpose: p\nrequirements: [REQ-6-01]\ndevice: both\ntraffic: []\n",
     ":1: id: 'a/b' was expected, after the file's place, not 'a/c'"},
    {"id: a/b\nrequirements: [REQ-0-99]\n", ":2: requirements: 'REQ-0-99' is no known requirement"},
    {"id: a/b\nrequirements: [REQ-6-01, REQ-6-01]\n", ":2: requirements: 'REQ-6-01' stands twice"},
    {"id: a/b\nrequirements: []\n", ":2: requirements: at least one id was expected"},
    {"id: a/b\ndevice: switch\n", ":2: device: 'switch' is none of requestor, responder, both"},
    {"id: a/b\ntitle: \"\"\n", ":2: title: '' is not a text"},
    {"id: a/b\nversion: 0\n", ":2: version: 0 is not in 1..9999"},
    {"id: a/b\npurpose: [1]\n", ":2: purpose: a text was expected"},
};

START_TEST(head_is_checked)
{
    char err[700] = "";
    char want[900];
    struct mrct_case c;
    const char *const path = scratch_file("a/b.yaml", heads[_i].text);
    ck_assert_int_eq(mrct_case_load(&c, path, "a/b", err, sizeof err), -1);
    (void)snprintf(want, sizeof want, "%s%s", path, heads[_i].sentence);
    ck_assert_str_eq(err, want);
}
END_TEST

START_TEST(missing_file)
{
    char err[700] = "";
    char want[900];
    struct mrct_case c;
    const char *const path = scratch_path("none.yaml");
    ck_assert_int_eq(mrct_case_load(&c, path, NULL, err, sizeof err), -1);
    (void)snprintf(want, sizeof want, "%s: No such file or directory", path);
    ck_assert_str_eq(err, want);
}
END_TEST

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *cases_load_suite(void)
{
    Suite *const s = suite_create("load");
    TCase *const t = tcase_create("load");
    tcase_add_checked_fixture(t, scratch_setup, scratch_teardown);
    tcase_add_test(t, says_everything);
    tcase_add_test(t, has_defaults);
    tcase_add_loop_test(t, names_file_line_and_what_was_expected, 0, ROWS(faults));
    tcase_add_loop_test(t, head_is_checked, 0, ROWS(heads));
    tcase_add_test(t, missing_file);
    suite_add_tcase(s, t);
    return s;
}
