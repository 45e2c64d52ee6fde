/* SPDX-License-Identifier: BSD-2-Clause */
/* A long capture of little: short WRITEs and an ACK for every 31 of them. */
#ifndef TESTS_CLI_GENERATE_H
#define TESTS_CLI_GENERATE_H

/* Writes so many frames of so many pairs of hosts (1..256), in turn, or fails the test. */
void cli_generate(const char *path, unsigned frames, unsigned pairs);

#endif
