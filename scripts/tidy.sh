#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy over some files. Usage: tidy.sh BUILD "PKG_CFLAGS" FILE...
build=$1 cflags=$2
shift 2
# shellcheck disable=SC2086 # flags are words
exec clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE -I. -I"$build" \
    '-DMRCT_VERSION="0"' '-DMRCT_PREFIX="/usr"' $cflags 2>/dev/null
