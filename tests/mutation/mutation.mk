# SPDX-License-Identifier: BSD-2-Clause
# Each comparison and constant of the checks changed, one at a time, in one program.
MUTATED  := $(sort $(wildcard harness/oracle/sec_*.c) $(patsubst %,harness/oracle/%.c,app gaps path \
              reqr reqr_control reqr_events reqr_message resp resp_duty resp_ring resp_view))
MUT      := $(BUILD)/mutation
LLVM      = $(patsubst %/include/clang-c/Index.h,%,$(firstword $(wildcard /usr/lib/llvm-*/include/clang-c/Index.h)))
MUT_OWN  := kill main units score equal
MUT_OBJ  := $(MUTATED:%.c=$(MUT)/obj/%.o) $(MUT)/obj/mutants.o $(MUT_OWN:%=$(BUILD)/obj/tests/mutation/%.o) \
            $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(MUTATED),$(SRC_oracle))) \
            $(filter-out $(BUILD)/obj/tests/golden/main.o,$(GOLDEN_OBJ))
-include $(MUT_OWN:%=$(BUILD)/obj/tests/mutation/%.d)

$(MUT)/mutate: tests/mutation/mutate.c tests/mutation/source.c tests/mutation/source.h
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) -std=c11 -D_GNU_SOURCE -O1 -g $(WARN) -isystem $(LLVM)/include -o $@ \
	    tests/mutation/mutate.c tests/mutation/source.c -L$(LLVM)/lib -lclang -Wl,-rpath,$(LLVM)/lib
$(MUT)/mutants.c: $(MUT)/mutate $(MUTATED) $(wildcard harness/oracle/*.h) $(GEN_H)
	$(call say,GEN,$@)$(MUT)/mutate $(MUT) $(MUTATED) -- -std=c11 -D_GNU_SOURCE -I. -I$(BUILD)
$(MUT)/obj/%.o: $(MUT)/mutants.c
	@mkdir -p $(@D)
	$(call say,CC,$*)$(CC) $(CPPFLAGS) -std=c11 -D_GNU_SOURCE -O2 -w -ffp-contract=off $(PKG_CFLAGS) -c -o $@ $(MUT)/$*.c
$(MUT)/mutation: $(MUT_OBJ) $(patsubst %,$(BUILD)/lib%.a,$(filter-out oracle,$(DEPS_cases)))
	$(call say,LD,$@)$(CC) $(LDFLAGS) $(GOLDEN_WRAP) -o $@ $(MUT_OBJ) -Wl,--start-group \
	    $(patsubst %,$(BUILD)/lib%.a,$(filter-out oracle,$(DEPS_cases))) -Wl,--end-group $(shell pkg-config --libs check) $(PKG_LIBS)

.PHONY: mutation mutation-checks
mutation: all ## play every deviant in every case, and switch off each check in turn
	@$(BUILD)/mrct mutation --out $(BUILD)/mutation-report

mutation-checks: ## change each comparison and constant of the checks: does a test notice? (long)
	@scripts/deps.sh build mutation
	@$(MAKE) --no-print-directory $(JOBS) $(MUT)/mutation test-golden
	@CK_DEFAULT_TIMEOUT=0 $(MUT)/mutation --jobs $(shell nproc) --json $(MUT)/checks.json $(MUTATION_FLAGS)
