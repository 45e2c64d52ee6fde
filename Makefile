# SPDX-License-Identifier: BSD-2-Clause
# One Makefile, out of tree: everything made lands in $(BUILD).
BUILD  ?= build
PREFIX ?= /usr/local
SAN    ?=

VERSION := $(shell cat VERSION)
ifeq ($(origin CC),default)
CC      := gcc
endif
WARN    := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror
OPT     ?= -O2 -g
CFLAGS  += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) -ffp-contract=off -MMD -MP $(SAN)
CPPFLAGS += -I. -I$(BUILD) -DMRCT_VERSION='"$(VERSION)"' -DMRCT_PREFIX='"$(PREFIX)"'
LDFLAGS += $(SAN)

PKGS      := libpcap yaml-0.1 jansson zlib libzstd libisal
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lev -lm -pthread

JOBS := -j$(shell nproc)
# A line a file; make V=1 shows the commands.
say = $(if $(V),,@printf '  %-3s %s\n' $(1) $(2) &&) 

.PHONY: all certify certify-live check check-san check-long numbers figures memcheck lint bench install uninstall clean dist deps docs pictures
all: deps
	@$(MAKE) --no-print-directory $(JOBS) build-all

# ---- what people type ---------------------------------------------------------------------------
REPORT ?= $(BUILD)/report
certify: all ## build, certify the reference endpoint, write the report
	@$(BUILD)/mrct certify --out $(REPORT) $(CERTIFY_FLAGS)

certify-live: all ## the whole catalogue over real sockets, in a network namespace of its own (root)
	@$(BUILD)/mrct certify --live --out $(REPORT)-live $(CERTIFY_FLAGS)

check: deps ## build and run every test; ends on `N passed, N failed`
	@$(MAKE) --no-print-directory $(JOBS) build-all build-tests
	@scripts/check.sh $(BUILD) $(TESTS) $(CLI_TESTS)

SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all
# What says nothing of our own code's memory, or runs again what another test runs.
SAN_SKIP := dissector experiments mutation shrink spec wire_field
check-san: ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	@MRCT_QUICK=1 $(MAKE) --no-print-directory check BUILD=$(BUILD)-san SAN="$(SAN_FLAGS)" OPT="-O1 -g" \
	    CLI_SKIP="$(SAN_SKIP)"

check-long: ## the long tests: many seeds, ten million mutations
	@MRCT_LONG=1 $(MAKE) --no-print-directory check

SEEDS ?= 2000
numbers: all ## the three numbers: requirements covered, mutation score, false accusations (SEEDS=2000)
	@scripts/numbers.sh $(BUILD) $(SEEDS)

figures: all ## the same at length, with every check mutated: writes docs/figures.txt (hours)
	@scripts/deps.sh build mutation
	@$(MAKE) --no-print-directory $(JOBS) $(MUT)/mutation
	@scripts/numbers.sh $(BUILD) 100000 docs/figures.txt

memcheck: ## the codec's and the endpoint's tests under valgrind
	@scripts/deps.sh build memcheck
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/tests/test_wire $(BUILD)/tests/test_endpoint
	@printf '%s\n' endpoint wire | MRCT_QUICK=1 CK_FORK=no CK_DEFAULT_TIMEOUT=0 xargs -P $(shell nproc) \
	    -I '{}' valgrind -q --error-exitcode=99 --leak-check=full $(BUILD)/tests/test_'{}'

deps:
	@scripts/deps.sh build

# ---- house rules --------------------------------------------------------------------------------
C_FILES := $(filter-out $(BUILD)/%,$(shell find ref spec harness tests bench -name '*.[ch]' 2>/dev/null | sort))
lint: ## clang-format, clang-tidy, cppcheck, house rules
	@scripts/deps.sh build lint
	@scripts/house.sh
	@clang-format --dry-run --Werror $(C_FILES)
	@$(MAKE) --no-print-directory $(GEN_H)
	@cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 --suppressions-list=.cppcheck $(JOBS) -I. -I$(BUILD) ref spec harness
	@echo $(filter %.c,$(filter ref/% spec/% harness/%,$(C_FILES))) | tr ' ' '\n' | \
	    xargs -P $(shell nproc) -n 4 scripts/tidy.sh $(BUILD) "$(PKG_CFLAGS)"

