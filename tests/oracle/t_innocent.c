/* SPDX-License-Identifier: BSD-2-Clause */
/* Responders that do something unusual and allowed: nobody accuses them. */
#include "ref/endpoint/mrc_ep.h"
#include "tests/oracle/mirror.h"
#include "tests/oracle/suites.h"

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* One SACK for several that asked, after a while; the last one is its trigger. */
static void coalesces(struct mirror *m)
{
    for (uint32_t n = 1; n < 200; n++) {
        struct mrc_pkt p = mirror_request(m, n);
        p.bth.a = 1;
        mirror_come(m, &p);
        if (n % 8 != 0)
            continue;
        talk_wait(&m->t, 20000);
        const struct mrc_pkt s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
    }
}

/* A SACK shows the state of its own sending, long after its trigger, or any one in between. */
static void shows_late_state(struct mirror *m)
{
    uint64_t seed = 5;
    for (uint32_t n = 1; n < 240; n += 8) {
        struct mrc_pkt p = mirror_request(m, n);
        p.bth.rtx = 1;
        mirror_come(m, &p);
        const uint32_t later = next_random(&seed) % 7;
        if (later > 0)
            mirror_come_all(m, n + 1, n + later);
        const struct mrc_pkt s = mirror_sack(m, &p);
        mirror_come_all(m, n + later + 1, n + 7);
        talk_wait(&m->t, next_random(&seed) % 5000);
        talk_frame(&m->t, &s);
    }
}

/* Service delays of up to milliseconds, random. */
static void is_slow(struct mirror *m)
{
    uint64_t seed = 9;
    for (uint32_t n = 1; n < 200; n++) {
        struct mrc_pkt p = mirror_request(m, n);
        p.bth.a = 1;
        mirror_come(m, &p);
        const struct mrc_pkt s = mirror_sack(m, &p);
        talk_wait(&m->t, next_random(&seed) % 4000000);
        talk_frame(&m->t, &s);
    }
}

/* Only the last of the A requests is acknowledged, once all before it are there. */
static void acks_the_last(struct mirror *m)
{
    for (uint32_t n = 0; n < 100; n++) {
        struct mrc_pkt p = mirror_request(m, n);
        p.bth.a = 1;
        mirror_come(m, &p);
        const struct mrc_pkt s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
    }
    const struct mrc_pkt a = mirror_ack(m);
    talk_frame(&m->t, &a);
}

/* It cannot keep a packet, says so, and goes on without it. */
static void refuses_one(struct mirror *m)
{
    static const uint8_t reasons[] = {MRC_NACK_NO_BITMAP, MRC_NACK_NO_PKT_BUFFER,
                                      MRC_NACK_NO_RESOURCE};
    for (uint32_t n = 1; n < 120; n += 4) {
        const struct mrc_pkt lost = mirror_request(m, n);
        talk_frame(&m->t, &lost); /* the mirror does not count it */
        const struct mrc_pkt no = mirror_nack(&lost, reasons[n / 4 % 3]);
        talk_frame(&m->t, &no);
        mirror_come_all(m, n + 1, n + 2);
        struct mrc_pkt p = mirror_request(m, n + 3);
        p.bth.a = 1;
        mirror_come(m, &p);
        struct mrc_pkt s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
        p = talk_again(&lost, 0x7000u + n);
        mirror_come(m, &p);
        s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
    }
}

/* The NACK comes behind SACKs that show already that the packet was not kept. */
static void refuses_late(struct mirror *m)
{
    for (uint32_t n = 1; n < 120; n += 4) {
        const struct mrc_pkt lost = mirror_request(m, n);
        talk_frame(&m->t, &lost); /* the mirror does not count it */
        mirror_come_all(m, n + 1, n + 2);
        struct mrc_pkt p = mirror_request(m, n + 3);
        p.bth.a = 1;
        mirror_come(m, &p);
        struct mrc_pkt s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
        talk_wait(&m->t, 100000);
        const struct mrc_pkt no = mirror_nack(&lost, MRC_NACK_NO_RESOURCE);
        talk_frame(&m->t, &no);
        p = talk_again(&lost, 0x7000u + n);
        mirror_come(m, &p);
        s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
    }
}

