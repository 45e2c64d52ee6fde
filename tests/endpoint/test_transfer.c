/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes from end to end: sizes, both directions, loss, duplication, reordering, wrapped PSNs. */
#include "tests/endpoint/rig.h"
#include "tests/endpoint/suites.h"
#include <string.h>

static struct rig rig;

static void setup(void)
{
    rig_init(&rig);
}

static void teardown(void)
{
    rig_fini(&rig);
}

#define FOREVER UINT64_C(100000000000)

/* Everything posted came back well, and nothing is left behind. */
static void assert_settled(unsigned h, unsigned writes)
{
    ck_assert_uint_eq(rig_events_of(&rig, h, MRC_EVENT_SEND_DONE), writes);
    for (unsigned i = 0; i < writes; i++)
        ck_assert_int_eq(rig_event_of(&rig, h, MRC_EVENT_SEND_DONE, i)->status, MRC_WC_SUCCESS);
    const struct mrc_qp_info info = rig_info(&rig, h);
    ck_assert_int_eq(info.state, MRC_QP_RTS);
    ck_assert_uint_eq(info.outstanding, 0);
    ck_assert_uint_eq(info.lost, 0);
    ck_assert_int_eq(info.inflight_bytes, 0);
    ck_assert_uint_eq(info.snd_una, info.snd_nxt);
    ck_assert_uint_eq(info.ack_una, info.snd_nxt);
    ck_assert_uint_eq(mrc_ep_deadline(rig.host[h].ep), MRC_TIME_NEVER);
}

static const uint32_t sizes[] = {1,    2,    3,     4,     5,      255,     256,    1023,
                                 1024, 1025, 2047,  2048,  2049,   4095,    4096,   4097,
                                 5000, 9999, 65536, 65537, 300001, 1048576, 5000001};
#define SIZES (sizeof sizes / sizeof sizes[0])

START_TEST(every_size)
{
    rig_start(&rig);
    ck_assert_int_eq(rig_write(&rig, 0, 9, 17, 333, sizes[_i]), MRC_EP_OK);
    rig_run(&rig, FOREVER);
    assert_settled(0, 1);
    ck_assert(rig_same(&rig, 0, 17, 333, sizes[_i]));
    const uint32_t pkts = (sizes[_i] + 1023) / 1024;
    ck_assert_uint_eq(rig_count(&rig, 0, -1), pkts);
    ck_assert_uint_eq(rig_info(&rig, 1).epsn, 100 + pkts);
    ck_assert_uint_eq(rig_info(&rig, 1).msn, 1);
}
END_TEST

TCase *tcase_transfer(void)
{
    TCase *tc = tcase_create("transfer");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, every_size, 0, (int)SIZES);
    return tc;
}
