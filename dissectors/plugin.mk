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

# ---- the plugin, for the Wireshark whose headers are installed --------------------------------------
WS_CFLAGS   = $(shell pkg-config --cflags wireshark 2>/dev/null | sed 's/-I/-isystem /g')
WS_LIBS     = $(shell pkg-config --libs wireshark 2>/dev/null)
WS_VERSION  = $(shell pkg-config --modversion wireshark 2>/dev/null | cut -d. -f1,2)
PLUGIN_SRC := $(wildcard dissectors/plugin/*.c)
PLUGIN_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(PLUGIN_SRC)) $(BUILD)/obj/plugin/mrc_wire.o
# Wireshark's registration tables take a row's remaining members for granted.
PLUGIN_FLAGS = -fPIC -fvisibility=hidden -Wno-missing-field-initializers -Wno-missing-prototypes
# A Wireshark without sanitizers cannot load a plugin that has them.
PLUGIN_CFLAGS = $(filter-out $(SAN),$(CFLAGS))

$(BUILD)/obj/dissectors/plugin/%.o: dissectors/plugin/%.c $(BUILD)/gen/mrc_wire.h
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(PLUGIN_CFLAGS) $(PLUGIN_FLAGS) $(WS_CFLAGS) -c -o $@ $<
$(BUILD)/obj/plugin/mrc_wire.o: $(BUILD)/gen/mrc_wire.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(PLUGIN_CFLAGS) $(PLUGIN_FLAGS) -c -o $@ $<
$(BUILD)/dissectors/plugin/mrc.so: $(PLUGIN_OBJ)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(filter-out $(SAN),$(LDFLAGS)) -shared -o $@ $^ $(WS_LIBS)
-include $(PLUGIN_OBJ:.o=.d)

# Root installs for everybody, anybody else for himself.
WS_PLUGINS ?= $(if $(filter 0,$(shell id -u)),$(shell pkg-config --variable=plugindir wireshark),$(HOME)/.local/lib/wireshark/plugins/$(WS_VERSION))
.PHONY: plugin install-plugin uninstall-plugin
plugin: ## the dissector as a plugin of the installed Wireshark
	@scripts/deps.sh build plugin
	@$(MAKE) --no-print-directory $(JOBS) $(BUILD)/dissectors/plugin/mrc.so
install-plugin: plugin ## into Wireshark's folder of plugins
	install -D -m 644 $(BUILD)/dissectors/plugin/mrc.so $(DESTDIR)$(WS_PLUGINS)/epan/mrc.so
uninstall-plugin:
	rm -f $(DESTDIR)$(WS_PLUGINS)/epan/mrc.so

# The tests want tshark and the plugin; without them they say that they skip.
build-tests: $(if $(WS_VERSION),$(BUILD)/dissectors/plugin/mrc.so)
.PHONY: dissector-deps
dissector-deps:
	@scripts/deps.sh dissectors plugin || echo "the dissectors' tests will skip what this was for"
check: dissector-deps
