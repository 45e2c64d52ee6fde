/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arbitrary text as a script: refused with a sentence, or played to an end. The device is a mirror:
 * it sends back what the script sends, and its application hears of a few things.
 */
#include "harness/cases/script_play.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 300
#define REGION    4096u

static uint8_t memory[4][REGION];
static const uint8_t write_1[64] = {1, 2, 3};

static const uint8_t *write_bytes(void *user, uint64_t n, uint32_t *len_bytes)
{
    (void)user;
    *len_bytes = sizeof write_1;
    return n == 1 ? write_1 : NULL;
}

static void make_world(struct mrct_script_world *w, unsigned host)
{
    static const struct mrc_ev evs[2][4] = {{{0xC0000001u, 0}, {0xC0010002u, 0}, {0xC0020003u, 1}},
                                            {{0xC1000001u, 0}, {0xC1010002u, 0}, {0xC1020003u, 1}}};
    *w = (struct mrct_script_world){.file = "script",
                                    .host = host,
                                    .planes = 2,
                                    .qps = 2,
                                    .qpn = {{17, 18}, {33, 34}},
                                    .start_psn = {{0xFFFFFE, 5}, {7, 0x800000}},
                                    .evs = {evs[0], evs[1]},
                                    .evs_per_plane = {2, 2},
                                    .wrong_rkey = 99,
                                    .path_mtu = 256,
                                    .dest_port = 4791,
                                    .tseth = true,
                                    .ecn = true,
                                    .trimmable = true,
                                    .seed = 1,
                                    .write_bytes = write_bytes};
    mrc_wire_config_default(&w->wire);
    for (unsigned h = 0; h < 2; h++) {
        for (unsigned p = 0; p < 2; p++)
            w->addr[h][p] = (struct mrc_addr){.is_v6 = true, .ip = {0xFD, [15] = (uint8_t)(h + 1)}};
        w->target[h] =
            (struct mrc_mr){.mem = memory[h], .va = 0x1000, .len_bytes = REGION, .rkey = h + 1};
        w->read_only[h] =
            (struct mrc_mr){.mem = memory[2 + h], .va = 0x9000, .len_bytes = REGION, .rkey = h + 5};
        w->before[h] = memory[2 + h];
    }
}

static void hear(struct mrct_player *p, uint64_t now_ns, size_t n)
{
    const struct mrc_ep_event ev = {.kind = (enum mrc_ep_event_kind)(n % 3),
                                    .wr_id = n,
                                    .qpn = 33,
                                    .imm = (uint32_t)n,
                                    .len_bytes = 64};
    mrct_player_event(p, now_ns, &ev);
}

static void play(const struct mrct_script *s, unsigned host)
{
    struct mrct_script_world w;
    make_world(&w, host);
    struct mrct_player *const p = mrct_player_new(s, &w);
    FUZZ_ASSERT(p != NULL);
    uint64_t now_ns = 0;
    static struct mrc_frame f;
    static uint8_t bytes[MRC_FRAME_MAX];
    for (size_t i = 0; i < STEPS_MAX; i++) {
        mrct_player_tick(p, now_ns);
        const int plane = mrct_player_output(p, now_ns, 3, &f);
        if (plane >= 0) {
            const size_t len = mrc_frame_gather(&w.wire, &f, bytes, sizeof bytes);
            FUZZ_ASSERT(len > 0 && plane < 2);
            mrct_player_input(p, now_ns + 1, (unsigned)plane, bytes, len);
            now_ns += 1;
            continue;
        }
        const uint64_t at_ns = mrct_player_deadline(p);
        if (at_ns == MRC_TIME_NEVER)
            hear(p, now_ns, i);
        else {
            FUZZ_ASSERT(at_ns > now_ns || now_ns == 0);
            now_ns = at_ns;
        }
    }
    mrct_player_end(p, now_ns);
    struct mrct_player_why why;
    mrct_player_why(p, &why);
    const enum mrct_player_state state = mrct_player_state(p);
    FUZZ_ASSERT(state != MRCT_PLAYER_PLAYING);
    FUZZ_ASSERT((state == MRCT_PLAYER_DONE) == (why.words[0] == '\0'));
    static uint8_t want[REGION];
    mrct_player_lay(p, memory[1 - host], want, REGION);
    mrct_player_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *const text = malloc(len + 1);
    struct mrct_pool pool;
    struct mrct_script s;
    char err[300] = "";
    int line = 0;
    FUZZ_ASSERT(text != NULL);
    memcpy(text, data, len);
    text[len] = '\0';
    mrct_pool_init(&pool);
    if (mrct_script_parse(&s, &pool, text, 1, &line, err, sizeof err) != 0) {
        FUZZ_ASSERT(err[0] != '\0' && line >= 1);
    } else {
        for (unsigned host = 0; host < 2; host++) {
            err[0] = '\0';
            if (mrct_script_verify(&s, host == 1, 2, 2, &line, err, sizeof err) == 0)
                play(&s, host);
            else
                FUZZ_ASSERT(err[0] != '\0');
        }
    }
    mrct_pool_fini(&pool);
    free(text);
    return 0;
}
