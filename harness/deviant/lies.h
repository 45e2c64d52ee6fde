/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every lie there is: its C name, its name, who tells it, the requirement it breaks, and what it
 * does in one sentence. The hooks stand in the lie_*.c files, the reasons for what follows from a
 * lie in cases/deviants/.
 */
#ifndef MRCT_DEVIANT_LIES_H
#define MRCT_DEVIANT_LIES_H

#include "harness/deviant/liar.h"

/* clang-format off */
#define MRCT_LIES_REQUESTOR(X) \
    X(headers_cut, "headers-cut", "REQ-6-03", \
      "A copy of every eighth request goes out without its RETH.") \
    X(udp_too_long, "udp-too-long", "REQ-6-04", \
      "A copy of every eighth request has a UDP length beyond the end of the IP packet.") \
    X(udp_too_short, "udp-too-short", "REQ-6-20", \
      "A copy of every eighth request has a UDP length that ends before its ICRC.") \
    X(pad_without_payload, "pad-without-payload", "REQ-6-05", \
      "A copy of every eighth request has three bytes of pad and nothing to cut them from.") \
    X(middle_short, "middle-short", "REQ-6-07", \
      "A copy of every eighth Middle packet is four bytes short.") \
    X(only_length, "only-length", "REQ-6-08", \
      "A copy of each Only packet has a DMA length one byte beyond its payload.") \
    X(message_order, "message-order", "REQ-6.2-05", \
      "Only packets call themselves Last.") \
    X(probe_reserved_set, "probe-reserved-set", "REQ-7-16", \
      "A reserved bit of Reliability Probes is 1.") \
    X(endpoint_op, "endpoint-op", "REQ-7-05", \
      "Endpoint Requests with operation 3 go out.") \
    X(endpoint_to_qp_3, "endpoint-to-qp-three", "REQ-7-07", \
      "Endpoint Requests go to QP 0x3.") \
    X(endpoint_reserved_set, "endpoint-reserved-set", "REQ-7-17", \
      "A reserved bit of Endpoint Requests is 1.") \
    X(late_ev_used, "late-ev-used", "REQ-9.3-12", \
      "An EV on which a packet timed out stays in use, and is not probed.") \
    X(denial_ignored, "denial-ignored", "REQ-9.3-16", \
      "EVs that the controller denies stay in use.") \
    X(replacement_ignored, "replacement-ignored", "REQ-9.3-16", \
      "An EV that the controller replaces by another stays in use.") \
    X(port_change_untold, "port-change-untold", "REQ-9.3-19", \
      "No Port Status Update is ever sent.") \
    X(retries_per_packet, "retries-per-packet", "REQ-7.4-24", \
      "Each packet counts its retries for itself, whatever progress others make.") \
    X(ev_sticky, "ev-sticky", "REQ-9.3-01", \
      "Four requests in a row take the same EV.") \
    X(ev_favoured, "ev-favoured", "REQ-9.3-02", \
      "Every other request takes the first EV.") \
    X(evs_uneven, "evs-uneven", "REQ-9.3-03", \
      "Half of the EVs of the second plane are never used.") \
    X(one_plane, "one-plane", "REQ-9.3-04", \
      "All requests go by the first plane.") \
    X(nacked_withdrawn, "nacked-withdrawn", "REQ-9.3-05", \
      "The EV that any NACK names is used no more.") \
    X(always_skip_ignored, "always-skip-ignored", "REQ-9.3-06", \
      "An EV told with ALWAYS_SKIP stays in use.") \
    X(bad_ev_unprobed, "bad-ev-unprobed", "REQ-9.3-07", \
      "No Reliability Probe is ever sent.") \
    X(mark_ignored, "mark-ignored", "REQ-9.3-08", \
      "An EV told with SKIP_ONCE is not passed over.") \
    X(trim_ignored, "trim-ignored", "REQ-9.3-09", \
      "An EV named by a NACK TRIMMED is not passed over.") \
    X(port_status_ignored, "port-status-ignored", "REQ-9.3-10", \
      "Ports that the peer reports down are used on.") \
    X(port_up_ignored, "port-up-ignored", "REQ-9.3-11", \
      "A port that was reported down is never used again.") \
    X(probe_takes_psn, "probe-takes-psn", "REQ-7.4-23", \
      "A Reliability Probe is sent and takes a PSN.") \
    X(rkey_in_last, "rkey-in-last", "REQ-6.2-19", \
      "The Last packet of a message has another R_Key than the others.") \
    X(rtx_beyond_window, "rtx-beyond-window", "REQ-6.2-20", \
      "A request beyond a window that has shrunk is sent again.") \
    X(request_marked, "request-marked", "REQ-9-06", \
      "Every eighth request leaves with the congestion mark.") \
    X(trimmed_class_sent, "trimmed-class-sent", "REQ-9-07", \
      "Every sixteenth request leaves in the class TRIMMED.") \
    X(completions_swapped, "completions-swapped", "REQ-6.2-16", \
      "The first write is reported as done after the second.") \
    X(completion_twice, "completion-twice", "REQ-6.2-17", \
      "Each write is reported as done twice.") \
    X(completion_missing, "completion-missing", "REQ-6.2-18", \
      "No write that succeeds is reported as done.") \
    X(flush_missing, "flush-missing", "REQ-10-04", \
      "Writes that are flushed when the QP goes to ERROR are not reported.") \
    X(nak_untold, "nak-untold", "REQ-7.4-19", \
      "That a NAK moved the QP to ERROR is not told.") \
    X(nak_cause, "nak-cause", "REQ-7.4-20", \
      "A remote access error is told as a remote operational error.") \
    X(nak_ignored, "nak-ignored", "REQ-7.4-21", \
      "Long after a NAK the last request is sent once more.") \
    X(gives_up_early, "gives-up-early", "REQ-7.4-22", \
      "The QP gives up after one retry.") \
    X(wrong_icrc, "wrong-icrc", "REQ-6-11", \
      "Every eighth request goes out with an ICRC that does not fit its bytes.") \
    X(icrc_over_outer, "icrc-over-outer", "REQ-6-12", \
      "In SRv6 mode every eighth request has an ICRC over the outer header, too.") \
    X(opcode_unlisted, "opcode-unlisted", "REQ-6-01", \
      "After every eighth request a packet with an MRC opcode that is not listed goes out.") \
    X(tver_one, "tver-one", "REQ-6-02", \
      "Every eighth request is sent a second time with transport version 1.") \
    X(pad_missing, "pad-missing", "REQ-6-06", \
      "Payloads are sent without the pad that fills them up to four bytes.") \
    X(bth_reserved_set, "bth-reserved-set", "REQ-6-13", \
      "The reserved bit R in the BTH of requests is 1.") \
    X(tseth_ftype, "tseth-ftype", "REQ-6-14", "The timestamp header of requests has ftype 2.") \
    X(tseth_reserved_set, "tseth-reserved-set", "REQ-6-15", \
      "A reserved bit of the timestamp header of requests is 1.") \
    X(timestamp_unit, "timestamp-unit", "REQ-6-16", \
      "Timestamps count in units of 1024 ns although TSR is 0.") \
    X(psn_skipped, "psn-skipped", "REQ-6.2-01", "A QP leaves out one PSN after five requests.") \
    X(start_psn, "start-psn", "REQ-6.2-02", \
      "The first request has the PSN after the one that was agreed on.") \
    X(penalty_ignored, "penalty-ignored", "REQ-8-04", \
      "The penalty in SACKs is taken for none.") \
    X(mpr_ignored, "mpr-ignored", "REQ-6.2-03", \
      "Requests are sent as if the peer had a window of 255 units.") \
    X(dynamic_mpr_ignored, "dynamic-mpr-ignored", "REQ-6.2-04", \
      "Requests are sent as if every SACK told a window of 255 units.") \
    X(va_not_advanced, "va-not-advanced", "REQ-6.2-06", \
      "All packets of a message carry the virtual address of its first.") \
    X(dma_length_left, "dma-length-left", "REQ-6.2-07", \
      "Middle and Last packets carry the bytes that are left as their DMA length.") \
    X(dma_length_of_first, "dma-length-of-first", "REQ-6-10", \
      "The DMA length of a First packet is that of its own payload.") \
    X(dma_length_more, "dma-length-more", "REQ-6.2-08", \
      "The DMA length of longer messages is four bytes more than is sent.") \
    X(message_empty, "message-empty", "REQ-5.1-01", \
      "Messages of one packet have the DMA length 0.") \
    X(last_empty, "last-empty", "REQ-6-09", "The Last packet of a message carries no payload.") \
    X(msn_in_last, "msn-in-last", "REQ-6.2-09", \
      "The Last packet of a message has another MSN than the others.") \
    X(msn_not_counted, "msn-not-counted", "REQ-6.2-10", \
      "All messages of a QP have the MSN of the first.") \
    X(rqmsn_in_last, "rqmsn-in-last", "REQ-6.2-11", \
      "The last packet of a longer message with immediate data has another RQMSN.") \
    X(rqmsn_not_counted, "rqmsn-not-counted", "REQ-6.2-12", \
      "All messages with immediate data have the RQMSN 0.") \
    X(wimm_limit_ignored, "wimm-limit-ignored", "REQ-6.2-13", \
      "More messages with immediate data are in flight than the responder tracks.") \
    X(immediate_changed, "immediate-changed", "REQ-6.2-14", \
      "The immediate data sent differs in one bit from what was posted.") \
    X(completion_early, "completion-early", "REQ-6.2-15", \
      "A write is reported as done when its last packet is sent.") \
    X(rtx_not_set, "rtx-not-set", "REQ-7.4-01", "Retransmissions go out with RTX = 0.") \
    X(rtx_on_first, "rtx-on-first", "REQ-7.4-02", \
      "Every eighth first sending has RTX = 1.") \
    X(rtx_other_header, "rtx-other-header", "REQ-7.4-03", \
      "A retransmission has another RQMSN than the first sending of its PSN.") \
    X(rtx_other_payload, "rtx-other-payload", "REQ-7.4-04", \
      "A retransmission's first payload byte differs from what was sent first.") \
    X(rtx_on_nacked_ev, "rtx-on-nacked-ev", "REQ-7.4-05", \
      "The retransmission that a NACK causes takes the EV that the NACK named.") \
    X(rtx_on_same_ev, "rtx-on-same-ev", "REQ-7.4-06", \
      "A retransmission takes the EV of the sending it replaces.") \
    X(rtx_old_timestamp, "rtx-old-timestamp", "REQ-7.4-07", \
      "A retransmission carries the timestamp of the first sending.") \
    X(hole_kept, "hole-kept", "REQ-7.4-08", \
      "The first hole that a SACK shows is never sent again.") \
    X(go_back_n, "go-back-n", "REQ-7.4-09", \
      "With a lost request everything after it is sent again.") \
    X(nack_ignored, "nack-ignored", "REQ-7.4-10", \
      "A request that a NACK named is never sent again.") \
    X(unexp_event_ignored, "unexp-event-ignored", "REQ-7.4-11", \
      "A NACK UNEXP_EVENT is taken no notice of.") \
    X(timeout_halved, "timeout-halved", "REQ-7.4-12", \
      "The linear retries wait half the agreed timeout.") \
    X(backoff_flat, "backoff-flat", "REQ-7.4-13", \
      "The backoff never grows: all retries follow at the first interval.") \
    X(retry_limit_ignored, "retry-limit-ignored", "REQ-7.4-15", "Retries go on without end.") \
    X(retry_exceeded_silent, "retry-exceeded-silent", "REQ-7.4-16", \
      "When the retries are used up the application is not told.") \
    X(no_a_before_idle, "no-a-before-idle", "REQ-7.4-17", \
      "No first sending asks for an acknowledgement, not even the last before idle.") \
    X(request_dscp, "request-dscp", "REQ-9-02", "First sendings go out in the class CONTROL.") \
    X(rtx_dscp, "rtx-dscp", "REQ-9-03", \
      "Retransmissions go out in the class of first sendings.") \
    X(request_not_ect, "request-not-ect", "REQ-9-04", "Requests are not sent as ECN capable.") \
    X(flow_label_high, "flow-label-high", "REQ-9-05", \
      "A bit above the EV's half of the flow label is set.") \
    X(request_after_error, "request-after-error", "REQ-10-01", \
      "A QP in ERROR sends its last request once more.")

