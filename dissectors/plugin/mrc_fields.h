/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissector's own fields, beside those of the headers: id, label, filter name, type, shown how,
 * names of values, and what it is. */
OWN(EV, "Entropy value", "ev", FT_UINT32, BASE_HEX, NULL, "from source port and flow label")
OWN(EV_PLANE, "Plane", "ev.plane", FT_UINT32, BASE_DEC, NULL, "field 'plane' of the entropy value")
OWN(EV_PATH, "Path", "ev.path", FT_UINT32, BASE_DEC, NULL, "field 'path' of the entropy value")
OWN(DSCP, "DSCP", "dscp", FT_UINT8, BASE_DEC, NULL, "of the outermost IP header")
OWN(ECN, "ECN", "ecn", FT_UINT8, BASE_DEC, VALS(mrc_ws_ecn), "of the outermost IP header")
OWN(TRIMMED, "Trimmed", "trimmed", FT_UINT8, BASE_DEC, VALS(trims), "cut by a switch, by its DSCP")
OWN(PAYLOAD_LEN, "Payload length", "payload_len", FT_UINT32, BASE_DEC, NULL, "bytes without pad")
OWN(PAYLOAD, "Payload", "payload", FT_BYTES, BASE_NONE, NULL, "what is written")
OWN(ICRC, "ICRC", "icrc", FT_UINT32, BASE_HEX, NULL, "as found")
OWN(ICRC_EXPECTED, "ICRC expected", "icrc.expected", FT_UINT32, BASE_HEX, NULL, "as computed")
OWN(ICRC_STATUS, "ICRC status", "icrc.status", FT_UINT8, BASE_DEC, VALS(icrc_states),
    "what is known of the ICRC")
OWN(SRV6_SRC, "Outer source", "srv6.src", FT_IPv6, BASE_NONE, NULL, NULL)
OWN(SRV6_DST, "Outer destination", "srv6.dst", FT_IPv6, BASE_NONE, NULL, NULL)
OWN(SRV6_USID, "uSID", "srv6.usid", FT_UINT16, BASE_HEX, NULL,
    "of the outer destination, then the segment")
OWN(SRV6_SEGMENT, "Further segment", "srv6.segment", FT_IPv6, BASE_NONE, NULL, NULL)
OWN(SRV6_LEFT, "Segments left", "srv6.segments_left", FT_UINT8, BASE_DEC, NULL, NULL)
OWN(SRV6_DSCP, "Inner DSCP", "srv6.inner_dscp", FT_UINT8, BASE_DEC, NULL, NULL)
OWN(SRV6_ECN, "Inner ECN", "srv6.inner_ecn", FT_UINT8, BASE_DEC, VALS(mrc_ws_ecn), NULL)
OWN(BITMAP, "Bitmap", "seth.bitmap", FT_UINT64, BASE_HEX, NULL, "the SACK bitmap, drawn")
OWN(ARRIVED, "Arrived", "seth.arrived", FT_STRING, BASE_NONE, NULL, "PSNs whose bit is set")
OWN(UNKNOWN, "No information", "seth.unknown", FT_STRING, BASE_NONE, NULL,
    "PSNs whose bit is clear below the highest set")
OWN(TRIGGER_PSN, "Trigger PSN", "seth.trigger_psn", FT_UINT24, BASE_DEC, NULL,
    "cack_psn + ack_psn_offset")
OWN(ERROR, "Error", "error", FT_STRING, BASE_NONE, NULL, "why this is no acceptable MRC packet")
OWN(REQUIREMENT, "Requirement broken", "requirement", FT_STRING, BASE_NONE, NULL,
    "id of a requirement that this frame alone breaks")
OWN(STREAM, "Stream", "stream", FT_UINT32, BASE_DEC, NULL, "one direction of a connection")
OWN(REL_PSN, "Relative PSN", "analysis.rel_psn", FT_INT32, BASE_DEC, NULL,
    "PSN less the first one of the stream")
