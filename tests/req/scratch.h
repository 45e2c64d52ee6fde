/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory of a test's own: the current one while it lasts, so that paths in messages are short.
 */
#ifndef TESTS_REQ_SCRATCH_H
#define TESTS_REQ_SCRATCH_H

/* The whole text of a file, to be freed. */
char *scratch_read(const char *path);
/* Makes the directory, with req/ in it, and goes there. */
void scratch_enter(void);
void scratch_write(const char *path, const char *text);
/* The text with the one place of `find` replaced; to be freed. */
char *scratch_replace(const char *text, const char *find, const char *replace);
/* Goes back, and removes the directory with req/a.yaml, req/b.yaml and q.yaml. */
void scratch_leave(void);

#endif