# ---- modules: one static library each, in the order of who may know whom -------------------------
MODULES := wire endpoint net req trace fabric live oracle stats dut deviant cases report sim cli
SRC_wire     := $(wildcard ref/wire/*.c)
SRC_endpoint := $(wildcard ref/endpoint/*.c)
SRC_net      := $(wildcard ref/net/*.c)
SRC_req      := $(wildcard spec/load/*.c)
SRC_trace    := $(wildcard harness/trace/*.c)
SRC_fabric   := $(wildcard harness/fabric/*.c)
SRC_live     := $(wildcard harness/live/*.c)
SRC_oracle   := $(wildcard harness/oracle/*.c)
SRC_stats    := $(wildcard harness/stats/*.c)
SRC_dut      := $(wildcard harness/dut/*.c)
SRC_deviant  := $(wildcard harness/deviant/*.c)
SRC_cases    := $(wildcard harness/cases/*.c)
SRC_sim      := $(wildcard harness/sim/*.c)
SRC_report   := $(wildcard harness/report/*.c)
SRC_cli      := $(filter-out harness/cli/main.c,$(wildcard harness/cli/*.c))
GEN_wire     := $(BUILD)/gen/mrc_wire.c
GEN_req      := $(BUILD)/gen/mrc_req.c

# What a module's own test links: itself and what lies above it.
DEPS_wire     := wire
DEPS_endpoint := endpoint wire
DEPS_net      := net endpoint wire
DEPS_req      := req wire
DEPS_trace    := trace req wire
DEPS_dut      := dut trace req endpoint wire
DEPS_fabric   := fabric dut trace req endpoint wire
DEPS_live     := live net fabric dut trace req endpoint wire
DEPS_oracle   := oracle trace req wire
DEPS_stats    := stats trace req wire
DEPS_deviant  := deviant fabric dut trace req endpoint wire
DEPS_cases    := cases report deviant oracle fabric dut trace endpoint req wire
DEPS_report   := report oracle trace req wire
DEPS_sim      := sim cases report deviant oracle fabric dut trace endpoint req wire
DEPS_cli      := cli stats sim cases report deviant oracle live fabric dut trace net endpoint req wire

GEN_H := $(BUILD)/gen/mrc_wire.h $(BUILD)/gen/mrc_req.h $(BUILD)/gen/report_assets.h

define MODULE
OBJ_$(1) := $$(patsubst %.c,$(BUILD)/obj/%.o,$$(SRC_$(1))) $$(patsubst $(BUILD)/gen/%.c,$(BUILD)/obj/gen/%.o,$$(GEN_$(1)))
$(BUILD)/lib$(1).a: $$(OBJ_$(1))
	@rm -f $$@ && ar rcs $$@ $$^
TESTSRC_$(1) := $$(wildcard tests/$(1)/*.c)
TESTOBJ_$(1) := $$(patsubst %.c,$(BUILD)/obj/%.o,$$(TESTSRC_$(1)))
ifneq ($$(TESTSRC_$(1)),)
TESTS += $(BUILD)/tests/test_$(1)
endif
$(BUILD)/tests/test_$(1): $$(TESTOBJ_$(1)) $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_$(1)))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) $$(LDFLAGS) -o $$@ $$(TESTOBJ_$(1)) $$(patsubst %,$(BUILD)/lib%.a,$$(DEPS_$(1))) $$(shell pkg-config --libs check) $$(PKG_LIBS)
.PHONY: test-$(1)
test-$(1): $(BUILD)/tests/test_$(1)
	$(BUILD)/tests/test_$(1)
endef
$(foreach m,$(MODULES),$(eval $(call MODULE,$(m))))

ALL_OBJ := $(foreach m,$(MODULES),$(OBJ_$(m)) $(TESTOBJ_$(m))) $(BUILD)/obj/harness/cli/main.o

# ref/ knows nothing of the requirements, so it does not wait for their tables.
$(BUILD)/obj/ref/%.o: ref/%.c | $(BUILD)/gen/mrc_wire.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -c -o $@ $<
$(BUILD)/obj/gen/mrc_wire.o: $(BUILD)/gen/mrc_wire.c $(BUILD)/gen/mrc_wire.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -c -o $@ $<
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -c -o $@ $<
$(BUILD)/obj/%.o: %.c | $(GEN_H)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) $(PKG_CFLAGS) -c -o $@ $<
-include $(ALL_OBJ:.o=.d)

# ---- the specification as data ------------------------------------------------------------------
# specgen wire FILE OUTDIR makes mrc_wire.h, mrc_wire.c, mrc_fields.lua and wire.md of one YAML file;
# specgen req DIR QUESTIONS OUTDIR [FILE...] makes mrc_req.h, mrc_req.c and requirements.md; FILEs
# enter the hash.
# spec/load is part of the generator, but for what reads the generated tables.
GENLOAD := $(filter-out spec/load/req_find.c,$(wildcard spec/load/*.c))
SPECGEN := $(BUILD)/specgen
$(SPECGEN): $(wildcard spec/gen/*.c spec/gen/*.h spec/load/*.c spec/load/*.h)
	@mkdir -p $(BUILD)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) -std=c11 -D_GNU_SOURCE -O1 -g $(WARN) -o $@ $(wildcard spec/gen/*.c) $(GENLOAD) $(shell pkg-config --cflags --libs yaml-0.1)
$(BUILD)/gen/mrc_wire.h: $(SPECGEN) spec/wire.yaml
	@mkdir -p $(@D)
	$(call say,GEN,$@)$(SPECGEN) wire spec/wire.yaml $(@D)
$(BUILD)/gen/mrc_wire.c: $(BUILD)/gen/mrc_wire.h
$(BUILD)/gen/mrc_req.h: $(SPECGEN) spec/questions.yaml spec/wire.yaml $(wildcard spec/requirements/*.yaml)
	@mkdir -p $(@D)
	$(call say,GEN,$@)$(SPECGEN) req spec/requirements spec/questions.yaml $(@D) spec/wire.yaml
$(BUILD)/gen/mrc_req.c: $(BUILD)/gen/mrc_req.h

# ---- what the HTML report carries with it: its style and script, as C strings ------------------
$(BUILD)/gen/report_assets.h: reports/report.css reports/report.js
	@mkdir -p $(@D)
	@for f in css js; do echo "static const char mrct_report_$$f[] ="; \
	    sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^.*$$/    "&\\n"/' -e '$$s/$$/;/' reports/report.$$f; \
	    done > $@.tmp && mv $@.tmp $@

# ---- programs -----------------------------------------------------------------------------------
.PHONY: build-all
build-all: $(BUILD)/mrct
$(BUILD)/mrct: $(BUILD)/obj/harness/cli/main.o $(patsubst %,$(BUILD)/lib%.a,$(DEPS_cli))
	$(call say,LD,$@)$(CC) $(LDFLAGS) -o $@ $< $(patsubst %,$(BUILD)/lib%.a,$(DEPS_cli)) $(PKG_LIBS)

.PHONY: build-tests
CLI_SKIP  ?=
CLI_TESTS := $(filter-out $(CLI_SKIP:%=tests/cli/%.sh),$(sort $(wildcard tests/cli/*.sh)))
build-tests: $(TESTS)

# ---- documents made of the specification --------------------------------------------------------
docs: $(GEN_H) ## docs/reference/wire.md and requirements.md from spec/
	cp $(BUILD)/gen/wire.md $(BUILD)/gen/requirements.md docs/reference/

pictures: all ## docs/pictures/*.png from real output: Wireshark, and the page of a capture
	@scripts/deps.sh pictures
	@scripts/pictures/pictures.sh $(BUILD) docs/pictures

include dissectors/plugin.mk
include tests/fuzz/fuzz.mk
include tests/coverage.mk
include tests/golden/golden.mk
include tests/mutation/mutation.mk

# ---- installing ---------------------------------------------------------------------------------
DATADIR := $(DESTDIR)$(PREFIX)/share/mrct
MANDIR  := $(DESTDIR)$(PREFIX)/share/man/man1
install: all
	install -D -m 755 $(BUILD)/mrct $(DESTDIR)$(PREFIX)/bin/mrct
	install -d $(DATADIR) $(MANDIR)
	cp -R cases experiments $(DATADIR)/
	install -m 644 docs/man/*.1 $(MANDIR)/
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/mrct $(patsubst docs/man/%,$(MANDIR)/%,$(wildcard docs/man/*.1))
	rm -rf $(DATADIR)

dist:
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=mrct-$(VERSION)/ -o $(BUILD)/mrct-$(VERSION).tar.gz HEAD

# ---- benchmarks: figures and ratios of one run, nothing asserted ----------------------------------
BENCHES := $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/bench_*.c))
$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(patsubst %,$(BUILD)/lib%.a,$(DEPS_cli))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS) -o $@ $< $(patsubst %,$(BUILD)/lib%.a,$(DEPS_cli)) $(PKG_LIBS)
bench: all
	@$(MAKE) --no-print-directory $(JOBS) $(BENCHES)
	@for b in $(BENCHES); do $$b || exit 1; done

# ---- agents to start from -------------------------------------------------------------------------
.PHONY: examples
examples: $(BUILD)/examples/agent ## the example agents
build-tests: examples
$(BUILD)/examples/agent: $(BUILD)/obj/examples/agent.o $(patsubst %,$(BUILD)/lib%.a,$(DEPS_dut))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDFLAGS) -o $@ $< $(patsubst %,$(BUILD)/lib%.a,$(DEPS_dut)) $(PKG_LIBS)

clean:
	rm -rf build build-san
