/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device does for its host's kernel: completing a checksum that was left to it. */
#ifndef MRCT_LIVE_CHECKSUM_H
#define MRCT_LIVE_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A frame of TCP or UDP over IPv4 or IPv6 (up to two VLAN tags, no extension headers) whose
 * checksum field holds the sum of the pseudo header: the whole sum is put there. False, and nothing
 * changed, when it is no such frame.
 */
bool mrct_checksum_complete(uint8_t *bytes, size_t len);

#endif