/* Of two copies it turned the first away and took the second, which is no duplicate then. */
static void takes_the_copy(struct mirror *m)
{
    for (uint32_t n = 0; n < 40; n++) {
        const struct mrc_pkt p = mirror_request(m, n);
        talk_frame(&m->t, &p); /* the mirror does not count it */
        mirror_come(m, &p);
        const struct mrc_pkt no = mirror_nack(&p, MRC_NACK_NO_BITMAP);
        talk_frame(&m->t, &no);
    }
    mirror_long_after(m, 60);
}

/* Quick as it is, a port that is down keeps its answers for a while; it tells of the change. */
static void loses_its_port(struct mirror *m)
{
    acks_the_last(m);
    struct mrc_pkt p = mirror_request(m, 100);
    p.bth.a = 1;
    mirror_come(m, &p);
    const struct mrct_event down = {.kind = MRCT_EVENT_PORT, .plane = 0, .ok = false};
    mirror_event(m, &down);
    talk_wait(&m->t, 300000);
    const struct mrct_event up = {.kind = MRCT_EVENT_PORT, .plane = 0, .ok = true};
    mirror_event(m, &up);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    s = mirror_ack(m);
    talk_frame(&m->t, &s);
}

/* A NAK, and then no word more. */
static void goes_to_error(struct mirror *m)
{
    mirror_come_all(m, 0, 3);
    const struct mrc_pkt nak = talk_ack(m->start, 0, MRC_SYN_REMOTE_ACCESS);
    talk_frame(&m->t, &nak);
    for (uint32_t n = 4; n < 20; n++) {
        struct mrc_pkt p = mirror_request(m, n);
        p.bth.a = p.bth.rtx = 1;
        mirror_come(m, &p);
    }
    mirror_long_after(m, 30);
}

/* Nothing posted for the immediate data: ERROR without a word. */
static void falls_silent(struct mirror *m)
{
    struct mrc_pkt p = mirror_request(m, 0);
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    s = mirror_ack(m);
    talk_frame(&m->t, &s);
    p = mirror_imm(m, 1, 5);
    p.bth.a = 1;
    mirror_come(m, &p);
    mirror_long_after(m, 2);
}

/* A trimmed packet whose PSN had arrived: NACK, SACK, or nothing (Q26). */
static void trimmed_duplicates(struct mirror *m)
{
    for (uint32_t n = 1; n < 60; n++) {
        const struct mrc_pkt whole = mirror_request(m, n);
        mirror_come(m, &whole);
        const struct mrc_pkt cut = mirror_trimmed(&whole, MRC_TRIM_TRIMMED);
        mirror_come(m, &cut);
        const struct mrc_pkt no = mirror_nack(&cut, MRC_NACK_TRIMMED);
        const struct mrc_pkt s = mirror_sack(m, &cut);
        if (n % 3 == 0)
            talk_frame(&m->t, &no);
        if (n % 3 == 1)
            talk_frame(&m->t, &s);
    }
}

/* SACKs that nothing asked for, and the same one twice: a smaller threshold is no fault. */
static void is_talkative(struct mirror *m)
{
    for (uint32_t n = 1; n < 100; n++) {
        const struct mrc_pkt p = mirror_request(m, n);
        mirror_come(m, &p);
        const struct mrc_pkt s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
        talk_frame(&m->t, &s);
    }
}

/* The answers to every second request come a service time later, when the next one is there
 * already: the ACK covers both, looks quick for the one and slow for the other. */
