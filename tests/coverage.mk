# SPDX-License-Identifier: BSD-2-Clause
# Lines and branches of ref/ that its tests, the cases and a few swarm seeds execute, a row a file. It
# fails below 95 % of the lines or 85 % of the branches.
#
# What remains, as last looked at, is of three kinds. In ref/net/, whose tests need a network namespace:
# what the kernel refuses or lacks, and links that vanish under way. In ref/wire/reader_*: words that a
# line of the notation must not have, each a refusal of its own; the fuzz target reaches them. In
# ref/endpoint/: second entries of hash chains, and what is full behind something else that is full.
COVERED := wire endpoint net
COV_RUN  = GCOV_ERROR_FILE=/dev/null CK_FORK=no MRCT_QUICK=1
.PHONY: coverage coverage-run
coverage: ## line and branch coverage of ref/ as a table
	@scripts/deps.sh build coverage
	@$(MAKE) --no-print-directory coverage-run BUILD=$(BUILD)-cov SAN=--coverage OPT="-O0 -g"
coverage-run:
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/mrct $(COVERED:%=$(BUILD)/tests/test_%)
	@find $(BUILD) -name '*.gcda' -delete
	@for t in $(COVERED); do $(COV_RUN) $(BUILD)/tests/test_$$t >$(BUILD)/$$t.log || exit 1; done
	@$(COV_RUN) $(BUILD)/mrct certify --cases cases >$(BUILD)/certify.log
	@$(COV_RUN) $(BUILD)/mrct swarm --seeds 1..50 >$(BUILD)/swarm.log
	@gcovr -r . --fail-under-line 95 --fail-under-branch 85 --object-directory $(BUILD) --filter ref/ --exclude-unreachable-branches \
	    --exclude-throw-branches --print-summary $(GCOVR_FLAGS) $(BUILD)
