#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy over some files. Usage: tidy.sh BUILD "PKG_CFLAGS" FILE...
# The analyzer gives a function up after so many states that `make lint` takes a third of the time;
# with MRCT_LONG set it goes on as long as it likes.
build=$1 cflags=$2
shift 2
[ -n "${MRCT_LONG:-}" ] || cflags="$cflags -Xclang -analyzer-config -Xclang max-nodes=40000"
# shellcheck disable=SC2086 # flags are words
exec clang-tidy --quiet "$@" -- -std=c11 -D_GNU_SOURCE -I. -I"$build" \
    '-DMRCT_VERSION="0"' '-DMRCT_PREFIX="/usr"' $cflags 2>/dev/null
