/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of one case. Steps, faults and expectations are shown as they stand in the file, each
 * with a name in words, so that what the loader learns to read is on the page without being taught
 * here. */
#include "harness/cases/page.h"

#include "gen/mrc_req.h"
#include "harness/report/words.h"
#include "spec/load/yaml_util.h"

#include <inttypes.h>
#include <string.h>

/* Keys of steps, faults and expectations, in words. */
static const struct {
    const char *key, *words;
} names[] = {
    {"write", "Write"},
    {"write_imm", "Write with immediate data"},
    {"post_recv", "Post receives"},
    {"set_mpr", "Move the receive window"},
    {"shortage", "Turn requests away for want of a resource"},
    {"overwrite", "Overwrite what was placed"},
    {"inject", "Send a crafted packet"},
    {"port", "Take an own port down, or up again"},
    {"ev_state", "Set the state of an EV, as a controller does"},
    {"ev_replace", "Put another EV in the place of one, as a controller does"},
    {"drop", "Lose packets"},
    {"duplicate", "Duplicate packets"},
    {"delay", "Delay packets"},
    {"reorder", "Let packets be overtaken"},
    {"corrupt", "Corrupt packets"},
    {"mark_ce", "Mark congestion"},
    {"trim", "Trim packets"},
    {"dscp", "Change the DSCP"},
    {"writes", "Writes end with"},
    {"qp_error", "QPs that go to ERROR"},
    {"immediates", "Immediates delivered"},
    {"memory", "Memory is compared"},
    {"frames", "Frames sent"},
    {"time", "Time taken"},
    {"goodput", "Goodput"},
};

struct page {
    struct mrct_doc t;
    struct mrc_yaml yaml;
    const struct mrct_case *c;
};

/* A key in words, or as it stands. */
static void put_key(struct page *p, const char *key)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].key, key) == 0) {
            mrct_doc_put(&p->t, names[i].words);
            return;
        }
    }
    mrct_doc_code(&p->t, key);
}

/* ---- a node as a line ---- */

static void inline_node(struct page *p, const yaml_node_t *node, char *buf, size_t cap)
{
    const size_t used = strlen(buf);
    const char *const text = mrc_yaml_text(node);
    if (text != NULL) {
        (void)snprintf(buf + used, cap - used, "%s", text);
        return;
    }
    const bool is_map = node->type == YAML_MAPPING_NODE;
    (void)snprintf(buf + used, cap - used, is_map ? "{" : "[");
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *key = NULL;
        yaml_node_t *value = is_map ? NULL : mrc_yaml_item(&p->yaml, node, i);
        if (is_map && !mrc_yaml_pair(&p->yaml, node, i, &key, &value)) {
            break;
        }
        const size_t at = strlen(buf);
        const char *const name = key != NULL ? mrc_yaml_text(key) : NULL;
        (void)snprintf(buf + at, cap - at, "%s%s%s", i > 0 ? ", " : "", name != NULL ? name : "",
                       name != NULL ? ": " : "");
        inline_node(p, value, buf, cap);
    }
    const size_t end = strlen(buf);
    (void)snprintf(buf + end, cap - end, is_map ? "}" : "]");
}

static void put_node(struct page *p, const yaml_node_t *node)
{
    char line[1200] = "";
    inline_node(p, node, line, sizeof line);
    mrct_doc_code(&p->t, line);
}

/* "Name in words: {keys}" of a map with one key, else the node alone. */
static void put_entry(struct page *p, const yaml_node_t *item)
{
    yaml_node_t *key = NULL;
    yaml_node_t *value = NULL;
    mrct_doc_item(&p->t);
    if (item->type == YAML_MAPPING_NODE && mrc_yaml_count(item) == 1 &&
        mrc_yaml_pair(&p->yaml, item, 0, &key, &value) && mrc_yaml_text(key) != NULL) {
        put_key(p, mrc_yaml_text(key));
        mrct_doc_put(&p->t, ": ");
        put_node(p, value);
    } else {
        put_node(p, item);
    }
    mrct_doc_item_end(&p->t);
}

