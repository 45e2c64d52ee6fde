/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading what a manifest claims. */
#include "harness/cases/claims.h"

#include "gen/mrc_req.h"
#include "harness/cases/units.h"

#include <inttypes.h>
#include <string.h>

/* Those of the manifest; what is not evaluated here is harness/dut's. */
static const char *const top_keys[] = {
    "name",         "vendor", "version", "firmware",       "agent", "ports",
    "capabilities", "pics",   "pixit",   "known_failures", NULL};
static const char *const pics_keys[] = {"roles", "requirements", NULL};

const struct mrct_pixit_key mrct_pixit_keys[] = {
    {"udp_ports", MRCT_PIXIT_TEXT, 0, 0, NULL, "UDP destination ports that are MRC"},
    {"path_mtu", MRCT_PIXIT_NUMBER, 256, 4096, NULL, "largest path MTU, bytes"},
    {"dscp", MRCT_PIXIT_TEXT, 0, 0, NULL, "DSCP of each class: no_trim 0, trimmable 4, ..."},
    {"hosts", MRCT_PIXIT_TEXT, 0, 0, NULL, "addresses of the device, by plane"},
    {"qpn", MRCT_PIXIT_TEXT, 0, 0, NULL, "who chooses QP numbers: harness or device"},
    {"peer_qpn", MRCT_PIXIT_TEXT, 0, 0, NULL, "how the peer's QP number is told to the device"},
    {"start_psn", MRCT_PIXIT_TEXT, 0, 0, NULL, "who chooses the first PSN: harness or device"},
    {"mpr", MRCT_PIXIT_NUMBER, 1, 255, NULL, "largest receive window, units of 128 PSNs"},
    {"dynamic_mpr", MRCT_PIXIT_BOOL, 0, 0, "dynamic_mpr", "the window moves"},
    {"max_wimm", MRCT_PIXIT_NUMBER, 1, 65535, "write_imm", "immediates tracked by a responder"},
    {"trim_nack", MRCT_PIXIT_BOOL, 0, 0, "trim_nack", "trimmed requests are answered by a NACK"},
    {"timeout", MRCT_PIXIT_NUMBER, 0, 31, NULL, "exponent of the retransmission timeout"},
    {"linear_cnt", MRCT_PIXIT_NUMBER, 0, 7, NULL, "retries at the same interval"},
    {"exp_cnt", MRCT_PIXIT_NUMBER, 0, 25, NULL, "retries at doubled intervals"},
    {"sack_threshold", MRCT_PIXIT_NUMBER, 0, 1 << 24, NULL, "bytes that bring a SACK"},
    {"ev_min_active", MRCT_PIXIT_NUMBER, 1, 4096, NULL, "EVs that stay in use"},
    {"reaction_time", MRCT_PIXIT_TIME, 0, 0, NULL,
     "longest time from a packet to the answer to it"},
    {"clock_error", MRCT_PIXIT_TIME, 0, 0, NULL, "largest error of the harness's own clock"},
    {.key = NULL},
};

/* ---- hash: FNV-1a of what a section says, whatever its layout ---- */

static uint64_t hash_text(uint64_t h, const char *s)
{
    for (; *s != '\0'; s++) {
        h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001B3);
    }
    return (h ^ 0xFF) * UINT64_C(0x100000001B3);
}

static uint64_t hash_node(struct mrc_yaml *y, const yaml_node_t *node, uint64_t h)
{
    const char *const text = mrc_yaml_text(node);
    if (text != NULL) {
        return hash_text(h, text);
    }
    h = hash_text(h, node->type == YAML_MAPPING_NODE ? "{" : "[");
    const size_t n = mrc_yaml_count(node);
    for (size_t i = 0; i < n; i++) {
        yaml_node_t *key = NULL;
        yaml_node_t *value = NULL;
        if (node->type != YAML_MAPPING_NODE) {
            h = hash_node(y, mrc_yaml_item(y, node, i), h);
        } else if (mrc_yaml_pair(y, node, i, &key, &value)) {
            h = hash_node(y, value, hash_node(y, key, h));
        }
    }
    return hash_text(h, "}");
}

static void hash_section(struct mrc_yaml *y, const yaml_node_t *node, uint64_t h, char out[17])
{
    (void)snprintf(out, 17, "%016" PRIx64, node != NULL ? hash_node(y, node, h) : h);
}

/* ---- the parts ---- */

static const char *known_capability(const char *text)
{
    for (const char *const *k = mrct_capabilities; *k != NULL; k++) {
        if (strcmp(*k, text) == 0) {
            return *k;
        }
    }
    return NULL;
}

bool mrct_claims_has(const struct mrct_claims *c, const char *capability)
{
    for (const char *const *k = c->capabilities; *k != NULL; k++) {
        if (strcmp(*k, capability) == 0) {
            return true;
        }
    }
    return !c->has_capabilities;
}

