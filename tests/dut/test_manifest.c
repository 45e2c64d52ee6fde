/* SPDX-License-Identifier: BSD-2-Clause */
/* The manifest of a device: what it may say, and the sentence for each thing that it may not. */
#include "harness/dut/manifest.h"
#include "tests/dut/suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int load(struct mrct_manifest *m, const char *text, char *path, char err[600])
{
    strcpy(path, "/tmp/mrct-manifest-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    const int rc = mrct_manifest_load(m, path, err, 600);
    unlink(path);
    return rc;
}

static const char full[] =
    "name: acme-1\n"
    "vendor: ACME\n"
    "version: \"2.1\"\n"
    "firmware: \"20.41\"\n"
    "agent: {command: [./agent, --fast], patience: 500ms}\n"
    "ports:\n"
    "  - {plane: 1, interface: eth2, ip: 10.0.0.1, mac: \"02:00:00:00:00:0f\"}\n"
    "  - {plane: 0, ip: \"fd00::1\"}\n"
    "capabilities: [write_imm, planes]\n"
    "pics: {MC-1: yes}\n"
    "pixit: {reaction: 20us}\n"
    "known_failures:\n"
    "  - {case: sack/on-ce, reason: known, expires: 2027-01-01}\n";

START_TEST(everything)
{
    struct mrct_manifest m;
    char path[64], err[600];
    ck_assert_msg(load(&m, full, path, err) == 0, "%s", err);
    ck_assert_str_eq(m.name, "acme-1");
    ck_assert_str_eq(m.vendor, "ACME");
    ck_assert_str_eq(m.version, "2.1");
    ck_assert_str_eq(m.firmware, "20.41");
    ck_assert_str_eq(m.command[0], "./agent");
    ck_assert_str_eq(m.command[1], "--fast");
    ck_assert_ptr_null(m.command[2]);
    ck_assert_str_eq(m.folder, "/tmp");
    ck_assert_uint_eq(m.patience_ns, 500000000);
    ck_assert(m.exclusive);
    ck_assert_uint_eq(m.port_count, 2);
    ck_assert_uint_eq(m.ports[0].plane, 1);
    ck_assert_str_eq(m.ports[0].interface, "eth2");
    ck_assert(!m.ports[0].addr.is_v6);
    ck_assert_uint_eq(m.ports[0].addr.mac[5], 15);
    ck_assert(m.ports[1].addr.is_v6);
    ck_assert(mrct_manifest_claims(&m, "planes"));
    ck_assert(!mrct_manifest_claims(&m, "vlan"));
    ck_assert_int_eq(m.capability_lines[0], 9);
    ck_assert_ptr_nonnull(mrct_manifest_section(&m, "pics"));
    ck_assert_ptr_nonnull(mrct_manifest_section(&m, "pixit"));
    ck_assert_uint_eq(mrc_yaml_count(mrct_manifest_section(&m, "known_failures")), 1);
    mrct_manifest_fini(&m);
}
END_TEST

START_TEST(least)
{
    struct mrct_manifest m;
    char path[64], err[600];
    ck_assert_msg(load(&m, "name: a\nagent: {command: \"exec ./a -x\"}\n", path, err) == 0, "%s",
                  err);
    ck_assert_str_eq(m.command[0], "/bin/sh");
    ck_assert_str_eq(m.command[2], "exec ./a -x");
    ck_assert_ptr_null(m.command[3]);
    ck_assert_uint_eq(m.patience_ns, MRCT_PATIENCE_NS);
    ck_assert(!m.exclusive);
    ck_assert(!m.has_capabilities);
    ck_assert_str_eq(m.firmware, "");
    mrct_manifest_fini(&m);
    ck_assert_int_eq(load(&m, "name: a\nagent: {address: \"localhost:4900\"}\n", path, err), 0);
    ck_assert_str_eq(m.address, "localhost:4900");
    ck_assert_ptr_null(m.command[0]);
    ck_assert(m.exclusive);
    mrct_manifest_fini(&m);
}
END_TEST

static const struct {
    const char *text, *says; /* says: behind "FILE" */
} bad[] = {
    {"", ": empty file"},
    {"[a]", ":1: a map was expected: name, agent, ..."},
    {"agent: {command: x}\n", ":1: 'name' is missing"},
    {"name: a\n", ":1: agent: is missing; it says how the device is reached"},
    {"name: a\nagent: {}\n", ":2: agent: either 'command' or 'address' was expected"},
    {"name: a\nagent: {command: x, address: \"h:1\"}\n",
     ":2: agent: either 'command' or 'address' was expected"},
    {"name: a b\nagent: {command: x}\n", ":1: name: 1 to 40 letters, digits, '.', '_' and '-' were "
                                         "expected, beginning with a letter or "
                                         "digit and without '--'"},
    {"name: ../a\nagent: {command: x}\n", ":1: name: 1 to 40 letters, digits, '.', '_' and '-' "
                                          "were expected, beginning with a letter or "
                                          "digit and without '--'"},
    {"name: a\nagent: {command: []}\n",
     ":2: command: a line for the shell, or a list of at most 64 words, was expected"},
    {"name: a\nagent: {address: here}\n", ":2: address: 'HOST:PORT' was expected"},
    {"name: a\nagent: {command: x, patience: 5}\n",
     ":2: patience: a time of 1ms to 60m was expected, such as 500ms or 10s"},
    {"name: a\nagent: {command: x}\nports: [{plane: 0}, {plane: 0}]\n",
     ":3: ports: plane 0 stands there twice"},
    {"name: a\nagent: {command: x}\nports: [{plane: 0, ip: 10.0.0}]\n",
     ":3: ip: '10.0.0' is no address"},
    {"name: a\nagent: {command: x}\nports: [{plane: 0, mac: \"02:00\"}]\n",
     ":3: mac: '02:00:00:00:00:01' was expected"},
    {"name: a\nagent: {command: x}\ncapabilities: [vlan, vlan]\n",
     ":3: capabilities: 'vlan' stands there twice"},
    {"name: a\nagent: {command: x}\ncapabilities: vlan\n",
     ":3: capabilities: a list of at most 32 was expected"},
    {"name: a\nagent: {command: x}\nfirmwear: 1\n", ":3: unknown key 'firmwear'"},
};

START_TEST(refused)
{
    struct mrct_manifest m;
    char path[64], err[600], want[700];
    ck_assert_int_ne(load(&m, bad[_i].text, path, err), 0);
    snprintf(want, sizeof want, "%s%s", path, bad[_i].says);
    ck_assert_str_eq(err, want);
}
END_TEST

START_TEST(not_there)
{
    struct mrct_manifest m;
    char err[600];
    ck_assert_int_ne(mrct_manifest_load(&m, "/nowhere/x.yaml", err, sizeof err), 0);
    ck_assert_str_eq(err, "/nowhere/x.yaml: No such file or directory");
}
END_TEST

Suite *manifest_suite(void)
{
    Suite *const s = suite_create("manifest");
    TCase *const t = tcase_create("manifest");
    tcase_add_test(t, everything);
    tcase_add_test(t, least);
    tcase_add_test(t, not_there);
    tcase_add_loop_test(t, refused, 0, (int)(sizeof bad / sizeof bad[0]));
    suite_add_tcase(s, t);
    return s;
}