static const yaml_node_t *part(struct page *p, const char *key)
{
    return p->yaml.loaded ? mrc_yaml_get(&p->yaml, mrc_yaml_root(&p->yaml), key) : NULL;
}

/* A list of the file, or a map of it, under words; nothing when it is not there. */
static void put_part(struct page *p, const char *key, const char *words, bool numbered)
{
    const yaml_node_t *const node = part(p, key);
    if (node == NULL || mrc_yaml_count(node) == 0) {
        return;
    }
    mrct_doc_para(&p->t, words);
    mrct_doc_list(&p->t, numbered);
    for (size_t i = 0; i < mrc_yaml_count(node); i++) {
        yaml_node_t *name = NULL;
        yaml_node_t *value = NULL;
        if (node->type == YAML_SEQUENCE_NODE) {
            put_entry(p, mrc_yaml_item(&p->yaml, node, i));
        } else if (mrc_yaml_pair(&p->yaml, node, i, &name, &value) && mrc_yaml_text(name) != NULL) {
            mrct_doc_item(&p->t);
            put_key(p, mrc_yaml_text(name));
            mrct_doc_put(&p->t, ": ");
            put_node(p, value);
            mrct_doc_item_end(&p->t);
        }
    }
    mrct_doc_list_end(&p->t);
}

/* ---- the sections ---- */

static void put_texts(struct page *p, char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mrct_doc_item(&p->t);
        mrct_doc_put(&p->t, texts[i]);
        mrct_doc_item_end(&p->t);
    }
}

static void put_references(struct page *p)
{
    mrct_doc_heading(&p->t, 2, "References");
    mrct_doc_list(&p->t, false);
    for (size_t i = 0; i < p->c->requirement_count; i++) {
        const struct mrct_words w = mrct_words_of(p->c->requirements[i]);
        char where[160];
        (void)snprintf(where, sizeof where, " (%s, section %s%s%s, evidence %s): ", w.level,
                       w.section, w.table[0] != '\0' ? ", table " : "", w.table, w.evidence);
        mrct_doc_item(&p->t);
        mrct_doc_code(&p->t, w.id);
        mrct_doc_put(&p->t, where);
        mrct_doc_put(&p->t, w.text);
        mrct_doc_item_end(&p->t);
    }
    put_texts(p, p->c->references, p->c->reference_count);
    mrct_doc_list_end(&p->t);
}

static void put_line(struct page *p, const char *words)
{
    mrct_doc_item(&p->t);
    mrct_doc_put(&p->t, words);
    mrct_doc_item_end(&p->t);
}

static const char *const roles[] = {
    [MRCT_DEVICE_REQUESTOR] = "The device under test is host1, the requestor; host2 is the "
                              "reference endpoint.",
    [MRCT_DEVICE_RESPONDER] = "The device under test is host2, the responder; host1 is the "
                              "reference endpoint.",
    [MRCT_DEVICE_BOTH] = "Two devices under test: host1, the requestor, and host2, the responder.",
};

static void put_resources(struct page *p)
{
    const struct mrct_fab_config *const f = &p->c->fabric;
    char line[300];
    mrct_doc_heading(&p->t, 2, "Resources");
    mrct_doc_list(&p->t, false);
    put_line(p, roles[p->c->device]);
    (void)snprintf(line, sizeof line,
                   "%u %s of %u %s, ports of %" PRIu64 " Mbit/s, %" PRIu64 " ns one way%s.",
                   f->planes, f->planes == 1 ? "plane" : "planes", f->paths,
                   f->paths == 1 ? "path" : "paths each", f->rate_bps / 1000000u, f->latency_ns,
                   f->latency_step_ns > 0 ? ", more on each further path" : "");
    put_line(p, line);
    put_line(p, "A tap at each host: every frame is recorded and judged where it left and where it "
                "arrived.");
    for (size_t i = 0; i < p->c->capability_count; i++) {
        mrct_doc_item(&p->t);
        mrct_doc_put(&p->t, "The device declares ");
        mrct_doc_code(&p->t, p->c->capabilities[i]);
        mrct_doc_put(&p->t, "; else the case is NOT APPLICABLE.");
        mrct_doc_item_end(&p->t);
    }
    mrct_doc_list_end(&p->t);
}