OWN(RETRANSMISSION, "Retransmits frame", "analysis.retransmission", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), "sent before in")
OWN(DELAY, "Since that frame", "analysis.retransmission.delay", FT_RELATIVE_TIME, BASE_NONE, NULL,
    NULL)
OWN(REASON, "Likely reason", "analysis.retransmission.reason", FT_UINT8, BASE_DEC, VALS(reasons),
    "what had been told before")
OWN(AGAIN_IN, "Retransmitted in", "analysis.retransmitted_in", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(DUPLICATE, "Same transmission as", "analysis.duplicate", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), "seen again: at another tap, or doubled on the way")
OWN(UNSEEN, "Original not captured", "analysis.original_unseen", FT_BOOLEAN, BASE_NONE, NULL,
    "a retransmission of what is not in the capture")
OWN(ACKED_IN, "Acknowledged in", "analysis.acked_in", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_ACK), NULL)
OWN(ACKED_TIME, "Acknowledged after", "analysis.acked_time", FT_RELATIVE_TIME, BASE_NONE, NULL,
    NULL)
OWN(NACKED_IN, "Refused in", "analysis.nacked_in", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(IN_FLIGHT, "Packets in flight", "analysis.in_flight", FT_UINT32, BASE_DEC, NULL,
    "sent, and neither acknowledged nor refused")
OWN(MESSAGE_FIRST, "Message begins in", "analysis.message.first", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(MESSAGE_LAST, "Message ends in", "analysis.message.last", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(MESSAGE_OFFSET, "Offset in the message", "analysis.message.offset", FT_UINT32, BASE_DEC, NULL,
    "bytes")
OWN(MESSAGE_LENGTH, "Length of the message", "analysis.message.length", FT_UINT32, BASE_DEC, NULL,
    "bytes")
OWN(EV_STATE, "State of the entropy value", "analysis.ev_state", FT_UINT8, BASE_DEC,
    VALS(ev_states), "as told before this frame")
OWN(EV_TOLD_IN, "Told in", "analysis.ev_told_in", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(EV_VERDICT, "Verdict on the entropy value", "analysis.ev_verdict", FT_UINT8, BASE_DEC,
    VALS(ev_states), "what this frame tells of the entropy value it reflects")
OWN(TRIGGER, "Caused by", "analysis.trigger", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), NULL)
OWN(RTT, "RTT", "analysis.rtt", FT_RELATIVE_TIME, BASE_NONE, NULL,
    "from the packet whose timestamp is reflected; right at its sender")
OWN(NEWLY_ACKED, "Newly acknowledged", "analysis.newly_acked", FT_UINT32, BASE_DEC, NULL, "packets")
OWN(NEWLY_ACKED_PSNS, "Newly acknowledged PSNs", "analysis.newly_acked_psns", FT_STRING, BASE_NONE,
    NULL, NULL)
OWN(ACKS_FRAME, "Acknowledges", "analysis.acks_frame", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_ACK), NULL)
OWN(HOLES, "Holes opened", "analysis.holes", FT_UINT32, BASE_DEC, NULL, "packets")
OWN(HOLE, "Hole", "analysis.hole", FT_UINT24, BASE_DEC, NULL,
    "PSN not arrived while a later one has")
OWN(HOLE_FRAME, "Hole's frame", "analysis.hole_frame", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_NONE), NULL)
OWN(HOLES_FILLED, "Holes filled", "analysis.holes_filled", FT_UINT32, BASE_DEC, NULL, "packets")
OWN(ANSWERED_IN, "Answered in", "analysis.answered_in", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), NULL)
OWN(ANSWERS, "Answers", "analysis.answers", FT_FRAMENUM, BASE_NONE,
    FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), NULL)
OWN(ANSWER_TIME, "Answered after", "analysis.answer_time", FT_RELATIVE_TIME, BASE_NONE, NULL, NULL)