static int take_capabilities(struct mrct_claims *c, struct mrct_load *l, const yaml_node_t *list)
{
    if (list == NULL) {
        return 0;
    }
    const size_t n = mrc_yaml_count(list);
    if (list->type != YAML_SEQUENCE_NODE || n > MRCT_CLAIMS_CAPS_MAX) {
        return mrc_yaml_fail(&l->yaml, list, "capabilities: a list of names was expected");
    }
    c->has_capabilities = true;
    for (size_t i = 0; i < n; i++) {
        const yaml_node_t *const node = mrc_yaml_item(&l->yaml, list, i);
        const char *const text = mrc_yaml_text(node);
        const char *const name = text != NULL ? known_capability(text) : NULL;
        if (name == NULL) {
            return mrc_yaml_fail(&l->yaml, node, "capabilities: '%s' is none that cases ask for",
                                 text != NULL ? text : "");
        }
        if (mrct_claims_has(c, name)) {
            return mrc_yaml_fail(&l->yaml, node, "capabilities: '%s' stands there twice", name);
        }
        c->capabilities[i] = name;
    }
    size_t lacks = 0;
    for (const char *const *k = mrct_capabilities; *k != NULL; k++) {
        if (!mrct_claims_has(c, *k) && lacks < MRCT_CLAIMS_CAPS_MAX) {
            c->lacks[lacks++] = *k;
        }
    }
    return 0;
}

static int take_roles(struct mrct_claims *c, struct mrct_load *l, const yaml_node_t *list)
{
    c->requestor = c->responder = list == NULL;
    if (list == NULL) {
        return 0;
    }
    c->has_roles = true;
    for (size_t i = 0; i < mrc_yaml_count(list); i++) {
        const yaml_node_t *const node = mrc_yaml_item(&l->yaml, list, i);
        const char *const text = node != NULL ? mrc_yaml_text(node) : NULL;
        if (text != NULL && strcmp(text, "requestor") == 0) {
            c->requestor = true;
        } else if (text != NULL && strcmp(text, "responder") == 0) {
            c->responder = true;
        } else {
            return mrc_yaml_fail(&l->yaml, list, "roles: requestor and responder were expected");
        }
    }
    return c->requestor || c->responder
               ? 0
               : mrc_yaml_fail(&l->yaml, list, "roles: a device is requestor, responder or both");
}

static int take_answer(struct mrct_claims *c, struct mrct_load *l, const yaml_node_t *key,
                       const yaml_node_t *value)
{
    static const char *const texts[] = {"?", "yes", "no", "n/a"};
    const char *const id = mrc_yaml_text(key);
    const struct mrc_requirement *const r = id != NULL ? mrc_requirement_find(id) : NULL;
    const char *const text = mrc_yaml_text(value);
    if (r == NULL) {
        return mrc_yaml_fail(&l->yaml, key, "pics: there is no requirement '%s'",
                             id != NULL ? id : "");
    }
    const size_t at = (size_t)(r - mrc_requirements);
    if (c->answer_lines[at] != 0) {
        return mrc_yaml_fail(&l->yaml, key, "pics: '%s' stands there twice", id);
    }
    c->answer_lines[at] = mrc_yaml_line(key);
    for (uint8_t a = 0; text != NULL && a < sizeof texts / sizeof texts[0]; a++) {
        if (strcmp(text, texts[a]) == 0) {
            c->answers[at] = a;
            return 0;
        }
    }
    return mrc_yaml_fail(&l->yaml, value, "%s: yes, no, n/a or \"?\" was expected", id);
}

static int take_pics(struct mrct_claims *c, struct mrct_load *l, yaml_node_t *node)
{
    c->answers = mrct_pool_alloc(&c->pool, mrc_requirement_count + 1);
    c->answer_lines = mrct_pool_alloc(&c->pool, (mrc_requirement_count + 1) * sizeof(int));
    if (c->answers == NULL || c->answer_lines == NULL) {
        return mrc_yaml_fail(&l->yaml, NULL, "out of memory");
    }
    if (node != NULL && mrc_yaml_only_keys(&l->yaml, node, pics_keys) != 0) {
        return -1;
    }
    c->has_pics = node != NULL;
    if (take_roles(c, l, mrc_yaml_get(&l->yaml, node, "roles")) != 0) {
        return -1;
    }
    const yaml_node_t *const answers = mrc_yaml_get(&l->yaml, node, "requirements");
    if (answers != NULL && answers->type != YAML_MAPPING_NODE) {
        return mrc_yaml_fail(&l->yaml, answers, "requirements: a map of ids was expected");
    }
    yaml_node_t *key = NULL;
    yaml_node_t *value = NULL;
    for (size_t i = 0; mrc_yaml_pair(&l->yaml, answers, i, &key, &value); i++) {
        if (take_answer(c, l, key, value) != 0) {
            return -1;
        }
    }
    return 0;
}

static const struct mrct_pixit_key *pixit_key(const char *key)
{
    for (const struct mrct_pixit_key *k = mrct_pixit_keys; k->key != NULL; k++) {
        if (strcmp(k->key, key) == 0) {
            return k;
        }
    }
    return NULL;
}

