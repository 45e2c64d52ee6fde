/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_DEVIANT_DIFFER_H
#define TESTS_DEVIANT_DIFFER_H

#include "tests/deviant/net.h"

/*
 * What is different where a liar's log first leaves the honest one: "seth.m bth.psn" (fields of one
 * frame), "icrc", "payload", "missing" and "extra" (a frame), "earlier" and "later" (the same
 * frame), "another way" (plane or addresses, with fields), "told" (events alone), "memory", or
 * "nothing".
 */
void differ(const struct net_log *honest, const struct net_log *liar, char *words, size_t cap);

#endif
