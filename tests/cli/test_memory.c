/* SPDX-License-Identifier: BSD-2-Clause */
/* mrct check needs memory for connections, not for frames: a capture that is four times as long
 * (ten times with MRCT_LONG=1) takes no more. */
#include "harness/cli/cli.h"
#include "ref/wire/pkt.h"
#include "tests/cli/suites.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_FRAMES  100000u /* rings have grown to what they may */
#define ACK_EVERY     32u
#define GAP_NS        100u
#define TOLERANCE_KIB 2048

static struct mrc_pkt packet(const struct mrc_wire_config *cfg, uint32_t psn, bool ack)
{
    static const uint8_t payload[32] = {0};
    struct mrc_pkt p;
    memset(&p, 0, sizeof p);
    p.present = 1u << MRC_HDR_ETH | 1u << MRC_HDR_IPV6 | 1u << MRC_HDR_UDP | 1u << MRC_HDR_BTH;
    p.present |= ack ? 1u << MRC_HDR_AETH : 1u << MRC_HDR_METH | 1u << MRC_HDR_RETH;
    p.is_v6 = true;
    p.ip6.hop_limit = 64;
    p.ip6.ecn = 2;
    p.ip6.src[15] = ack ? 2 : 1;
    p.ip6.dst[15] = ack ? 1 : 2;
    p.udp.src_port = 0xC000;
    p.udp.dst_port = cfg->udp_ports[0];
    p.bth.opcode = ack ? MRC_OP_ACK : MRC_OP_WRITE_ONLY;
    p.bth.pkey = 0xFFFF;
    p.bth.dest_qp = ack ? 0x21 : 0x11;
    p.bth.psn = psn & 0xFFFFFFu;
    p.meth.msn = (uint16_t)psn;
    p.aeth.syndrome = MRC_SYN_ACK;
    if (!ack) {
        p.reth.dma_len = p.payload_len = sizeof(payload);
        p.payload = payload;
    }
    return p;
}

static void put(FILE *out, const struct mrc_wire_config *cfg, const struct mrc_pkt *p,
                uint64_t time_ns)
{
    struct mrc_frame f;
    uint8_t bytes[MRC_FRAME_MAX];
    ck_assert_int_eq(mrc_pkt_encode(cfg, p, &f), 0);
    const uint32_t len = (uint32_t)mrc_frame_gather(cfg, &f, bytes, sizeof(bytes));
    const uint32_t head[4] = {(uint32_t)(time_ns / 1000000000), (uint32_t)(time_ns % 1000000000),
                              len, len};
    ck_assert_uint_eq(fwrite(head, sizeof(head), 1, out), 1);
    ck_assert_uint_eq(fwrite(bytes, len, 1, out), 1);
}

static void generate(const char *path, unsigned frames)
{
    static const uint32_t header[6] = {0xA1B23C4D, 2 | 4 << 16, 0, 0, 65535, 1};
    struct mrc_wire_config cfg;
    FILE *const out = fopen(path, "wb");
    mrc_wire_config_default(&cfg);
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(header, sizeof(header), 1, out), 1);
    for (unsigned n = 0, psn = 0; n < frames; n++) {
        const bool ack = n % ACK_EVERY == ACK_EVERY - 1;
        const struct mrc_pkt p = packet(&cfg, ack ? psn - 1 : psn, ack);
        put(out, &cfg, &p, (uint64_t)n * GAP_NS);
        psn += !ack;
    }
    ck_assert_int_eq(fclose(out), 0);
}

/* Greatest memory of a process that judges the capture. */
static long peak_kib(char *path)
{
    struct rusage used;
    int status;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *argv[] = {(char[]){"check"}, (char[]){"--threads"}, (char[]){"1"}, path, NULL};
        const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        _exit(mrct_cmd_check(4, argv));
    }
    ck_assert_int_eq(wait4(child, &status, 0, &used), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), MRCT_EXIT_INCONCLUSIVE);
    return used.ru_maxrss;
}

START_TEST(memory_is_bounded)
{
    const unsigned times = getenv("MRCT_LONG") != NULL ? 10 : 4;
    const char *const tmp = getenv("TMPDIR");
    long peak[2];
    for (unsigned i = 0; i < 2; i++) {
        char path[300];
        snprintf(path, sizeof(path), "%s/mrct-memory.%ld.pcap", tmp == NULL ? "/tmp" : tmp,
                 (long)getpid());
        generate(path, i == 0 ? SHORT_FRAMES : times * SHORT_FRAMES);
        peak[i] = peak_kib(path);
        unlink(path);
    }
    ck_assert_msg(peak[1] <= peak[0] + TOLERANCE_KIB, "%ld KiB, and %ld KiB of %u times the frames",
                  peak[0], peak[1], times);
}
END_TEST

Suite *cli_memory_suite(void)
{
    Suite *const s = suite_create("memory");
    TCase *const t = tcase_create("check");
    tcase_set_timeout(t, 0);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
    tcase_add_test(t, memory_is_bounded);
#else
    (void)memory_is_bounded;
#endif
    suite_add_tcase(s, t);
    return s;
}