static void put_setup(struct page *p)
{
    char line[200];
    mrct_doc_heading(&p->t, 2, "Setup");
    (void)snprintf(line, sizeof line,
                   "%u %s made and connected at both hosts; each host registers memory with guard "
                   "zones and posts the receives that will be needed.",
                   p->c->qps, p->c->qps == 1 ? "QP is" : "QPs are");
    mrct_doc_para(&p->t, line);
    put_part(p, "options", "Options that are not at their default:", false);
    put_part(p, "preamble", "Then, before anything is judged by its outcome:", true);
}

static void put_procedure(struct page *p)
{
    mrct_doc_heading(&p->t, 2, "Procedure");
    put_part(p, "traffic", "The applications and the peer act, in this order:", true);
    const char *const script = mrc_yaml_text(part(p, "script"));
    if (script != NULL) {
        mrct_doc_para(&p->t,
                      "The harness plays the device's peer by this script; a failure shows the "
                      "line beside what came:");
        mrct_doc_block(&p->t, script);
    }
    put_part(p, "faults", "Meanwhile the fabric does this to the packets named:", false);
    put_part(p, "links", "Links change:", false);
    put_part(p, "random", "At random, drawn from the seed:", false);
    put_part(p, "postamble", "Afterwards:", true);
    put_part(p, "repeat", "All of it is run several times:", false);
}

static void put_results(struct page *p)
{
    mrct_doc_heading(&p->t, 2, "Observable results");
    mrct_doc_list(&p->t, false);
    put_line(p, "Each requirement above is met at least once, and none, listed or not, is broken.");
    put_line(p, "Each fault hits as many packets as it must; a fault that does not makes the case "
                "INCONCLUSIVE.");
    if (part(p, "expect") == NULL) {
        put_line(p, "All writes succeed, all immediates arrive in order, no QP fails, and memory "
                    "holds what was written and nothing else.");
    }
    mrct_doc_list_end(&p->t);
    put_part(p, "expect", "Besides:", false);
    if (p->c->positive != NULL) {
        char name[200];
        char to[220];
        mrct_page_name(p->c->positive, name, sizeof name);
        (void)snprintf(to, sizeof to, "%s.%s", name, p->t.form == MRCT_DOC_HTML ? "html" : "md");
        mrct_doc_para_begin(&p->t);
        mrct_doc_put(&p->t, "The same without the fault: ");
        mrct_doc_link(&p->t, to, p->c->positive);
        mrct_doc_para_end(&p->t);
    }
}

static void put_problems(struct page *p)
{
    mrct_doc_heading(&p->t, 2, "Possible problems");
    if (p->c->problem_count == 0) {
        mrct_doc_para(&p->t, "None is known.");
    } else {
        mrct_doc_list(&p->t, false);
        put_texts(p, p->c->possible_problems, p->c->problem_count);
        mrct_doc_list_end(&p->t);
    }
    mrct_doc_para_begin(&p->t);
    mrct_doc_put(&p->t, "Run it: ");
    char command[300];
    (void)snprintf(command, sizeof command, "mrct certify --case %s", p->c->id);
    mrct_doc_code(&p->t, command);
    mrct_doc_para_end(&p->t);
}

int mrct_page_case(const struct mrct_case *c, enum mrct_doc_form form, FILE *out, char *err,
                   size_t err_cap)
{
    struct page p = {.t = {.out = out, .form = form}, .c = c};
    if (mrc_yaml_load(&p.yaml, c->file) != 0) {
        (void)snprintf(err, err_cap, "%s", p.yaml.err);
        mrc_yaml_fini(&p.yaml);
        return -1;
    }
    mrct_doc_begin(&p.t, c->id, c->title);
    mrct_doc_heading(&p.t, 2, "Purpose");
    mrct_doc_para(&p.t, c->purpose);
    put_references(&p);
    put_resources(&p);
    put_setup(&p);
    put_procedure(&p);
    put_results(&p);
    put_problems(&p);
    mrct_doc_end(&p.t);
    mrc_yaml_fini(&p.yaml);
    return 0;
}
