/* SPDX-License-Identifier: BSD-2-Clause */
/* REQ-8-04: rounds of small requests, each answered by one SACK that asks for a penalty or not. */
#include "tests/oracle/suites.h"
#include "tests/oracle/talk.h"
#include <string.h>

#define CHECK  "penalty-obeyed"
#define ROUNDS 7u

struct plan {
    unsigned burst;  /* requests in a round */
    uint8_t pen;     /* of each SACK */
    unsigned relief; /* every so many rounds the SACK has no penalty; 0: never */
    bool nacks;      /* a request of each round is refused */
};

static void rounds(struct talk *t, const struct plan *p)
{
    uint32_t psn = TALK_START_PSN;
    uint16_t msn = 0;
    talk_init(t);
    talk_begin(t);
    for (unsigned r = 1; r <= ROUNDS; r++) {
        for (unsigned i = 0; i < p->burst; i++) {
            struct mrc_pkt k = talk_only(psn++, msn++);
            k.nominal_len = 120;
            talk_frame(t, &k);
            if (p->nacks && i == 0) {
                const struct mrc_pkt n = talk_nack(&k, MRC_NACK_NO_RESOURCE);
                talk_frame(t, &n);
            }
        }
        struct mrc_pkt s = talk_sack(psn - 1, 0);
        const bool relieved = p->relief > 0 && r % p->relief == 0;
        s.cc_state.rcv_cwnd_pen = relieved ? 0 : p->pen;
        talk_wait(t, 5000);
        talk_frame(t, &s);
    }
    talk_end(t);
}

static bool spoke(const struct talk *t)
{
    for (size_t i = 0; i < t->w.count; i++)
        if (t->w.found[i].kind != MRCT_FINDING_INCONCLUSIVE &&
            strcmp(t->w.found[i].check, CHECK) == 0)
            return true;
    return false;
}

START_TEST(obeyed)
{
    struct talk t;
    rounds(&t, &(struct plan){.burst = 1, .pen = 127});
    ck_assert(!spoke(&t));
    watch_stop(&t.w);
}
END_TEST

START_TEST(ignored)
{
    struct talk t;
    rounds(&t, &(struct plan){.burst = 60, .pen = 127});
    ck_assert(spoke(&t));
    watch_stop(&t.w);
}
END_TEST

/* Less than all of the window is no packet a round trip. */
START_TEST(smaller)
{
    struct talk t;
    rounds(&t, &(struct plan){.burst = 60, .pen = 126});
    ck_assert(!spoke(&t));
    watch_stop(&t.w);
}
END_TEST

/* A SACK without it lets the window grow. */
START_TEST(with_relief)
{
    struct talk t;
    rounds(&t, &(struct plan){.burst = 60, .pen = 127, .relief = 3});
    ck_assert(!spoke(&t));
    watch_stop(&t.w);
}
END_TEST

/* What was refused is in flight no more, and no SACK says so. */
START_TEST(with_nacks)
{
    struct talk t;
    rounds(&t, &(struct plan){.burst = 60, .pen = 127, .nacks = true});
    ck_assert(!spoke(&t));
    watch_stop(&t.w);
}
END_TEST

Suite *oracle_penalty_suite(void)
{
    Suite *s = suite_create("penalty");
    TCase *tc = tcase_create("rounds");
    tcase_add_test(tc, obeyed);
    tcase_add_test(tc, ignored);
    tcase_add_test(tc, smaller);
    tcase_add_test(tc, with_relief);
    tcase_add_test(tc, with_nacks);
    suite_add_tcase(s, tc);
    return s;
}
