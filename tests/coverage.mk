# SPDX-License-Identifier: BSD-2-Clause
# Lines and branches of ref/ that the tests, the cases and the deviants execute, a row a file.
COVERED := wire endpoint
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
	@gcovr -r . --object-directory $(BUILD) --filter ref/ --exclude-unreachable-branches \
	    --exclude-throw-branches --print-summary $(GCOVR_FLAGS) $(BUILD)
