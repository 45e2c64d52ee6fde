/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing for benchmarks: CPU time of this process, the best of several rounds. Benchmarks print
 * figures and ratios of one run; nothing is asserted. */
#ifndef MRCT_BENCH_BENCH_H
#define MRCT_BENCH_BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Keeps the compiler from throwing a result away. */
static inline void bench_use(uint64_t v)
{
    __asm__ volatile("" : : "r"(v) : "memory");
}

/* Least CPU seconds of `rounds` calls of fn(arg). */
static inline double bench_best_s(unsigned rounds, void (*fn)(void *), void *arg)
{
    double best = 1e9;
    for (unsigned i = 0; i < rounds; i++) {
        const double t0 = bench_cpu_s();
        fn(arg);
        const double s = bench_cpu_s() - t0;
        if (s < best) {
            best = s;
        }
    }
    return best;
}

#endif