#define MRCT_LIES_RESPONDER(X) \
    X(probe_unanswered, "probe-unanswered", "REQ-7.3-01", \
      "Reliability Probes get no answer.") \
    X(probe_id_other, "probe-id-other", "REQ-7.3-02", \
      "The answer to a Reliability Probe has another id.") \
    X(sack_cc_type, "sack-cc-type", "REQ-7-13", "The cc_type of every SACK is 1.") \
    X(bitmap_forgets, "bitmap-forgets", "REQ-7.5.2-16", \
      "The lowest packet that a SACK bitmap should show is left out.") \
    X(checksum_minded, "checksum-minded", "REQ-6.3-19", \
      "Requests with a UDP checksum are dropped.") \
    X(nak_other_psn, "nak-other-psn", "REQ-6.3-15", \
      "A NAK names a PSN that was never sent.") \
    X(nak_early, "nak-early", "REQ-6.3-16", \
      "A NAK is sent when the refused request comes, whatever is missing before it.") \
    X(inside_refused, "inside-refused", "REQ-6.3.1-06", \
      "A request inside the window is refused as outside it.") \
    X(below_nacked, "below-nacked", "REQ-6.3.1-07", \
      "An old duplicate gets a NACK beside its SACK.") \
    X(refused_recorded, "refused-recorded", "REQ-7.5-09", \
      "A request refused with NO_BITMAP is called arrived.") \
    X(reserved_minded, "reserved-minded", "REQ-6.3-17", \
      "A request with the reserved bit R set is dropped.") \
    X(pkey_unchecked, "pkey-unchecked", "REQ-6.3-18", \
      "Requests of any partition are taken.") \
    X(response_op_other, "response-op-other", "REQ-7.3-06", \
      "An Endpoint Response names the other operation.") \
    X(port_status_unanswered, "port-status-unanswered", "REQ-7.3-07", \
      "Port Status Updates get no Endpoint Response.") \
    X(probe_entropy, "probe-entropy", "REQ-7.3-08", \
      "The SACK for a probe does not reflect its EV.") \
    X(probe_timestamp, "probe-timestamp", "REQ-7.3-09", \
      "The SACK for a probe does not reflect its timestamp.") \
    X(probe_mark_untold, "probe-mark-untold", "REQ-7.3-10", \
      "The SACK for a marked probe has M = NONE.") \
    X(window_untold, "window-untold", "REQ-7.5.2-23", \
      "With dynamic MPR on, SACKs tell no window.") \
    X(sack_ts_set, "sack-ts-set", "REQ-6-17", \
      "The bit TS of SACKs is 1.") \
    X(answers_in_error, "answers-in-error", "REQ-10-05", \
      "In ERROR whatever comes is answered by the last SACK again.") \
    X(empty_rq_untold, "empty-rq-untold", "REQ-6.3-10", \
      "That an immediate found no receive does not take the QP to ERROR.") \
    X(wimm_excess_silent, "wimm-excess-silent", "REQ-6.3-11", \
      "One message with immediate data too many gets no NAK.") \
    X(wimm_excess_untold, "wimm-excess-untold", "REQ-6.3-12", \
      "One message with immediate data too many does not take the QP to ERROR.") \
    X(receives_swapped, "receives-swapped", "REQ-6.3-13", \
      "Immediate data takes the receives two by two in the wrong order.") \
    X(receive_length, "receive-length", "REQ-6.3-14", \
      "The completion of a receive tells one byte more than came.") \
    X(ack_early, "ack-early", "REQ-6.3-01", \
      "A transport ACK for a request above a hole goes out at once.") \
    X(ack_msn_stuck, "ack-msn-stuck", "REQ-6.3-02", \
      "The MSN of transport ACKs stays at that of the first.") \
    X(ack_missing, "ack-missing", "REQ-6.3-03", "No positive transport ACK is ever sent.") \
    X(access_error_silent, "access-error-silent", "REQ-6.3-04", \
      "A refused access is not answered by a NAK.") \
    X(icrc_unchecked, "icrc-unchecked", "REQ-6.3-05", \
      "Requests with a wrong ICRC are taken as good.") \
    X(tver_unchecked, "tver-unchecked", "REQ-6.3-06", \
      "Requests of another transport version are taken as good.") \
    X(bad_length_answered, "bad-length-answered", "REQ-6.3-07", \
      "A request that ends inside its headers is answered by a SACK.") \
    X(immediate_early, "immediate-early", "REQ-6.3-08", \
      "Immediate data is delivered when its packet arrives, whatever is missing before it.") \
    X(immediate_wrong, "immediate-wrong", "REQ-6.3-09", \
      "The immediate data delivered differs in one bit from what arrived.") \
    X(placed_too_much, "placed-too-much", "REQ-6.3.1-01", \
      "The bytes before a message's first and after its last are overwritten.") \
    X(duplicate_placed, "duplicate-placed", "REQ-6.3.1-02", "A duplicate is placed again.") \
    X(duplicate_unacked, "duplicate-unacked", "REQ-6.3.1-03", \
      "A duplicate below the expected PSN gets no transport ACK.") \
    X(beyond_window_recorded, "beyond-window-recorded", "REQ-6.3.1-04", \
      "Requests above the window are taken up to twice its size.") \
    X(beyond_window_silent, "beyond-window-silent", "REQ-6.3.1-05", \
      "A request above the window gets no NACK.") \
    X(sack_bth_psn, "sack-bth-psn", "REQ-7-01", \
      "The BTH of a SACK has the PSN after its cack_psn.") \
    X(nack_bth_psn, "nack-bth-psn", "REQ-7-02", \
      "The BTH of a NACK has the PSN after its nack_psn.") \
    X(sack_m_reserved, "sack-m-reserved", "REQ-7-03", \
      "SACKs for marked requests have the reserved M = 3.") \
    X(nack_reason_unlisted, "nack-reason-unlisted", "REQ-7-04", \
      "NACKs for trimmed requests have a reason without a name.") \
    X(nak_sequence_error, "nak-sequence-error", "REQ-7-10", \
      "A refused access is answered by a NAK that tells of a PSN sequence error.") \
    X(nak_code_unlisted, "nak-code-unlisted", "REQ-7-11", \
      "A refused access is answered by a NAK with a code that is not listed.") \
    X(sack_other_qp, "sack-other-qp", "REQ-7-20", \
      "Every fourth SACK goes to another QP of the peer too.") \
    X(response_op, "response-op", "REQ-7-06", \
      "Endpoint Responses have an operation that is not listed.") \
    X(response_psn_high, "response-psn-high", "REQ-7-08", \
      "The top bits of the PSN of Endpoint Responses are not 0.") \
    X(response_reserved_set, "response-reserved-set", "REQ-7-18", \
      "A reserved field of Endpoint Responses is not 0.") \
    X(ev_probe_unanswered, "ev-probe-unanswered", "REQ-7.3-03", \
      "EV Probes get no Endpoint Response.") \
    X(response_timestamp, "response-timestamp", "REQ-7.3-04", \
      "An Endpoint Response does not reflect the timestamp of its request.") \
    X(response_unprovoked, "response-unprovoked", "REQ-7.3-05", \
      "Each Endpoint Response is followed by one with an id that nobody asked for.") \
    X(ack_credit, "ack-credit", "REQ-7-09", "Transport ACKs carry a credit count.") \
    X(nack_cc_type, "nack-cc-type", "REQ-7-12", "NACKs have cc_type 0.") \
    X(sack_reserved_set, "sack-reserved-set", "REQ-7-14", "A reserved field of SACKs is not 0.") \
    X(nack_reserved_set, "nack-reserved-set", "REQ-7-15", "A reserved field of NACKs is not 0.") \
    X(sack_with_payload, "sack-with-payload", "REQ-7-19", "SACKs carry four bytes of payload.") \
    X(ids_swapped, "ids-swapped", "REQ-7-21", \
      "The connection ids of SACKs and NACKs are swapped.") \
    X(trim_silent, "trim-silent", "REQ-7.5-01", "Trimmed requests are not answered.") \
    X(nack_reason_swapped, "nack-reason-swapped", "REQ-7.5-02", \
      "NACKs say TRIMMED for the last hop and TRIMMED_LASTHOP for the others.") \
    X(nack_uncalled, "nack-uncalled", "REQ-7.5-03", \
      "Trimmed requests are NACKed although the peers were told TRIM_NACK is off.") \
    X(nack_psn, "nack-psn", "REQ-7.5-04", \
      "A NACK for a trimmed request names the PSN after it.") \
    X(nack_entropy, "nack-entropy", "REQ-7.5-05", \
      "The entropy of a NACK differs in one bit from the EV of its trigger.") \
    X(nack_timestamp, "nack-timestamp", "REQ-7.5-06", "A NACK does not reflect the timestamp.") \
    X(nack_rtx, "nack-rtx", "REQ-7.5-07", \
      "The RTX bit of a NACK is the opposite of its trigger's.") \
    X(trimmed_recorded, "trimmed-recorded", "REQ-7.5-08", \
      "A trimmed request is acknowledged as if it had arrived whole.") \
    X(no_sack_on_a, "no-sack-on-a", "REQ-7.5.2-01", \
      "A request that asks for an acknowledgement gets no SACK.") \
    X(no_sack_on_ce, "no-sack-on-ce", "REQ-7.5.2-02", \
      "A request that arrives marked gets no SACK.") \
    X(no_sack_on_rtx, "no-sack-on-rtx", "REQ-7.5.2-03", "A retransmission gets no SACK.") \
    X(sack_threshold_ignored, "sack-threshold-ignored", "REQ-7.5.2-04", \
      "However many bytes arrive, no SACK is sent for their number.") \
    X(no_sack_on_duplicate, "no-sack-on-duplicate", "REQ-7.5.2-05", "A duplicate gets no SACK.") \
    X(sack_trigger_offset, "sack-trigger-offset", "REQ-7.5.2-06", \
      "SACKs name a PSN as their trigger that has not arrived.") \
    X(sack_entropy, "sack-entropy", "REQ-7.5.2-07", \
      "All SACKs carry the EV of the first one's trigger.") \
    X(sack_rtx, "sack-rtx", "REQ-7.5.2-08", "The RTX bit of SACKs is always 0.") \
    X(sack_timestamp, "sack-timestamp", "REQ-7.5.2-09", \
      "The timestamp of a SACK is not that of its trigger.") \
    X(sack_timestamp_invented, "sack-timestamp-invented", "REQ-7.5.2-10", \
      "A SACK for a request without a timestamp has one.") \
    X(m_never, "m-never", "REQ-7.5.2-11", "M is NONE in every SACK.") \
    X(m_always, "m-always", "REQ-7.5.2-12", "M is SKIP_ONCE in every SACK.") \
    X(cack_too_far, "cack-too-far", "REQ-7.5.2-13", \
      "The cack_psn of a SACK is one beyond what has arrived.") \
    X(cack_behind, "cack-behind", "REQ-7.5.2-14", \
      "The cack_psn of a SACK is one short of what has arrived.") \
    X(sack_bitmap_shifted, "sack-bitmap-shifted", "REQ-7.5.2-15", \
      "The SACK bitmap is shifted by one PSN.") \
    X(sack_bitmap_high, "sack-bitmap-high", "REQ-7.5.2-17",                                        \
      "The SACK bitmap starts above the highest PSN received and shows nothing.")                  \
    X(ooo_count, "ooo-count", "REQ-7.5.2-18", \
      "The ooo_count counts one request more than are there.") \
    X(rcvd_bytes_back, "rcvd-bytes-back", "REQ-7.5.2-19", \
      "In every fourth SACK rcvd_bytes goes back.") \
    X(rcvd_bytes_duplicates, "rcvd-bytes-duplicates", "REQ-7.5.2-20", \
      "The rcvd_bytes counts duplicates too.") \
    X(rcvd_bytes_payload, "rcvd-bytes-payload", "REQ-7.5.2-21", \
      "The rcvd_bytes counts payload alone.") \
    X(sack_mpr_set, "sack-mpr-set", "REQ-7.5.2-22", \
      "SACKs tell a window although dynamic MPR is off.") \
    X(control_dscp, "control-dscp", "REQ-9-01", "SACKs go out in the class of requests.")
/* clang-format on */

#define MRCT_LIE_DECLARE(id, name, requirement, what)                                              \
    extern const struct mrct_liar_hooks mrct_lie_##id;
MRCT_LIES_REQUESTOR(MRCT_LIE_DECLARE)
MRCT_LIES_RESPONDER(MRCT_LIE_DECLARE)

#endif
