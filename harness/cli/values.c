/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of options that several commands take. */
#include "harness/cli/cli.h"

#include "gen/mrc_req.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool mrct_cli_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, hex ? 16 : 10);
    if (errno != 0 || *end != '\0' || value < min || value > max)
        return false;
    *out = value;
    return true;
}

static bool has_reading(const struct mrc_question *q, char id)
{
    for (size_t i = 0; i < q->reading_count; i++)
        if (q->readings[i].id == id)
            return true;
    return false;
}

/* "Q2=b" up to a comma or the end; returns what follows, or NULL. */
static const char *one_reading(char reading[MRCT_QUESTIONS_MAX], const char *text)
{
    char *end;
    if ((text[0] != 'Q' && text[0] != 'q') || !isdigit((unsigned char)text[1]))
        return NULL;
    const unsigned long number = strtoul(text + 1, &end, 10);
    if (number >= MRCT_QUESTIONS_MAX || end[0] != '=' || end[1] == '\0' ||
        (end[2] != '\0' && end[2] != ','))
        return NULL;
    const struct mrc_question *const q = mrc_question_find((int)number);
    const char id = (char)tolower((unsigned char)end[1]);
    if (q == NULL || !has_reading(q, id))
        return NULL;
    reading[number] = id;
    return end + 2;
}

int mrct_cli_reading(char reading[MRCT_QUESTIONS_MAX], const char *text, char *err, size_t err_cap)
{
    for (const char *p = text; p != NULL; p++) {
        p = one_reading(reading, p);
        if (p == NULL)
            break;
        if (*p == '\0')
            return 0;
    }
    snprintf(err, err_cap,
             "'%s' is no reading of an open question such as Q2=b (mrct spec questions lists them)",
             text);
    return -1;
}

void mrct_cli_reading_str(const char reading[MRCT_QUESTIONS_MAX], char *buf, size_t cap)
{
    size_t used = 0;
    buf[0] = '\0';
    for (unsigned q = 1; q < MRCT_QUESTIONS_MAX && used < cap; q++)
        if (reading[q] != 0)
            used += (size_t)snprintf(buf + used, cap - used, "%sQ%u=%c", used == 0 ? "" : ",", q,
                                     reading[q]);
}

void mrct_cli_reading_wire(const char reading[MRCT_QUESTIONS_MAX], struct mrc_wire_config *cfg)
{
    if (reading[3] != 0)
        cfg->q3_ev = reading[3];
    if (reading[6] != 0)
        cfg->q6_icrc = reading[6];
}