static int check_pixit(struct mrct_claims *c, struct mrct_load *l, const struct mrct_pixit_key *k,
                       const yaml_node_t *value)
{
    const char *const text = mrc_yaml_text(value);
    uint64_t n = 0;
    bool b = false;
    if (text != NULL && strcmp(text, "?") == 0) {
        return 0;
    }
    switch (k->form) {
    case MRCT_PIXIT_TEXT:
        return 0;
    case MRCT_PIXIT_NUMBER:
        return mrc_yaml_u64(value, k->min, k->max, &n)
                   ? 0
                   : mrc_yaml_fail(&l->yaml, value,
                                   "%s: a number of %" PRIu64 " to %" PRIu64 " was expected",
                                   k->key, k->min, k->max);
    case MRCT_PIXIT_BOOL:
        return mrc_yaml_bool(value, &b)
                   ? 0
                   : mrc_yaml_fail(&l->yaml, value, "%s: true or false was expected", k->key);
    case MRCT_PIXIT_TIME:
        if (text == NULL || mrct_units_duration(text, &n) != 0) {
            return mrc_yaml_fail(&l->yaml, value, "%s: a time like 2us was expected", k->key);
        }
        *(strcmp(k->key, "clock_error") == 0 ? &c->clock_error_ns : &c->reaction_ns) = n;
        return 0;
    }
    return 0;
}

static int take_pixit(struct mrct_claims *c, struct mrct_load *l, const yaml_node_t *node)
{
    yaml_node_t *key = NULL;
    yaml_node_t *value = NULL;
    if (node != NULL && node->type != YAML_MAPPING_NODE) {
        return mrc_yaml_fail(&l->yaml, node, "pixit: a map of parameters was expected");
    }
    for (size_t i = 0; mrc_yaml_pair(&l->yaml, node, i, &key, &value); i++) {
        const char *const name = mrc_yaml_text(key);
        const struct mrct_pixit_key *const k = name != NULL ? pixit_key(name) : NULL;
        if (k == NULL || c->pixit_count == MRCT_CLAIMS_PIXIT_MAX) {
            return mrc_yaml_fail(&l->yaml, key, "pixit: '%s' is no parameter of the proforma",
                                 name != NULL ? name : "");
        }
        if (check_pixit(c, l, k, value) != 0) {
            return -1;
        }
        const char *const text = mrc_yaml_text(value);
        c->pixit[c->pixit_count++] = (struct mrct_claims_value){
            k->key, mrct_pool_strdup(&c->pool, text != NULL ? text : "..."), mrc_yaml_line(key)};
    }
    return 0;
}

/* ---- the whole ---- */

static int take_text(struct mrct_claims *c, struct mrct_load *l, yaml_node_t *root, const char *key,
                     const char **out)
{
    const char *text = NULL;
    if (mrc_yaml_get_text(&l->yaml, root, key, false, &text) != 0) {
        return -1;
    }
    *out = mrct_pool_strdup(&c->pool, text != NULL ? text : "");
    return *out != NULL ? 0 : mrc_yaml_fail(&l->yaml, root, "out of memory");
}

static int take_all(struct mrct_claims *c, struct mrct_load *l, const struct mrct_plan *plan)
{
    yaml_node_t *const root = mrct_load_open(l, c->path);
    if (root == NULL || mrc_yaml_only_keys(&l->yaml, root, top_keys) != 0 ||
        take_text(c, l, root, "name", &c->name) != 0 ||
        take_text(c, l, root, "version", &c->version) != 0 ||
        take_text(c, l, root, "firmware", &c->firmware) != 0) {
        return -1;
    }
    const yaml_node_t *const caps = mrc_yaml_get(&l->yaml, root, "capabilities");
    yaml_node_t *const pics = mrc_yaml_get(&l->yaml, root, "pics");
    const yaml_node_t *const pixit = mrc_yaml_get(&l->yaml, root, "pixit");
    yaml_node_t *const known = mrc_yaml_get(&l->yaml, root, "known_failures");
    if (take_capabilities(c, l, caps) != 0 || take_pics(c, l, pics) != 0 ||
        take_pixit(c, l, pixit) != 0 ||
        (known != NULL && mrct_known_load(l, known, plan, &c->known) != 0)) {
        return -1;
    }
    if (pics != NULL || caps != NULL) {
        const uint64_t start = UINT64_C(0xCBF29CE484222325);
        hash_section(&l->yaml, pics, caps != NULL ? hash_node(&l->yaml, caps, start) : start,
                     c->pics_hash);
    }
    if (pixit != NULL) {
        hash_section(&l->yaml, pixit, UINT64_C(0xCBF29CE484222325), c->pixit_hash);
    }
    return 0;
}

int mrct_claims_load(struct mrct_claims *c, const char *path, const struct mrct_plan *plan,
                     char *err, size_t err_cap)
{
    *c = (struct mrct_claims){.path = path};
    mrct_pool_init(&c->pool);
    struct mrct_load l = {.pool = &c->pool};
    const int rc = take_all(c, &l, plan);
    if (rc != 0) {
        (void)snprintf(err, err_cap, "%s", l.yaml.err);
        mrct_claims_fini(c);
    }
    mrc_yaml_fini(&l.yaml);
    return rc;
}

void mrct_claims_fini(struct mrct_claims *c)
{
    mrct_pool_fini(&c->pool);
}
