/* SPDX-License-Identifier: BSD-2-Clause */
/* The generator's commands. argv[0] is the command's name; the result is the exit status. */
#ifndef SPECGEN_H
#define SPECGEN_H

/* wire FILE OUTDIR: mrc_wire.h, mrc_wire.c, mrc_fields.lua, mrc_ws.h, wire.md. */
int specgen_wire(int argc, char **argv);
/* req DIR QUESTIONS OUTDIR: mrc_req.h, mrc_req.c. */
int specgen_req(int argc, char **argv);

#endif
