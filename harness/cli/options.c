/* SPDX-License-Identifier: BSD-2-Clause */
#include "harness/cli/cli.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#define HELP_COLUMN 26
#define ID_BASE     256 /* of long options, above every letter */
#define ID_HELP     (ID_BASE + MRCT_CLI_OPTIONS_MAX)

/* getopt_long()'s own tables; letters: '-' free, ':' reports missing values apart, two per option.
 */
struct tables {
    struct option longs[MRCT_CLI_OPTIONS_MAX + 2];
    char letters[2 * MRCT_CLI_OPTIONS_MAX + 3];
};

void mrct_cli_begin(struct mrct_cli *c, int argc, char **argv)
{
    c->argc = argc;
    c->argv = argv;
    c->value = NULL;
    optind = 0; /* GNU: begin anew */
    opterr = 0; /* the sentences are ours */
}

static void make_tables(const struct mrct_cli *c, struct tables *t)
{
    size_t letter = 0;
    int n = 0;
    memset(t, 0, sizeof(*t));
    t->letters[letter++] = ':';
    t->letters[letter++] = 'h';
    for (; n < MRCT_CLI_OPTIONS_MAX && c->options[n].name != NULL; n++) {
        const struct mrct_cli_option *const o = &c->options[n];
        const int takes = o->value == NULL ? no_argument : required_argument;
        t->longs[n] = (struct option){o->name, takes, NULL, ID_BASE + n};
        if (o->letter != 0)
            t->letters[letter++] = o->letter;
        if (o->letter != 0 && o->value != NULL)
            t->letters[letter++] = ':';
    }
    t->longs[n] = (struct option){"help", no_argument, NULL, ID_HELP};
}

static void print_option(const char *left, const char *help)
{
    int column = printf("  %s", left);
    if (column >= HELP_COLUMN) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", HELP_COLUMN - column, "");
    for (; *help != '\0'; help++) {
        putchar(*help);
        if (*help == '\n')
            printf("%*s", HELP_COLUMN, "");
    }
    putchar('\n');
}

static void print_help(const struct mrct_cli *c)
{
    char left[80];
    printf("Usage: mrct %s [options]%s%s\n\n%s\n\n", c->command, c->operands[0] == '\0' ? "" : " ",
           c->operands, c->summary);
    for (const struct mrct_cli_option *o = c->options; o->name != NULL; o++) {
        char letter[8] = "";
        if (o->letter != 0)
            snprintf(letter, sizeof(letter), "-%c, ", o->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->value == NULL ? "" : " ",
                 o->value == NULL ? "" : o->value);
        print_option(left, o->help);
    }
    print_option("-h, --help", "print this");
}

static int bad_option(const struct mrct_cli *c, bool missing)
{
    const char *const text = c->argv[optind - 1];
    if (missing)
        mrct_cli_fail(c->command, "option %s needs a value", text);
    else if (optopt >= ID_BASE)
        mrct_cli_fail(c->command, "option %s takes no value", text);
    else if (optopt != 0)
        mrct_cli_fail(c->command, "unknown option -%c (see mrct %s --help)", optopt, c->command);
    else
        mrct_cli_fail(c->command, "unknown option %s (see mrct %s --help)", text, c->command);
    return MRCT_CLI_BAD;
}

static int by_letter(const struct mrct_cli *c, int letter)
{
    int n = 0;
    while (c->options[n].letter != letter)
        n++;
    return n;
}

int mrct_cli_next(struct mrct_cli *c)
{
    struct tables t;
    make_tables(c, &t);
    const int got = getopt_long(c->argc, c->argv, t.letters, t.longs, NULL);
    c->value = optarg;
    if (got == -1)
        return MRCT_CLI_END;
    if (got == '?' || got == ':')
        return bad_option(c, got == ':');
    if (got == 'h' || got == ID_HELP) {
        print_help(c);
        return MRCT_CLI_HELP;
    }
    return got >= ID_BASE ? got - ID_BASE : by_letter(c, got);
}

int mrct_cli_operands(const struct mrct_cli *c, char ***first)
{
    *first = c->argv + optind;
    return c->argc - optind;
}

static void say(const char *command, const char *kind, const char *fmt, va_list ap)
{
    fprintf(stderr, "mrct%s%s: %s", command == NULL ? "" : " ", command == NULL ? "" : command,
            kind);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

int mrct_cli_fail(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(command, "", fmt, ap);
    va_end(ap);
    return MRCT_EXIT_USAGE;
}

void mrct_cli_warn(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(command, "warning: ", fmt, ap);
    va_end(ap);
}
