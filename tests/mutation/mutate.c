/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes copies of C files in which each comparison and each constant can be changed while the
 * program runs, one at a time. Usage: mutate OUTDIR FILE... -- FLAG...
 *
 * OUTDIR/FILE is the copy; OUTDIR/mutants.c is the table of what can be changed. A relational
 * comparison has two mutants (its border moved, and negated), an equality one (negated), a constant
 * one (one more; true becomes false). What has to be a constant for the compiler (case labels,
 * static tables, array sizes), and what stands inside a macro's definition, is left alone.
 */
#include "tests/mutation/source.h"

#include <clang-c/Index.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tool {
    struct source src;
    CXFile file;
    FILE *table;
    unsigned next_id; /* of the next mutant, from 1 */
};

/* A cursor's bytes in the file, macros taken where they were used; false: not of this file. */
static bool extent(const struct tool *t, CXCursor c, size_t *start, size_t *end)
{
    const CXSourceRange r = clang_getCursorExtent(c);
    CXFile f0 = NULL;
    CXFile f1 = NULL;
    unsigned a = 0;
    unsigned b = 0;
    clang_getExpansionLocation(clang_getRangeStart(r), &f0, NULL, NULL, &a);
    clang_getExpansionLocation(clang_getRangeEnd(r), &f1, NULL, NULL, &b);
    *start = a;
    *end = b;
    return f0 != NULL && f1 != NULL && clang_File_isEqual(f0, t->file) &&
           clang_File_isEqual(f1, t->file) && a < b && b <= t->src.len;
}

struct operands {
    CXCursor at[3];
    unsigned count;
};

static enum CXChildVisitResult take_operand(CXCursor c, CXCursor parent, CXClientData data)
{
    struct operands *const o = data;
    (void)parent;
    if (o->count < 3)
        o->at[o->count++] = c;
    return CXChildVisit_Continue;
}

static void add_comparison(struct tool *t, CXCursor c)
{
    struct operands o = {.count = 0};
    size_t s, e, ls, le, rs, re;
    clang_visitChildren(c, take_operand, &o);
    if (o.count == 2 && extent(t, c, &s, &e) && extent(t, o.at[0], &ls, &le) &&
        extent(t, o.at[1], &rs, &re) && s == ls && re == e)
        source_add_comparison(&t->src, s, e, le, rs);
}

static bool is_static(CXCursor c)
{
    return clang_Cursor_getStorageClass(c) == CX_SC_Static;
}

/* Visits what is run, and nothing that the compiler has to know. */
static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    struct tool *const t = data;
    size_t s, e;
    (void)parent;
    switch (clang_getCursorKind(c)) {
    case CXCursor_CaseStmt: {
        struct operands o = {.count = 0};
        clang_visitChildren(c, take_operand, &o);
        if (o.count > 1 && visit(o.at[1], c, t) == CXChildVisit_Recurse)
            clang_visitChildren(o.at[1], visit, t);
        return CXChildVisit_Continue;
    }
    case CXCursor_VarDecl:
        if (is_static(c) || clang_getCursorType(c).kind == CXType_ConstantArray) {
            /* The initialiser of an automatic array is run; its size is not: both are left out. */
            return CXChildVisit_Continue;
        }
        return CXChildVisit_Recurse;
    case CXCursor_UnaryExpr: /* sizeof */
    case CXCursor_StructDecl:
    case CXCursor_EnumDecl:
        return CXChildVisit_Continue;
    case CXCursor_BinaryOperator:
        add_comparison(t, c);
        return CXChildVisit_Recurse;
    case CXCursor_IntegerLiteral:
        if (extent(t, c, &s, &e))
            source_add_constant(&t->src, s, e);
        return CXChildVisit_Continue;
    case CXCursor_DeclRefExpr:
        if (clang_getCursorKind(clang_getCursorReferenced(c)) == CXCursor_EnumConstantDecl &&
            extent(t, c, &s, &e))
            source_add_constant(&t->src, s, e);
        return CXChildVisit_Continue;
    default:
        return CXChildVisit_Recurse;
    }
}

static enum CXChildVisitResult visit_top(CXCursor c, CXCursor parent, CXClientData data)
{
    struct tool *const t = data;
    size_t s, e;
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_FunctionDecl && clang_isCursorDefinition(c) &&
        extent(t, c, &s, &e))
        clang_visitChildren(c, visit, t);
    return CXChildVisit_Continue;
}

static int has_errors(CXTranslationUnit tu)
{
    int errors = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(tu); i++) {
        const CXDiagnostic d = clang_getDiagnostic(tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            const CXString words =
                clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
            fprintf(stderr, "mutate: %s\n", clang_getCString(words));
            clang_disposeString(words);
            errors++;
        }
        clang_disposeDiagnostic(d);
    }
    return errors;
}

static int one_file(struct tool *t, CXIndex index, const char *path, const char *outdir,
                    const char *const *flags, int nflags)
{
    if (source_read(&t->src, path) != 0)
        return -1;
    CXTranslationUnit tu = NULL;
    int rc = -1;
    if (clang_parseTranslationUnit2(index, path, flags, nflags, NULL, 0, CXTranslationUnit_None,
                                    &tu) != CXError_Success) {
        fprintf(stderr, "mutate: %s: cannot be parsed\n", path);
    } else if (has_errors(tu) == 0) {
        t->file = clang_getFile(tu, path);
        clang_visitChildren(clang_getTranslationUnitCursor(tu), visit_top, t);
        rc = source_write(&t->src, outdir, t->table, &t->next_id);
    }
    if (tu != NULL)
        clang_disposeTranslationUnit(tu);
    source_fini(&t->src);
    return rc;
}

int main(int argc, char **argv)
{
    int files_end = 2;
    while (files_end < argc && strcmp(argv[files_end], "--") != 0)
        files_end++;
    if (files_end < 3 || files_end >= argc) {
        fprintf(stderr, "usage: mutate OUTDIR FILE... -- FLAG...\n");
        return 2;
    }
    struct tool t = {.next_id = 1};
    t.table = source_open(argv[1], "mutants.c");
    if (t.table == NULL)
        return 2;
    fprintf(t.table,
            "#include \"tests/mutation/mutant.h\"\nconst struct mutant mrct_mutants[] = {\n");
    const CXIndex index = clang_createIndex(0, 0);
    int rc = 0;
    for (int i = 2; i < files_end && rc == 0; i++)
        rc = one_file(&t, index, argv[i], argv[1], (const char *const *)argv + files_end + 1,
                      argc - files_end - 1);
    clang_disposeIndex(index);
    fprintf(t.table, "    {0},\n};\nconst unsigned mrct_mutant_count = %u;\n", t.next_id - 1);
    if (fclose(t.table) != 0)
        rc = -1;
    printf("%u mutants\n", t.next_id - 1);
    return rc == 0 ? 0 : 2;
}