static void answers_the_one_before(struct mirror *m)
{
    for (uint32_t n = 0; n < 60; n += 2) {
        struct mrc_pkt p = mirror_request(m, n), next = mirror_request(m, n + 1);
        p.bth.a = next.bth.a = 1;
        mirror_come(m, &p);
        talk_wait(&m->t, 50000);
        mirror_come(m, &next);
        const struct mrc_pkt s = mirror_sack(m, &p), a = mirror_ack(m);
        talk_frame(&m->t, &s);
        talk_frame(&m->t, &a);
    }
}

/* The first packet is turned away, and its NACK waits long: what is counted without it looks like
 * another reading of Q12, and later like too much by that reading. */
static void counts_without_the_refused(struct mirror *m)
{
    const struct mrc_pkt lost = mirror_request(m, 0);
    talk_frame(&m->t, &lost); /* the mirror does not count it */
    struct mrc_pkt p = mirror_request(m, 1);
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    mirror_come(m, &p);
    s = mirror_sack(m, &p);
    talk_frame(&m->t, &s);
    for (uint32_t n = 2; n < 6; n++) {
        p = mirror_request(m, n);
        mirror_come(m, &p);
        s = mirror_sack(m, &p);
        talk_frame(&m->t, &s);
    }
    const struct mrc_pkt no = mirror_nack(&lost, MRC_NACK_NO_PKT_BUFFER);
    talk_frame(&m->t, &no);
}

/* An immediate is turned away, and no port is left for the NACK; of others it spoke before. */
static void refuses_unheard(struct mirror *m)
{
    mirror_come_all(m, 0, 2);
    const struct mrc_pkt lost = mirror_imm(m, 3, 7);
    talk_frame(&m->t, &lost); /* the mirror does not count it */
    struct mrc_pkt cut = mirror_request(m, 4);
    cut = mirror_trimmed(&cut, MRC_TRIM_TRIMMED);
    mirror_come(m, &cut);
    const struct mrc_pkt no = mirror_nack(&cut, MRC_NACK_TRIMMED);
    talk_frame(&m->t, &no);
    mirror_long_after(m, 5);
}

/* The NACK of the first packet waits while more come than anybody remembers. */
static void refuses_long_ago(struct mirror *m)
{
    const struct mrc_pkt lost = mirror_request(m, 0);
    struct mrc_pkt p = lost;
    talk_frame(&m->t, &lost); /* the mirror does not count it */
    for (uint32_t i = 1; i <= 1500; i++) {
        p.bth.psn = mrc_psn_add(m->start, (int32_t)i);
        p.bth.a = i == 1500;
        p.tseth.tx_timestamp = (uint16_t)(i * 2 + 1);
        p.meth.msn = (uint16_t)i;
        talk_frame(&m->t, &p);
        m->bytes += p.nominal_len;
    }
    const struct mrc_pkt no = mirror_nack(&lost, MRC_NACK_NO_RESOURCE);
    talk_frame(&m->t, &no);
    struct mrc_pkt s = mirror_sack(m, &p);
    s.seth.sack_offset = 1501 - 63;
    s.seth.sack_bitmap = UINT64_MAX;
    s.cc_state.ooo_count = 1500;
    talk_frame(&m->t, &s);
    mirror_long_after(m, 1);
}

/* What is trimmed and lies above the window is dropped without a word (Q2 a), though the window was
 * told smaller only afterwards. */
static void trimmed_above_the_window(struct mirror *m)
{
    static const int32_t far[] = {600, 1500};
    struct mrc_pkt p = mirror_request(m, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct mrc_pkt cut = mirror_trimmed(&p, MRC_TRIM_TRIMMED);
        cut.bth.psn = mrc_psn_add(m->start, far[i]);
        talk_frame(&m->t, &cut);
    }
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    s.seth.mpr = 2;
    talk_frame(&m->t, &s);
    s = mirror_ack(m);
    talk_frame(&m->t, &s);
    mirror_long_after(m, 1);
}

/* Its window shrank before it could tell: it did not take the last of what came, and expects less
 * than these make one think. */
