/* SPDX-License-Identifier: BSD-2-Clause */
/* Arbitrary bytes as a capture file: every frame handed out lies in memory, and it ends. */
#include "harness/trace/capture.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char err[512];
    struct mrct_capture *const c = mrct_capture_open(fuzz_file(data, len), err, sizeof err);
    if (c == NULL)
        return 0;
    struct mrct_capture_frame f;
    uint64_t last = 0;
    volatile uint8_t sum = 0;
    while (mrct_capture_next(c, &f) == MRCT_CAPTURE_FRAME) {
        FUZZ_ASSERT(f.frame_no > last && f.wire_len >= f.cap_len);
        FUZZ_ASSERT(f.iface < mrct_capture_iface_count(c));
        last = f.frame_no;
        for (uint32_t i = 0; i < f.cap_len; i++)
            sum = (uint8_t)(sum + f.bytes[i]);
    }
    FUZZ_ASSERT(mrct_capture_message(c) != NULL);
    mrct_capture_close(c);
    return 0;
}
