/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A conversation of an asker and an answerer who mostly do what is right, and every now and then
 * something near it: one PSN, one bit, one tick off. All of it is drawn from a seed.
 */
#ifndef TESTS_GOLDEN_NOISE_H
#define TESTS_GOLDEN_NOISE_H

#include <stdint.h>

void noise_make(uint64_t seed);

#endif