static void shrinks_untold(struct mirror *m)
{
    mirror_come_all(m, 0, 250);
    struct mrc_pkt p = mirror_request(m, 0);
    for (int32_t i = 251; i <= 300; i++) {
        p.bth.psn = mrc_psn_add(m->start, i);
        talk_frame(&m->t, &p); /* the mirror does not count it */
    }
    const struct mrc_pkt last = mirror_request(m, 250);
    struct mrc_pkt s = mirror_sack(m, &last);
    s.seth.mpr = 2;
    talk_frame(&m->t, &s);
    p.bth.psn = mrc_psn_add(m->start, 530);
    p.bth.a = p.bth.rtx = 1;
    talk_frame(&m->t, &p);
    mirror_long_after(m, 1);
}

/* With dynamic MPR, whether a packet far ahead was kept is the responder's choice. */
static void window_changes(struct mirror *m)
{
    struct mrc_pkt p = mirror_request(m, 1);
    p.bth.psn = mrc_psn_add(m->start, 2000);
    talk_frame(&m->t, &p); /* the mirror does not count it */
    p = mirror_request(m, 1);
    p.bth.a = 1;
    mirror_come(m, &p);
    struct mrc_pkt s = mirror_sack(m, &p);
    s.seth.mpr = 8;
    talk_frame(&m->t, &s);
}

/* PSNs run through the whole circle. */
static void goes_round(struct mirror *m)
{
    for (uint32_t i = 0; i < 3000; i++) {

        struct mrc_pkt p = mirror_request(m, 0);
        p.bth.psn = mrc_psn_add(m->start, (int32_t)i);
        p.bth.a = 1;
        p.tseth.tx_timestamp = (uint16_t)(i * 96 + 1);
        p.meth.msn = (uint16_t)i;
        talk_frame(&m->t, &p);
        m->bytes += p.nominal_len;
        struct mrc_pkt s = mirror_sack(m, &p);
        s.seth.cack_psn = s.bth.psn = p.bth.psn;
        s.seth.ack_psn_offset = 0;
        talk_frame(&m->t, &s);
        const struct mrc_pkt a = talk_ack(p.bth.psn, i + 1, MRC_SYN_ACK);
        talk_frame(&m->t, &a);
    }
}

static const struct {
    void (*story)(struct mirror *m);
    bool dynamic;
    uint32_t start;
} stories[] = {
    {coalesces, false, 100},
    {shows_late_state, false, 100},
    {is_slow, false, 100},
    {acks_the_last, false, 100},
    {refuses_one, false, 100},
    {goes_to_error, false, 100},
    {falls_silent, false, 100},
    {trimmed_duplicates, false, 100},
    {is_talkative, false, 100},
    {refuses_late, false, 100},
    {takes_the_copy, false, 100},
    {loses_its_port, false, 100},
    {window_changes, true, 100},
    {goes_round, false, 0xFFFA00},
    {answers_the_one_before, false, 100},
    {counts_without_the_refused, false, 100},
    {refuses_unheard, false, 100},
    {shrinks_untold, true, 100},
    {refuses_long_ago, false, 100},
    {trimmed_above_the_window, true, 100},
};

START_TEST(nobody_is_accused)
{
    static struct mirror m;
    mirror_init(&m, stories[_i].start);
    talk_qp(&m.t)->dynamic_mpr = stories[_i].dynamic;
    m.t.cfg.have_events = stories[_i].story == refuses_unheard;
    mirror_begin(&m);
    stories[_i].story(&m);
    mirror_end(&m, NULL);
    talk_all_hold(&m.t);
}
END_TEST

Suite *oracle_innocent_suite(void)
{
    Suite *const s = suite_create("innocent");
    TCase *const t = tcase_create("innocent");
    tcase_add_loop_test(t, nobody_is_accused, 0, (int)(sizeof(stories) / sizeof(stories[0])));
    suite_add_tcase(s, t);
    return s;
}
