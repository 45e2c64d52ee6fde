# SPDX-License-Identifier: BSD-2-Clause
# What the oracle says of all cases, deviants, seeds and tests, compared with what is known of it.
GOLDEN_WRAP := $(foreach f,new free frame event clock end,-Wl,--wrap=mrct_oracle_$(f))
GOLDEN_OBJ  := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/golden/*.c)) \
               $(filter-out $(BUILD)/obj/tests/oracle/main.o,$(TESTOBJ_oracle))
GOLDEN_LIBS := $(patsubst %,$(BUILD)/lib%.a,$(DEPS_cases))
ALL_OBJ     += $(GOLDEN_OBJ)
TESTS       += $(BUILD)/tests/test_golden
build-tests: $(BUILD)/tests/test_golden
-include $(GOLDEN_OBJ:.o=.d)

$(BUILD)/tests/test_golden: $(GOLDEN_OBJ) $(GOLDEN_LIBS)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS) $(GOLDEN_WRAP) -o $@ $(GOLDEN_OBJ) $(GOLDEN_LIBS) \
	    $(shell pkg-config --libs check) $(PKG_LIBS)

.PHONY: test-golden golden
test-golden: $(BUILD)/tests/test_golden
	@BUILD=$(BUILD) $(BUILD)/tests/test_golden

golden: $(BUILD)/tests/test_golden ## take what the oracle says now as known: look at the difference first
	@BUILD=$(BUILD) $(BUILD)/tests/test_golden || true
	@cp $(BUILD)/golden/*.txt tests/golden/
