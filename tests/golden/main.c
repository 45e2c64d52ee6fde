/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the oracle says of everything that the suite can show it is as it was: each part's words are
 * written to $BUILD/golden/PART.txt and are those of tests/golden/PART.txt. A change of a check
 * that changes any verdict shows as a difference, which is looked at, and taken with `make golden`.
 * GOLDEN_FULL=1 says in words what is kept in numbers alone, for a comparison of two builds.
 */
#include "tests/golden/corpus.h"
#include "tests/golden/words.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_words(const struct corpus_part *part, const char *path)
{
    struct corpus c = {.runs = NULL};
    FILE *const f = fopen(path, "w");
    const bool brief = part->brief && getenv("GOLDEN_FULL") == NULL;
    ck_assert_msg(f != NULL, "%s cannot be written", path);
    ck_assert_int_eq(part->load(&c), 0);
    for (size_t i = 0; i < c.count; i++) {
        char *const text = words_of(c.runs[i].name, &c.runs[i].tapes, brief);
        fputs(text, f);
        free(text);
    }
    corpus_fini(&c);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(as_known)
{
    const struct corpus_part *const part = &corpus_parts[_i];
    if (getenv("MRCT_QUICK") != NULL && !part->quick) {
        printf("SKIP: findings of all %s: the quick tests play them once already\n", part->name);
        return;
    }
    const char *const build = getenv("BUILD") != NULL ? getenv("BUILD") : "build";
    char dir[500], path[600], command[1500];
    (void)snprintf(dir, sizeof dir, "%s/golden", build);
    (void)mkdir(dir, 0777);
    (void)snprintf(path, sizeof path, "%s/%s.txt", dir, part->name);
    write_words(part, path);
    (void)snprintf(command, sizeof command, "diff -U1 tests/golden/%s.txt '%s' | head -n 60",
                   part->name, path);
    FILE *const p = popen(command, "r");
    ck_assert_ptr_nonnull(p);
    char line[1000];
    size_t lines = 0;
    while (fgets(line, sizeof line, p) != NULL) {
        printf("%s", line);
        lines++;
    }
    (void)pclose(p);
    ck_assert_msg(lines == 0,
                  "the oracle says something else than tests/golden/%s.txt: look at the lines "
                  "above; if they are meant, take them with `make golden`",
                  part->name);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("golden");
    TCase *const t = tcase_create("findings");
    tcase_set_timeout(t, 0);
    tcase_add_loop_test(t, as_known, 0, (int)corpus_part_count);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
