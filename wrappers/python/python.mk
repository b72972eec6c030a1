# python.mk - the Python package pith: modules over libpithlog and libpith in the stable ABI, so that one build serves
# Python 3.11 and every later one. Needs the headers of Python (python3-dev).
PYTHON ?= $(or $(wildcard /usr/bin/python3),python3)
python_facts := $(shell $(PYTHON) -c 'import sys, sysconfig as s; print(s.get_path("include"), \
	"python%d.%d" % sys.version_info[:2], s.get_path("platlib").rsplit("/")[-1], \
	int(sys.version_info >= (3, 11)))' 2>/dev/null)
python_include := $(firstword $(python_facts))
HAVE_PYTHON := $(if $(filter 1,$(lastword $(python_facts))),$(if $(wildcard $(python_include)/Python.h),yes))
pythondir ?= $(prefix)/lib/$(word 2,$(python_facts))/$(word 3,$(python_facts))
python_src := $(wildcard wrappers/python/pith/*.py wrappers/python/pith/*.pyi wrappers/python/pith/py.typed)
python_so := $(addprefix $(O)/lib/pith/python/pith/,_read.abi3.so _record.abi3.so)
python_out := $(if $(HAVE_PYTHON),$(python_so) $(patsubst wrappers/python/%,$(O)/lib/pith/python/%,$(python_src)))

.PHONY: python
python: $(python_out)
$(O)/obj/wrappers/python/%.o: wrappers/python/%.c $(O)/.flags | $(headers)
	@mkdir -p $(@D)
	$(CC) $(BASE) -isystem $(python_include) -I$(O)/include $(SAN) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
# From here and from where they are installed, the libraries are three folders up.
python_obj = $(addprefix $(O)/obj/wrappers/python/pith/_,$(addsuffix .o,$(1)))
$(O)/lib/pith/python/pith/_read.abi3.so: $(call python_obj,read records analysis) $(log_so) $(lib_links)
$(O)/lib/pith/python/pith/_record.abi3.so: $(call python_obj,record) $(lib_so) $(lib_links)
$(python_so):
	@mkdir -p $(@D)
	$(LINK) -shared -o $@ $(filter %.o,$^) -L$(O)/lib $(if $(findstring _read,$@),-lpithlog,-lpith) \
		-Wl,-rpath,'$$ORIGIN/../../..' $(LIBS)
$(O)/lib/pith/python/%: wrappers/python/%
	@mkdir -p $(@D)
	cp $< $@

# A wheel that brings libpithlog and libpith, for pip without an installation of Pith: $(O)/wheel/*.whl. Its tag is the
# GNU C library that they need, by the versions of its functions.
.PHONY: wheel
wheel: lib
	@rm -rf '$(O)/wheel' && mkdir -p '$(O)/wheel/pith'
	@cp LICENSE wrappers/python/*.py wrappers/python/MANIFEST.in '$(O)/wheel/'
	@cp wrappers/python/pith/*.[ch] $(python_src) '$(O)/wheel/pith/'
	@for so in $(lib_so) $(log_so); do strip --strip-debug -o '$(O)/wheel/pith/'"$${so##*/}" $$so || exit 1; done
	@$(MAKE) --no-print-directory -s pc pc_o='$(O)/wheel/pc' prefix='$(abspath $(O))'
	@cd '$(O)/wheel' && \
		libc=$$(readelf -V pith/lib*.so.* | sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -n 1) && \
		PKG_CONFIG_PATH="$$PWD/pc" LDFLAGS='-Wl,-rpath,$$ORIGIN -Wl,--strip-debug' \
		SOURCE_DATE_EPOCH=$$(stat -c %Y '$(CURDIR)/NEWS.md') $(PYTHON) setup.py -q bdist_wheel -d . \
		--plat-name "$${libc:+many}linux$${libc:+_2_$$libc}_$$(uname -m)" >log 2>&1 || { cat log >&2; exit 1; }
	@echo "made $$(ls $(O)/wheel/*.whl)"
