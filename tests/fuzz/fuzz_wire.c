/* SPDX-License-Identifier: BSD-2-Clause */
/* Arbitrary bytes as a frame and as a line: decoding, printing and parsing touch nothing else, and
 * what was decoded well comes back from its own line and encodes again. */
#include "ref/wire/print.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void as_frame(const struct mrc_wire_config *cfg, const uint8_t *data, size_t len)
{
    static char text[MRC_PRINT_FULL_MAX];
    struct mrc_pkt p;
    const enum mrc_wire_error err = mrc_pkt_decode(cfg, data, len, len, true, &p);
    FUZZ_ASSERT((unsigned)err < MRC_WIRE_ERRORS);
    FUZZ_ASSERT(mrc_print_full(&p, err, text, sizeof text) < sizeof text);
    FUZZ_ASSERT(mrc_print_line(&p, err, text, sizeof text) < sizeof text);
    struct mrc_frame f;
    if (mrc_frame_parse(cfg, data, len, &f) != 0)
        return;
    struct mrc_pkt again;
    FUZZ_ASSERT(mrc_pkt_decode_frame(cfg, &f, &again) == MRC_WIRE_OK);
    if (err == MRC_WIRE_OK)
        FUZZ_ASSERT(again.present == p.present && again.payload_len == p.payload_len);
}

static void as_line(const struct mrc_wire_config *cfg, const uint8_t *data, size_t len)
{
    char line[1024];
    char err[256];
    struct mrc_pkt p;
    const size_t n = len < sizeof line - 1 ? len : sizeof line - 1;
    memcpy(line, data, n);
    line[n] = '\0';
    if (mrc_print_parse_line(cfg, line, &p, err, sizeof err) != 0)
        return;
    struct mrc_frame f;
    p.payload = NULL;
    p.payload_len = 0;
    (void)mrc_pkt_encode(cfg, &p, &f);
    (void)mrc_pkt_encode_raw(cfg, &p, &f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mrc_wire_config cfg;
    mrc_wire_config_default(&cfg);
    as_frame(&cfg, data, len);
    as_line(&cfg, data, len);
    return 0;
}
