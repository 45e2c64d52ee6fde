# SPDX-License-Identifier: BSD-2-Clause
# Fuzz targets: with clang's libFuzzer (make fuzz), and as programs that replay files, which
# `make check` runs over tests/fuzz/corpus.
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SHARED  := tests/fuzz/fuzz.c
FUZZ_WITH_endpoint := tests/fuzz/world.c
FUZZ_SECONDS ?= 60
FUZZ_BUILD   := $(BUILD)-fuzz
FUZZ_CFLAGS  := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

define FUZZ
FUZZ_REPLAY += $(BUILD)/tests/replay_$(1)
FUZZ_RUN    += $(BUILD)/fuzz/$(1)
FUZZ_OBJ_$(1) := $$(patsubst %.c,$(BUILD)/obj/%.o,tests/fuzz/fuzz_$(1).c $$(FUZZ_SHARED) $$(FUZZ_WITH_$(1)))
$(BUILD)/tests/replay_$(1): $$(FUZZ_OBJ_$(1)) $(BUILD)/obj/tests/fuzz/replay.o $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_cases))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_cases)) $$(PKG_LIBS)
$(BUILD)/fuzz/$(1): $$(FUZZ_OBJ_$(1)) $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_cases))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) -fsanitize=fuzzer,address,undefined -o $$@ $$(filter %.o,$$^) $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_cases)) $$(PKG_LIBS)
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call FUZZ,$(t))))
-include $(wildcard $(BUILD)/obj/tests/fuzz/*.d)

build-tests: $(FUZZ_REPLAY)

.PHONY: fuzz fuzz-build fuzz-run
fuzz: ## every fuzz target for FUZZ_SECONDS each, under ASan and UBSan (clang)
	@scripts/deps.sh build fuzz
	@$(MAKE) --no-print-directory fuzz-run CC=clang BUILD=$(FUZZ_BUILD) SAN="$(FUZZ_CFLAGS)" OPT="-O1 -g"
fuzz-build: $(FUZZ_RUN)
fuzz-run: fuzz-build
	@for t in $(FUZZ_TARGETS); do mkdir -p $(BUILD)/found/$$t && \
	    $(BUILD)/fuzz/$$t -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -verbosity=1 \
	    -artifact_prefix=$(BUILD)/found/ $(BUILD)/found/$$t tests/fuzz/corpus/$$t || exit 1; done
