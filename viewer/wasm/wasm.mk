# wasm.mk - reader, analysis and drawing core as a WebAssembly module, and the page that holds it, by clang for wasm32
# (Debian: clang, lld, wasi-libc, libclang-rt-dev-wasm32), with pako (node-pako), which unpacks deflate. Without these,
# no page is built.
WASM_CC ?= clang
PAKO ?= $(firstword $(wildcard $(addsuffix /pako/dist/pako_inflate.min.js,/usr/share/nodejs /usr/share/node_modules \
	/usr/lib/node_modules /usr/local/lib/node_modules)))
# yes: everything is installed: the C library, the compiler's runtime library, the linker, pako.
HAVE_WASM := $(if $(PAKO),$(shell printf '\043include <stdio.h>\nint main(void) { return putchar(1); }\n' | \
	$(WASM_CC) --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null && echo yes))
# Sources that `pith draw` and the module share.
module_draw_src := $(addprefix viewer/draw/,draw_figure.c draw_rows.c draw_words.c)
# All sources of the reader and the core, except for those that formats/wasm replaces (zlib, the handler of SIGBUS,
# threads, the cache), writers of formats, and formats that need a library.
wasm_src := $(filter-out formats/base/zip.c formats/base/fault.c formats/base/worker.c formats/base/far.c \
	formats/reader/read/cache.c formats/foreign/otf2/% \
	formats/foreign/sqlite/% formats/foreign/ctf/% formats/foreign/perfetto/% formats/foreign/text/print% \
	$(wildcard formats/foreign/*/*_write.c),$(formats_src)) \
	formats/foreign/otf2/otf2_probe.c $(wildcard formats/wasm/*.c) $(core_src) $(wildcard viewer/wasm/*.c) \
	$(module_draw_src)
wasm_obj = $(patsubst %.c,$(O)/obj/wasm/%.o,$(1))
wasm_module := $(O)/share/pith/page/pith.wasm
wasm_flags := --target=wasm32-wasi -std=c11 -D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID \
	-DPITH_VERSION='"$(VERSION)"' -O2 -ffunction-sections -fdata-sections $(WARN) -Wno-sign-compare -MMD -MP \
	-isystem formats/wasm/include -include formats/wasm/include/more_posix.h
# Functions that the page calls: those of module.h and system.h.
wasm_exports = $(sort $(shell grep -oh 'pithi_module_[a-z]*\|pithi_system_[a-z]*' viewer/wasm/module.h \
	formats/wasm/system.h))

$(O)/layers/wasm/wasm:
	@mkdir -p $(@D) && ln -sfn $(CURDIR)/formats/wasm $@
# What runs once for a log, readers of foreign formats and findings, is compiled for size.
$(O)/obj/wasm/formats/%.o: formats/%.c $(O)/.flags | layers $(O)/layers/wasm/wasm
	@mkdir -p $(@D)
	$(WASM_CC) $(wasm_flags) $(if $(filter formats/foreign/% formats/analysis/findings/%,$<),-Os) \
		$(call see,$(see_foreign) wasm) -c -o $@ $<
$(O)/obj/wasm/viewer/%.o: viewer/%.c $(O)/.flags | $(headers) layers
	@mkdir -p $(@D)
	$(WASM_CC) $(wasm_flags) $(inc_viewer) -c -o $@ $<
# A stack that runs over ends in a trap (--stack-first). No symbol may be undefined, except for imports, which are
# declared as such.
$(wasm_module): $(call wasm_obj,$(wasm_src)) viewer/wasm/module.h formats/wasm/system.h
	@mkdir -p $(@D)
	$(WASM_CC) --target=wasm32-wasi -mexec-model=reactor -o $@ $(filter %.o,$^) -O2 -Wl,--gc-sections -Wl,-s \
		-Wl,-z,stack-size=1048576 -Wl,--stack-first $(addprefix -Wl$(comma)--export=,$(wasm_exports)) \
		-lc-printscan-long-double -lm -lwasi-emulated-getpid

# The core, for a worker of the page or for node.
wasm_core := $(O)/gen/page/core.js
$(wasm_core): viewer/wasm/core.js $(PAKO)
	@mkdir -p $(@D)
	@{ cat $(PAKO); echo; sed '/^ *\/\//d' viewer/wasm/core.js; } >$@

# The page: template, style, scripts without comments, and the module as base64 of gzip.
wasm_page := $(O)/share/pith/page/viewer.html
page_parts := $(addprefix viewer/wasm/,viewer.html.in viewer.css worker.js app.js picture.js tables.js input.js)
$(wasm_page): $(page_parts) $(wasm_core) $(wasm_module)
	@mkdir -p $(O)/gen/page
	@gzip -9nc $(wasm_module) | base64 >$(O)/gen/page/wasm
	@{ cat $(wasm_core); sed '/^ *\/\//d' viewer/wasm/worker.js; } >$(O)/gen/page/worker
	@sed '/^ *\/\//d' $(addprefix viewer/wasm/,app.js picture.js tables.js input.js) >$(O)/gen/page/script
	@cp viewer/wasm/viewer.css $(O)/gen/page/style
	@awk -v folder=$(O)/gen/page '{ while (match($$0, /@[a-z]+@/)) { name = substr($$0, RSTART + 1, RLENGTH - 2); \
		printf "%s", substr($$0, 1, RSTART - 1); $$0 = substr($$0, RSTART + RLENGTH); \
		while ((getline line <(folder "/" name)) > 0) print line } print }' viewer/wasm/viewer.html.in >$@

# Part of `make` where it can be made, but not in builds for sanitizers, which do not test it.
wasm_out := $(if $(SAN),,$(if $(HAVE_WASM),$(wasm_page)))
viewer: $(wasm_out)
.PHONY: wasm
wasm: $(if $(HAVE_WASM),$(wasm_page))
	@$(if $(HAVE_WASM),:,echo 'no clang for wasm32 found (clang, lld, wasi-libc, libclang-rt-dev-wasm32),' \
		'or no pako (node-pako)'; exit 1)
