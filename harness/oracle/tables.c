/* SPDX-License-Identifier: BSD-2-Clause */
/* All check tables, in the order in which they see a frame: formats first, then the requestor's
 * duties, then the responder's; and all models. A new section file adds its lines here. */
#include "harness/oracle/check.h"

extern const struct check_table mrct_checks_sec_06_formats;
extern const struct check_table mrct_checks_sec_07_formats;
extern const struct check_table mrct_checks_sec_06_2_messages;
extern const struct check_table mrct_checks_sec_06_2_window;
extern const struct check_table mrct_checks_sec_06_2_completion;
extern const struct check_table mrct_checks_sec_07_4_again;
extern const struct check_table mrct_checks_sec_07_4_recovery;
extern const struct check_table mrct_checks_sec_07_4_timers;
extern const struct check_table mrct_checks_sec_08_penalty;
extern const struct check_table mrct_checks_sec_09_classes;
extern const struct check_table mrct_checks_sec_09_3_evs;
extern const struct check_table mrct_checks_sec_09_3_control;
extern const struct check_table mrct_checks_sec_10_life;
extern const struct check_table mrct_checks_sec_06_3_receive;
extern const struct check_table mrct_checks_sec_06_3_refusal;
extern const struct check_table mrct_checks_sec_06_3_responder;
extern const struct check_table mrct_checks_sec_06_3_1_psn;
extern const struct check_table mrct_checks_sec_07_3_probe;
extern const struct check_table mrct_checks_sec_07_5_nack;
extern const struct check_table mrct_checks_sec_07_5_2_when;
extern const struct check_table mrct_checks_sec_07_5_2_trigger;
extern const struct check_table mrct_checks_sec_07_5_2_state;

const struct check_table *const mrct_check_tables[] = {
    &mrct_checks_sec_06_formats,      &mrct_checks_sec_07_formats,
    &mrct_checks_sec_06_2_messages,   &mrct_checks_sec_06_2_window,
    &mrct_checks_sec_07_4_again,      &mrct_checks_sec_07_4_recovery,
    &mrct_checks_sec_06_2_completion, &mrct_checks_sec_07_4_timers,
    &mrct_checks_sec_10_life,         &mrct_checks_sec_06_3_receive,
    &mrct_checks_sec_06_3_refusal,    &mrct_checks_sec_08_penalty,
    &mrct_checks_sec_09_classes,      &mrct_checks_sec_09_3_evs,
    &mrct_checks_sec_09_3_control,    &mrct_checks_sec_06_3_responder,
    &mrct_checks_sec_06_3_1_psn,      &mrct_checks_sec_07_3_probe,
    &mrct_checks_sec_07_5_nack,       &mrct_checks_sec_07_5_2_trigger,
    &mrct_checks_sec_07_5_2_state,    &mrct_checks_sec_07_5_2_when,
};
const size_t mrct_check_table_count = sizeof(mrct_check_tables) / sizeof(mrct_check_tables[0]);

extern const struct model_ops mrct_reqr_model;  /* reqr.c */
extern const struct model_ops mrct_resp_model;  /* resp.c */
extern const struct model_ops mrct_node_model;  /* sec_07_3_probe.c */
extern const struct model_ops mrct_app_model;   /* app.c; after the responder's */
extern const struct model_ops mrct_path_model;  /* path.c; after the requestor's */
extern const struct model_ops mrct_ports_model; /* path.c */
extern const struct model_ops mrct_gap_model;   /* gaps.c; after the responder's */

const struct model_ops *const mrct_models[] = {
    &mrct_reqr_model, &mrct_resp_model,  &mrct_node_model, &mrct_app_model,
    &mrct_path_model, &mrct_ports_model, &mrct_gap_model};
const size_t mrct_model_count = sizeof(mrct_models) / sizeof(mrct_models[0]);
