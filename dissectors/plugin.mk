# SPDX-License-Identifier: BSD-2-Clause
# The Wireshark dissectors. mrc.lua is committed, so that it installs by copying; a test fails when
# it is not what its parts and spec/wire.yaml make.
LUA_PARTS := $(sort $(wildcard dissectors/lua/*.lua))

$(BUILD)/dissectors/mrc.lua: $(LUA_PARTS) $(BUILD)/gen/mrc_wire.h
	@mkdir -p $(@D)
	@{ sed '/^-- @generated/,$$d' dissectors/lua/00-head.lua; \
	   echo '-- The list of fields, made of spec/wire.yaml.'; echo 'local spec = (function()'; \
	   sed 1,2d $(BUILD)/gen/mrc_fields.lua; echo 'end)()'; \
	   for f in $(filter-out %/00-head.lua,$(LUA_PARTS)); do echo; cat $$f; done; } >$@.tmp && mv $@.tmp $@

.PHONY: dissectors
dissectors: $(BUILD)/dissectors/mrc.lua ## dissectors/mrc.lua of dissectors/lua/ and spec/wire.yaml
	cp $< dissectors/mrc.lua

# What the dissectors make of a capture beside what mrct decode does.
$(BUILD)/dissectors/fieldcmp: dissectors/test/fieldcmp.c $(BUILD)/libwire.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(PKG_CFLAGS) -o $@ $< $(BUILD)/libwire.a $(PKG_LIBS)
build-tests: $(BUILD)/dissectors/fieldcmp $(BUILD)/dissectors/mrc.lua
