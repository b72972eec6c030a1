# Pith. `make help` lists the targets. No configure: what is there is found, what is missing is said.
#
# Each folder gets only the -I it is allowed (CONTRIBUTING.md, "Rooms"), so that a forbidden include does not compile.
# The build tree mirrors an installation: O/bin, O/lib, O/libexec/pith, O/share; programs find each other from there.

# All cores, unless -j says otherwise. Several goals may need their order (make clean all).
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
  MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),1)
endif

# The version has one place, the header; the major number of the libraries is that of their symbols (PITH_0), too.
VERSION := $(shell awk '/define PITH_VERSION_/ { v = v s $$3; s = "." } END { print v }' liblog/pith.h)
SOVERSION := 0
O ?= build

PREFIX ?= /usr/local
prefix ?= $(PREFIX)
bindir ?= $(prefix)/bin
libdir ?= $(prefix)/lib
libexecdir ?= $(prefix)/libexec
includedir ?= $(prefix)/include
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
INSTALL ?= install

CC ?= cc
FC := $(if $(filter default,$(origin FC)),gfortran,$(FC))
PKG_CONFIG ?= pkg-config
TCLSH ?= tclsh
# -g1: functions and lines for stack traces. Variables, too, take a sixth of the time of the build (CFLAGS='-O2 -g').
CFLAGS ?= -O2 -g1
WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow
# Where long has 32 bits, so have offsets in files, unless they are asked to have 64: logs beyond 2 GiB need them.
large_files := $(if $(filter 4,$(shell echo __SIZEOF_LONG__ | $(CC) $(CPPFLAGS) $(CFLAGS) -E -P -x c - 2>/dev/null)), \
	-D_FILE_OFFSET_BITS=64)
BASE := -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden $(WARN) -MMD -MP $(large_files)

# ---- what is there ------------------------------------------------------------------------------------------------
# MPIs: the one MPICC names, else every one of mpicc.mpich, mpicc.openmpi, else mpicc. mpi_kind asks mpi.h which it is.
# `abi` is the standard ABI of MPI 5. Its wrappers are built from a header of our own (wrappers/abi), with no MPI.
mpi_kind = $(shell printf '\043%s\n' 'include <mpi.h>' 'ifdef OPEN_MPI' 'define KIND openmpi' \
	'elif !defined(MPI_H_ABI)' 'define KIND mpich' endif | sed '$$a kind=KIND' | \
	$(1) -E -P -x c - 2>/dev/null | sed -n 's/^kind=\([mo].*\)/\1/p')
ifneq ($(origin MPICC),undefined)
  MPIS := $(call mpi_kind,$(MPICC))
  MPICC_$(MPIS) := $(MPICC)
else
  MPIS := $(foreach m,mpich openmpi,$(if $(shell command -v mpicc.$(m)),$(m)))
  $(foreach m,$(MPIS),$(eval MPICC_$(m) := mpicc.$(m)))
  ifeq ($(MPIS),)
    ifneq ($(shell command -v mpicc),)
      MPIS := $(call mpi_kind,mpicc)
      MPICC_$(MPIS) := mpicc
    endif
  endif
endif
# The Fortran compiler beside each: mpif90.mpich, mpif90.openmpi, else that beside $(MPICC). Without it: no Fortran
# entries.
mpifc_of = $(filter-out $(MPICC_$(1)),$(patsubst %mpicc.$(1),%mpif90.$(1),$(patsubst %mpicc,%mpif90,$(MPICC_$(1)))))
$(foreach m,$(MPIS),$(eval MPIFC_$(m) := $(if $(shell command -v $(call mpifc_of,$(m))),$(call mpifc_of,$(m)))))
# The C++ compiler beside each: mpicxx.mpich ..., for the C++ bindings of wrappers/cxx.
mpicxx_of = $(filter-out $(MPICC_$(1)),$(patsubst %mpicc.$(1),%mpicxx.$(1),$(patsubst %mpicc,%mpicxx,$(MPICC_$(1)))))
mpicxx_works = $(shell echo | $(1) -std=c++11 -x c++ -fsyntax-only - 2>/dev/null && echo $(1))
$(foreach m,$(MPIS),$(eval MPICXX_$(m) := \
	$(if $(shell command -v $(call mpicxx_of,$(m))),$(call mpicxx_works,$(call mpicxx_of,$(m))))))
MPICC_abi = $(CC) -I$(O)/gen/abi/include
abi_header := $(O)/gen/abi/include/mpi.h
# Tcl/Tk from 8.6 on; where both are there, `make TCL=tcl9.0` builds for the other one.
TCL ?= $(shell $(PKG_CONFIG) --exists tcl 2>/dev/null && echo tcl || echo tcl9.0)
TK := $(subst tcl,tk,$(TCL))
HAVE_TK := $(shell $(PKG_CONFIG) --exists '$(TCL) >= 8.6' '$(TK) >= 8.6' x11 2>/dev/null && echo yes)
# MPE's graphics need the headers of libX11 here; libX11 is loaded when a window is first opened
# (wrappers/mpe/graphics.c).
HAVE_X11 := $(shell $(PKG_CONFIG) --exists x11 2>/dev/null && echo yes)
HAVE_CAIRO := $(shell $(PKG_CONFIG) --exists cairo 2>/dev/null && echo yes)
# The server of `pith serve`.
HAVE_MHD := $(shell $(PKG_CONFIG) --exists libmicrohttpd 2>/dev/null && echo yes)
HAVE_PANGO := $(if $(HAVE_CAIRO),$(shell $(PKG_CONFIG) --exists 'pangocairo >= 1.44' 2>/dev/null && echo yes))
cairo_libs := $(if $(HAVE_CAIRO),cairo $(if $(HAVE_PANGO),pangocairo))
# libotf2 3.0 or later is loaded when it is first needed (formats/foreign/otf2/otf2_library.c). Needed here: its
# headers, and the name to load it by.
HAVE_OTF2 := $(shell printf '\043include <otf2/otf2.h>\n' | $(CC) $(CPPFLAGS) -E -x c - 2>/dev/null | \
	grep -q OTF2_GlobalDefWriter_WriteInterComm && echo yes)
otf2_soname := $(if $(HAVE_OTF2),$(shell readelf -d "`$(CC) -print-file-name=libotf2.so`" 2>/dev/null | \
	sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p'))
OTF2_SONAME := $(or $(otf2_soname),libotf2.so.10)

# ---- sources ------------------------------------------------------------------------------------------------------
layers := base native spill reader symbols analysis foreign tools
otf2_src := $(addprefix formats/foreign/otf2/otf2_,probe.c requests.c none.c)
otf2_left_out := $(if $(HAVE_OTF2),formats/foreign/otf2/otf2_none.c,\
	$(filter-out $(otf2_src),$(wildcard formats/foreign/otf2/*.c)))
layer_src = $(filter-out $(otf2_left_out),$(foreach l,$(1),$(wildcard formats/$(l)/*.c formats/$(l)/*/*.c)))
formats_src := $(call layer_src,$(filter-out symbols tools,$(layers)))
# libpith is loaded into the user's program: liblog, and what it needs of these layers. libpithlog is all but
# the symbols, which need libdw, and the tools.
record_src := $(call layer_src,base native spill)
HAVE_LIBDW := $(shell $(PKG_CONFIG) --exists libdw 2>/dev/null && echo yes)
symbols_src := $(filter-out formats/symbols/code_file$(if $(HAVE_LIBDW),_none).c,$(wildcard formats/symbols/*.c))
tools_src := $(wildcard formats/tools/*.c)
libdw_libs := $(if $(HAVE_LIBDW),$(shell $(PKG_CONFIG) --libs libdw))
liblog_src := $(filter-out liblog/null.c,$(wildcard liblog/*.c))
HAVE_PCRE2 := $(shell $(PKG_CONFIG) --exists libpcre2-8 2>/dev/null && echo yes)
wrappergen_src := $(filter-out wrappers/wrappergen/regex$(if $(HAVE_PCRE2),_none).c,$(wildcard wrappers/wrappergen/*.c))
wrappergen_libs := $(if $(HAVE_PCRE2),$(shell $(PKG_CONFIG) --libs libpcre2-8))
run_src := $(wildcard wrappers/run/*.c)
note_src := $(wildcard wrappers/run/preload/*.c)
# What `pith run --also NAME` preloads, lib/pith/libpith-NAME.so: wrappers/also and its folder NAME.
also_libs := $(filter-out $(if $(HAVE_LIBDW),,functions),$(notdir $(patsubst %/,%,$(wildcard wrappers/also/*/))))
also_src = $(filter-out $(if $(OMP_TOOLS),,wrappers/also/openmp/ompt.c), \
	$(wildcard wrappers/also/*.c wrappers/also/$(1)/*.c))
# The folder of omp-tools.h, the interface of LLVM's OpenMP for tools. Clang has it.
OMP_TOOLS ?= $(lastword $(sort $(patsubst %/omp-tools.h,%,$(wildcard $(addsuffix /omp-tools.h,\
	/usr/include /usr/local/include /usr/lib/llvm-*/lib/clang/*/include /usr/lib*/clang/*/include)))))
# A program of its own finds the names of functions, as `pith stat --by function` does it.
names_src := $(wildcard wrappers/also/functions/names/*.c)
names_out := $(if $(HAVE_LIBDW),$(O)/libexec/pith/pith-functions)
also_needs_functions = $(names_out)
link_also_memory = -Wl,--version-script=wrappers/also/memory/memory.map
mpi_src := $(wildcard wrappers/mpi/*.c)
core_src := $(wildcard viewer/core/*/*.c)
draw_src := $(filter-out $(if $(HAVE_CAIRO),viewer/draw/picture_none.c,\
	$(addprefix viewer/draw/,picture.c cairo_painter.c svg_painter.c)),$(wildcard viewer/draw/*.c))
HAVE_SHM := $(shell $(PKG_CONFIG) --exists xext 2>/dev/null && echo yes)
HAVE_XI := $(shell $(PKG_CONFIG) --exists 'xi >= 1.8' 2>/dev/null && echo yes)
tk_src := $(filter-out viewer/tk/shared_pixels$(if $(HAVE_SHM),_none).c viewer/tk/pinch$(if $(HAVE_XI),_none).c, \
	$(wildcard viewer/tk/*.c))
tcl_src := $(wildcard viewer/tcl/*.tcl)
unit_src := $(wildcard test/unit/test_*.c)
bench_src := $(wildcard test/bench/bench_*.c)
man_src := $(wildcard man/*.[1357])

obj = $(patsubst %.c,$(O)/obj/%.o,$(1))

comma := ,
SAN :=
LINK = $(CC) $(SAN) $(CFLAGS) $(LDFLAGS)

lib_a := $(O)/lib/libpith.a
lib_so := $(O)/lib/libpith.so.$(SOVERSION)
log_a := $(O)/lib/libpithlog.a
log_so := $(O)/lib/libpithlog.so.$(SOVERSION)
null_a := $(O)/lib/libpith-null.a
null_so := $(O)/lib/libpith-null.so.$(SOVERSION)
record_a := $(O)/obj/librecord.a
core_a := $(O)/obj/libcore.a
# The ready profiling libraries: mpi (the log library), anim (the same wrappers), and every wrappers/NAME with a NAME.w.
# Of each: its templates, what it takes of the runtime in wrappers/mpi, and how it is linked (see "wrappers" below).
mpi_libs := mpi anim $(foreach d,$(wildcard wrappers/*),$(if $(wildcard $(d)/$(notdir $(d)).w),$(notdir $(d))))
templates_handles := wrappers/handles/requests.w wrappers/handles/handle.w
templates_log := wrappers/mpi/log.w wrappers/mpi/messages.w
templates_static := wrappers/mpi/compare_clocks.w $(templates_log) $(templates_handles)
templates_inner := wrappers/compensate/piggyback.w $(templates_handles)
templates_mpi := wrappers/mpi/compare_clocks.w wrappers/compensate/after_call.w $(templates_log) $(templates_inner)
compensate_src := $(wildcard wrappers/compensate/*.c)
handles_src := $(wildcard wrappers/handles/*.c)
runtime_mpi := $(mpi_src) $(handles_src) $(compensate_src)
link_mpi = -L$(O)/lib -lpith
runtime_anim = $(runtime_mpi)
link_anim = $(link_mpi)
templates_trace := wrappers/trace/trace.w
runtime_trace := $(addprefix wrappers/mpi/,real.c opened.c other_mpi.c nested.c group.c)
# Of libpith these take the pattern match of PITH_ONLY and PITH_SKIP, and one the comparing of clocks, and keep them to
# themselves.
link_trace := -Wl,--exclude-libs,ALL $(lib_a)
templates_time := wrappers/mpi/compare_clocks.w wrappers/compensate/after_call.w wrappers/time/time.w $(templates_inner)
runtime_time := $(runtime_trace) $(handles_src) $(compensate_src) \
	$(addprefix wrappers/mpi/,eager_limit.c host_comm.c members.c transport.c)
link_time := $(link_trace)
templates_check := wrappers/check/check.w wrappers/handles/handle.w
runtime_check := $(addprefix wrappers/mpi/,real.c opened.c other_mpi.c nested.c host_comm.c members.c) \
	$(addprefix wrappers/handles/,ranks.c handle.c request.c)
link_check := -lrt
mpi_so := $(foreach m,$(MPIS) abi,$(foreach l,$(mpi_libs),$(O)/lib/pith/$(m)/libpith-$(l).so))
graphics_src := $(addprefix wrappers/mpe/,graphics.c graphics_draw.c graphics_mouse.c)
mpe_src := $(filter-out $(if $(HAVE_X11),wrappers/mpe/graphics_none.c,$(graphics_src)),$(wildcard wrappers/mpe/*.c))
# libmpe under a name of our own, without MPI, and doing nothing; and MPE's names for them (wrappers/mpe_names).
mpe_serial_src := $(wildcard wrappers/mpe_serial/*.c)
mpe_serial_libs := $(addprefix $(O)/lib/pith/serial/,libpith-mpe.a libpith-mpe-null.a)
mpe_libs := $(mpe_serial_libs) \
	$(foreach m,$(MPIS),$(addprefix $(O)/lib/pith/$(m)/,libpith-mpe.so libpith-mpe.a libpith-names.a))
mpe_names := libmpe.a libmpe_null.a libmpe_nompi.a libmpe_nompi_null.a libmpe_f2cmpi.a
mpe_names_mpi := $(mpe_names) liblmpe.a libtmpe.a libampe.a libmpe_collchk.a
mpe_links := $(addprefix $(O)/lib/pith/serial/,$(mpe_names)) \
	$(foreach m,$(MPIS),$(addprefix $(O)/lib/pith/$(m)/,$(mpe_names_mpi)))
mpe_compilers := $(O)/bin/mpecc $(O)/bin/mpefc
mpe_mpi_src := $(addprefix wrappers/mpe/,mpe_comm.c misc_collective.c) # replaced by one_process.c without MPI
mpe_headers := $(patsubst wrappers/mpe/%,$(O)/include/%,$(wildcard $(addprefix wrappers/mpe/mpe,.h \
	_nompi.h _log.h _logf.h _misc.h _callstack.h _graphics.h _graphicsf.h)))
mpi_a := $(foreach m,$(MPIS),$(O)/lib/pith/$(m)/libpith-mpi.a)
run_so := $(O)/lib/pith/libpith-run.so
also_so := $(also_libs:%=$(O)/lib/pith/libpith-%.so)
lib_links := $(addprefix $(O)/lib/,libpith.so libpithlog.so libpith-null.so)
headers := $(O)/include/pith.h $(O)/include/pith_tool.h $(addprefix $(O)/include/,pithlog.h pithlog_findings.h)
# What a profiling library of one's own needs besides wrappergen (samples/own-library).
gen_share := $(addprefix $(O)/share/pith/wrappergen/,roles.table bindings.table real.c)
gen_header := $(O)/include/pith/real.h
# The samples that are installed for users to copy.
samples_share := $(filter-out %.mk,$(wildcard samples/*.*))
# The JSON Schema of each JSON that Pith prints.
schemas_share := $(wildcard formats/schemas/*.schema.json)
serve_src := $(wildcard viewer/serve/*.c)
viewer_out := $(O)/libexec/pith/pith-draw $(if $(HAVE_MHD),$(O)/libexec/pith/pith-serve) \
	$(if $(HAVE_TK),$(O)/lib/pith/libpithtk.so $(O)/libexec/pith/pith-view $(O)/share/pith/viewer/.stamp)

# libpith-cxx, the C++ bindings (wrappers/cxx): for the MPIs whose C++ compiler works.
cxx_mpis := $(foreach m,$(MPIS),$(if $(MPICXX_$(m)),$(m)))
cxx_src := $(wildcard wrappers/cxx/*.cc)
cxx_gen := $(addprefix $(O)/gen/cxx/,pmpi.cc mpi.cc constants.cc)
cxx_libs := $(foreach m,$(cxx_mpis),\
	$(addprefix $(O)/lib/pith/$(m)/,libpith-cxx.so libpith-cxx.a libpith-pcxx.so libpith-pcxx.a))
cxx_headers := $(addprefix $(O)/include/pith-cxx/,mpicxx.h mpi.h)
CXXFLAGS ?= $(CFLAGS)
CXXBASE := -std=c++11 -D_GNU_SOURCE -fPIC -Wall -Wextra -Wshadow -MMD -MP

.DELETE_ON_ERROR:
.PRECIOUS: $(O)/obj/test/%.o
.SECONDARY: $(cxx_gen) $(O)/gen/cxx/forward.h
.SUFFIXES:
.PHONY: all first lib wrappers tools viewer samples man help clean missing

all: first lib tools wrappers viewer python samples missing

# What `make demo` needs: the library of one MPI, the commands, two samples, the pictures that can be shown here.
first_mpi := $(firstword $(MPIS))
first: $(if $(first_mpi),$(O)/lib/pith/$(first_mpi)/libpith-mpi.so $(run_so)) $(O)/libexec/pith/pith-run $(O)/bin/pith \
	$(filter %/pith-draw $(if $(DISPLAY),%),$(viewer_out)) \
	$(if $(first_mpi),$(addprefix $(O)/samples/$(first_mpi)/,heat2d slow/late_sender))
lib: $(lib_a) $(lib_so) $(log_a) $(log_so) $(null_a) $(null_so) $(lib_links) $(headers)
tools: $(O)/bin/pith $(O)/bin/wrappergen $(gen_share) $(gen_header) $(O)/bin/upshot $(O)/libexec/pith/pith-run
wrappers: $(mpi_so) $(mpi_a) $(run_so) $(also_so) $(mpe_libs) $(cxx_libs) $(mpe_links) $(mpe_compilers)
viewer: $(viewer_out)
missing:
	@$(if $(MPIS),:,echo 'no MPICH and no Open MPI found (mpicc.mpich, mpicc.openmpi, mpicc):' \
		'MPI wrappers left out, but for those of the standard ABI of MPI 5')
	@$(if $(OMP_TOOLS),:,echo 'no omp-tools.h found (libomp-dev): pith run --also openmp records programs of gcc only')
	@$(if $(filter-out $(cxx_mpis),$(MPIS)),echo \
		'no C++ compiler found for $(filter-out $(cxx_mpis),$(MPIS)) (mpicxx, g++): C++ bindings left out',:)
	@$(if $(HAVE_TK),:,echo 'no development files of Tcl/Tk 8.6 or later found: window left out')
	@$(if $(HAVE_TK),:,$(PKG_CONFIG) --print-errors --exists $(TCL) $(TK) x11 2>&1 | sed -n '/, required by /s/^/  /p')
	@$(if $(HAVE_TK),$(if $(HAVE_XI),:,echo 'no libXi 1.8 (libxi-dev): the window does without pinches of a touchpad'),:)
	@$(if $(HAVE_X11),:,echo "no X11 development files found: MPE's graphics open no windows")
	@$(if $(HAVE_CAIRO),:,echo 'no cairo development files found: pith draw makes text and pages only')
	@$(if $(HAVE_CAIRO),$(if $(HAVE_PANGO),:,echo 'no Pango 1.44 (libpango1.0-dev): pictures have no' \
		'Chinese, Arabic ... names'),:)
	@$(if $(HAVE_WASM),:,echo 'no clang for wasm32 found (clang, lld, wasi-libc, libclang-rt-dev-wasm32),' \
		'or no pako (node-pako):' \
		'pages of pith draw left out')
	@$(if $(HAVE_MHD),:,echo 'no libmicrohttpd (libmicrohttpd-dev): pith serve left out')
	@$(if $(HAVE_PCRE2),:,echo 'no PCRE2 development files found: {{sub}} and {{filter}} of wrappergen left out')
	@$(if $(HAVE_LIBDW),:,echo 'no libdw development files found:' \
		'pith stat --by function names no functions, pith run --also functions left out')
	@$(if $(HAVE_PYTHON),:,echo 'no headers of Python 3.11 or later found (python3-dev): Python package left out')
	@$(if $(HAVE_OTF2),:,echo 'no OTF2 development files found (3.0 or later): OTF2 left out')

# ---- flags: objects are made again when they change ------------------------------------------------------------------
flags_text := $(CC) $(BASE) $(SAN) $(CPPFLAGS) $(CFLAGS) $(CXXFLAGS) $(LDFLAGS) \
	$(MPIS) $(HAVE_OTF2) $(HAVE_X11) $(HAVE_PCRE2) $(HAVE_LIBDW) $(HAVE_PANGO) $(HAVE_MHD) $(TCL)
ifneq ($(strip $(file <$(O)/.flags)),$(strip $(flags_text)))
  $(shell mkdir -p $(O))
  $(file >$(O)/.flags,$(flags_text))
endif

# ---- objects: one rule, each room with its own includes --------------------------------------------------------------
# A layer of formats/ sees itself and those before it: $(O)/layers/NAME/NAME is a link to formats/NAME.
see = $(foreach l,public $(1),-I$(O)/layers/$(l))
see_base := base
see_native := $(see_base) native
see_spill := $(see_native) spill
see_reader := $(see_spill) reader
see_symbols := $(see_reader) symbols
see_analysis := $(see_reader) analysis
see_foreign := $(see_analysis) foreign
see_tools := $(see_foreign) symbols tools
inc_liblog := -Iliblog $(call see,$(see_spill))
# Of formats/, wrappers see the headers that test/lint/test_rooms.sh names, the viewer those of base.
inc_wrappers := -I$(O)/include $(foreach l,base analysis symbols,-I$(O)/layers/$(l))
inc_viewer := -I$(O)/include -I$(O)/layers/base -Iviewer
# (Debian's flags make this warning an error, in `make deb`.)
inc_test := -Wformat-security -Itest -Iliblog -Iformats/reader -Iformats -Iviewer -Iwrappers
pkg_tk := $(if $(HAVE_TK),$(shell $(PKG_CONFIG) --cflags $(TCL) $(TK) x11))
pkg_x11 := $(if $(HAVE_X11),$(shell $(PKG_CONFIG) --cflags x11))
pkg_cairo := $(if $(HAVE_CAIRO),$(shell $(PKG_CONFIG) --cflags $(cairo_libs))) $(if $(HAVE_PANGO),-DPITHI_PANGO)
pkg_mhd := $(if $(HAVE_MHD),$(shell $(PKG_CONFIG) --cflags libmicrohttpd))
pkg_pcre2 := $(if $(HAVE_PCRE2),$(shell $(PKG_CONFIG) --cflags libpcre2-8))

define compile
@mkdir -p $(@D)
$(CC) $(BASE) $(SAN) $(1) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
endef
# libpith takes single functions from these layers, whatever else is in their files.
sections := -ffunction-sections -fdata-sections
define layer_rules
$(O)/layers/$(1)/$(1):
	@mkdir -p $$(@D) && ln -sfn $(CURDIR)/formats/$(1) $$@
$(O)/obj/formats/$(1)/%.o: formats/$(1)/%.c $(O)/.flags | layers
	$$(call compile,$(call see,$(see_$(1))) -DPITH_VERSION='"$(VERSION)"' \
		$(if $(filter base native spill,$(1)),$(sections)))
endef
$(foreach l,$(layers),$(eval $(call layer_rules,$(l))))
.PHONY: layers
layers: $(foreach l,$(layers),$(O)/layers/$(l)/$(l)) $(addprefix $(O)/layers/public/,pithlog.h pithlog_findings.h)
$(O)/layers/public/%.h: formats/reader/%.h
	@mkdir -p $(@D) && ln -sfn $(CURDIR)/formats/reader/$*.h $@
$(O)/obj/formats/foreign/otf2/otf2_library.o: private CPPFLAGS += -DPITHI_OTF2_SONAME='"$(OTF2_SONAME)"'
$(O)/obj/liblog/%.o: liblog/%.c $(O)/.flags | layers
	$(call compile,$(inc_liblog))
$(O)/obj/wrappers/wrappergen/%.o: wrappers/wrappergen/%.c $(O)/.flags | layers
	$(call compile,$(inc_wrappers) $(pkg_pcre2))
$(O)/obj/wrappers/%.o: wrappers/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_wrappers) -Iwrappers -DPITH_SOVERSION='"$(SOVERSION)"')
$(O)/obj/viewer/tk/%.o: viewer/tk/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_viewer) $(pkg_tk) -DUSE_TCL_STUBS -DUSE_TK_STUBS)
$(O)/obj/viewer/draw/%.o: viewer/draw/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_viewer) $(pkg_cairo))
$(O)/obj/viewer/serve/%.o: viewer/serve/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_viewer) $(pkg_mhd))
$(O)/obj/viewer/%.o: viewer/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_viewer))
$(O)/obj/test/%.o: test/%.c $(O)/.flags | $(headers) layers
	$(call compile,$(inc_test))

$(O)/include/%.h: liblog/%.h
	@mkdir -p $(@D)
	cp $< $@
$(O)/include/%.h: formats/reader/%.h
	@mkdir -p $(@D)
	cp $< $@

$(O)/include/%.h: wrappers/mpe/%.h
	@mkdir -p $(@D)
	cp $< $@

# ---- libraries -------------------------------------------------------------------------------------------------------
archive = @mkdir -p $(@D); rm -f $@; $(AR) rcsD $@ $^
$(record_a): $(call obj,$(record_src))
	$(archive)
$(log_a): $(call obj,$(formats_src))
	$(archive)
$(lib_a): $(call obj,$(liblog_src) $(record_src))
	$(archive)
$(core_a): $(call obj,$(core_src))
	$(archive)
$(null_a): $(call obj,liblog/null.c)
	$(archive)
# Stays in a process that has used it: threads' ends, forks and the process's end call into it.
$(lib_so): $(call obj,$(liblog_src)) $(record_a) liblog/libpith.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-z,nodelete -Wl,-soname,$(@F) -Wl,--version-script=liblog/libpith.map -Wl,--gc-sections \
		-o $@ $(filter %.o %.a,$^) -lz -lpthread -ldl $(LIBS)
$(log_so): $(call obj,$(formats_src)) formats/reader/libpithlog.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) -Wl,--version-script=formats/reader/libpithlog.map -o $@ $(filter %.o,$^) \
		-lz -lm -ldl $(LIBS)
$(null_so): $(call obj,liblog/null.c) liblog/libpith.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) -Wl,--version-script=liblog/libpith.map -o $@ $(filter %.o,$^)
$(O)/lib/%.so: $(O)/lib/%.so.$(SOVERSION)
	ln -sf $(<F) $@

# ---- tools -----------------------------------------------------------------------------------------------------------
$(O)/bin/pith: $(call obj,$(tools_src) $(symbols_src)) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(libdw_libs) -lz -lm $(LIBS)
$(O)/bin/upshot: $(O)/bin/pith
	ln -sf pith $@
$(O)/bin/wrappergen: $(call obj,$(wrappergen_src))
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(wrappergen_libs) $(LIBS)
$(O)/share/pith/wrappergen/%: wrappers/mpi/%
	@mkdir -p $(@D)
	cp $< $@
$(gen_header): wrappers/mpi/real.h
	@mkdir -p $(@D)
	cp $< $@
$(O)/share/pith/wrappergen/%: wrappers/cxx/%
	@mkdir -p $(@D)
	cp $< $@
$(O)/libexec/pith/pith-run: $(call obj,$(run_src))
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(LIBS)

$(O)/libexec/pith/pith-functions: $(call obj,$(names_src) formats/symbols/code_file.c) $(record_a)
	@mkdir -p $(@D)
	$(LINK) -Wl,--gc-sections -o $@ $^ $(libdw_libs) $(LIBS)

$(run_so): $(call obj,$(note_src)) $(lib_so) $(O)/lib/libpith.so
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(@F) -Wl,--no-undefined -o $@ $(filter %.o,$^) -L$(O)/lib -lpith $(LIBS)

# A thread that is cancelled inside a wrapped call ends the call's state (-fexceptions).
$(call obj,$(call also_src,*)): private CPPFLAGS += -fexceptions
# After the compiler's own folders, as this one has another compiler's headers, too.
$(call obj,wrappers/also/openmp/ompt.c): private CPPFLAGS += -idirafter $(OMP_TOOLS)
define also_rule
$(O)/lib/pith/libpith-$(1).so: $(call obj,$(call also_src,$(1))) $(also_needs_$(1)) $(lib_so) $(O)/lib/libpith.so
	@mkdir -p $$(@D)
	$(LINK) -shared -Wl,-z,nodelete -Wl,-soname,$$(@F) -Wl,--no-undefined -Wl,-rpath,'$$$$ORIGIN/..:$$$$ORIGIN/../..' \
		-o $$@ $(call obj,$(call also_src,$(1))) $(link_also_$(1)) -L$(O)/lib -lpith -ldl -lpthread $(LIBS)
endef
$(foreach l,$(also_libs),$(eval $(call also_rule,$(l))))

# ---- wrappers: once for each MPI, see there --------------------------------------------------------------------------
include wrappers/wrappers.mk

# ---- viewer ----------------------------------------------------------------------------------------------------------
$(O)/libexec/pith/pith-draw: $(call obj,$(draw_src)) $(core_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(if $(HAVE_CAIRO),$(shell $(PKG_CONFIG) --libs $(cairo_libs))) -lz -lm $(LIBS)
$(O)/lib/pith/libpithtk.so: $(call obj,$(tk_src)) $(core_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,--exclude-libs,ALL -o $@ $^ \
		$(filter -ltclstub% -ltkstub%,$(shell $(PKG_CONFIG) --libs $(TCL) $(TK))) -lX11 $(if $(HAVE_SHM),-lXext) \
		$(if $(HAVE_XI),-lXi) -lz -lm $(LIBS)
# (An extension can be loaded by the Tcl that it was built for.)
$(O)/libexec/pith/pith-view: viewer/pith-view
	@mkdir -p $(@D)
	sed 's/@TCLSH@/tclsh$(basename $(shell $(PKG_CONFIG) --modversion $(TCL)))/' $< >$@
	chmod 755 $@
$(O)/share/pith/viewer/.stamp: $(tcl_src)
	@mkdir -p $(@D) && rm -f $(@D)/*.tcl
	cp $(tcl_src) $(@D)/
	@touch $@

include viewer/wasm/wasm.mk
# pith serve: the scripts that it adds to the page as strings, without comments.
$(O)/gen/serve_data.c: viewer/serve/far_early.js viewer/serve/far_worker.js viewer/serve/far_page.js
	@mkdir -p $(@D)
	@string() { echo "const char $$1[] = {"; shift; \
		sed '/^ *\/\//d' "$$@" | od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'; echo '0};'; }; \
		{ echo '#include "serve/serve.h"'; string pithi_serve_early viewer/serve/far_early.js; \
		string pithi_serve_worker viewer/serve/far_worker.js; \
		string pithi_serve_script viewer/serve/far_page.js; } >$@.part && mv $@.part $@
$(O)/obj/viewer/serve/serve_data.o: $(O)/gen/serve_data.c $(O)/.flags
	$(call compile,$(inc_viewer))
$(O)/libexec/pith/pith-serve: $(call obj,$(serve_src) viewer/draw/text_buffer.c viewer/wasm/module.c \
		$(module_draw_src)) $(O)/obj/viewer/serve/serve_data.o $(core_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(if $(HAVE_MHD),$(shell $(PKG_CONFIG) --libs libmicrohttpd)) -lz -lm $(LIBS)

include wrappers/python/python.mk

# ---- samples ---------------------------------------------------------------------------------------------------------
# MPI samples are built once for each MPI: O/samples/MPI/NAME. Plain ones link libpith.
include samples/samples.mk
samples: lib $(samples_out)

# ---- checks: see there -----------------------------------------------------------------------------------------------
include test/check.mk

# ---- demo ------------------------------------------------------------------------------------------------------------
demo:
	@echo 'make demo: packages that are missing, a build of about a minute on two cores, then two runs and their pictures'
	$(call deps,demo)
	@O='$(O)' samples/demo $(MAKE) --no-print-directory first
# The pictures of the guided tour and of the README, made anew.
tour: lib tools viewer
	@O='$(O)' viewer/tour/shoot

# ---- install ---------------------------------------------------------------------------------------------------------
# The programs find each other by where they stand: bin/, libexec/pith/, lib/pith/ and share/pith/ below one prefix.
# What a compiler or another package looks for (libraries, headers, pkg-config files, man pages) may go elsewhere.
pkglibexecdir := libexec/pith
pkglibdir := lib/pith
pkgdatadir := share/pith
pkgconfigdir ?= $(libdir)/pkgconfig
# (`make wheel` has a folder of its own.)
pc_o ?= $(O)/pc
pc_files := $(addprefix $(pc_o)/,pith.pc pithlog.pc pith-null.pc \
	$(foreach m,$(MPIS),pith-mpi-$(m).pc pith-mpi-$(m)-static.pc mpe-$(m).pc) \
	$(foreach m,$(cxx_mpis),pith-cxx-$(m).pc pith-pcxx-$(m).pc))
completion := formats/tools/completion
# What makes the window known to a desktop, and where it looks for it.
desktop_files := $(if $(HAVE_TK),applications/pith.desktop icons/hicolor/scalable/apps/pith.svg mime/packages/pith.xml \
	thumbnailers/pith.thumbnailer metainfo/pith.metainfo.xml)
desktop_out := $(wildcard viewer/desktop/pith.*[a-z]) $(pc_o)/pith.metainfo.xml
# find_package(Pith) of CMake.
cmake_files := $(addprefix $(pc_o)/,PithConfig.cmake PithConfigVersion.cmake)
man_sections := $(sort $(patsubst .%,%,$(suffix $(man_src))))

# What an installation holds: $(call $(1),MODE,FOLDER,FILES) a line; `put` installs the files, `drop` removes them.
define installed
$(call $(1),755,$(bindir),$(O)/bin/pith $(O)/bin/wrappergen)
$(call $(1),755,$(prefix)/$(pkglibexecdir),\
	$(O)/libexec/pith/pith-run $(names_out) $(filter $(O)/libexec/%,$(viewer_out)))
$(call $(1),644,$(libdir),$(lib_so) $(log_so) $(null_so) $(lib_a) $(log_a) $(null_a))
$(call $(1),644,$(prefix)/$(pkglibdir),$(run_so) $(also_so) $(filter $(O)/lib/pith/%,$(viewer_out)))
$(call $(1),644,$(prefix)/$(pkglibdir)/serial,$(mpe_serial_libs))
$(foreach m,$(MPIS) abi,$(call $(1),644,$(prefix)/$(pkglibdir)/$(m),\
	$(filter $(O)/lib/pith/$(m)/%,$(mpi_so) $(mpi_a) $(mpe_libs) $(cxx_libs)))
)
$(call $(1),644,$(prefix)/$(pkgdatadir)/viewer,\
	$(if $(HAVE_TK),$(addprefix $(O)/share/pith/viewer/,$(notdir $(tcl_src)))))
$(call $(1),644,$(prefix)/$(pkgdatadir)/page,$(wasm_out))
$(call $(1),644,$(prefix)/$(pkgdatadir)/wrappergen,$(gen_share))
$(call $(1),644,$(prefix)/$(pkgdatadir)/schemas,$(schemas_share))
$(call $(1),644,$(prefix)/$(pkgdatadir)/samples,$(samples_share))
$(call $(1),644,$(prefix)/$(pkgdatadir)/samples/own-library,$(wildcard samples/own-library/*))
$(call $(1),644,$(prefix)/$(pkgdatadir)/samples/cxx,$(wildcard samples/cxx/*))
$(call $(1),644,$(prefix)/$(pkgdatadir)/samples/slow,$(wildcard samples/slow/*))
$(call $(1),644,$(pythondir)/pith,$(python_out))
$(call $(1),644,$(includedir)/pith,$(gen_header))
$(call $(1),644,$(includedir),$(headers) $(mpe_headers))
$(call $(1),644,$(includedir)/pith-cxx,$(if $(cxx_mpis),$(cxx_headers)))
$(call $(1),644,$(pkgconfigdir),$(pc_files))
$(call $(1),644,$(libdir)/cmake/Pith,$(cmake_files))
$(foreach f,$(desktop_files),$(call $(1),644,$(datadir)/$(dir $(f)),$(filter %/$(notdir $(f)),$(desktop_out)))
)
$(call $(1),644,$(datadir)/bash-completion/completions,$(completion)/pith $(completion)/upshot)
$(call $(1),644,$(datadir)/zsh/site-functions,$(completion)/_pith)
$(call $(1),644,$(datadir)/fish/vendor_completions.d,$(completion)/pith.fish $(completion)/upshot.fish)
$(foreach s,$(man_sections),$(call $(1),644,$(mandir)/man$(s),$(filter %.$(s),$(man_src)))
)
endef
put = $(if $(strip $(3)),@$(INSTALL) -d '$(DESTDIR)$(2)' && $(INSTALL) -m $(1) $(3) '$(DESTDIR)$(2)')
drop = $(if $(strip $(3)),@cd '$(DESTDIR)$(2)' 2>/dev/null && rm -f $(notdir $(3)) || :)

.PHONY: demo tour install uninstall installcheck pc format format-check
# Made anew each time: they carry the folders of this installation.
pc:
	@mkdir -p $(pc_o)
	@for pc in $(notdir $(pc_files) $(cmake_files)) pith.metainfo.xml; do \
		case $$pc in pith-mpi-*-static.pc) \
			in=wrappers/mpi/pith-mpi-static.pc.in mpi=$${pc#pith-mpi-} mpi=$${mpi%-static.pc} ;; \
		mpe-*) in=wrappers/mpe_names/mpe.pc.in mpi=$${pc#mpe-} ;; \
		pith-cxx-*|pith-pcxx-*) in=wrappers/cxx/$${pc%%-$${pc##*-}}.pc.in mpi=$${pc##*-} ;; \
		pith-mpi-*) in=wrappers/mpi/pith-mpi.pc.in mpi=$${pc#pith-mpi-} ;; \
		pithlog.pc) in=formats/reader/$$pc.in mpi= ;; \
		pith.metainfo.xml) in=viewer/desktop/$$pc.in mpi= ;; *) in=liblog/$$pc.in mpi= ;; esac; \
		sed -e 's|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|; s|@version@|$(VERSION)|' \
			-e "s|@mpi@|$${mpi%.pc}|g; s|@mpilib@|$$(case $$mpi in mpich*) echo mpich ;; *) echo mpi ;; esac)|" \
			-e "s|@date@|$$(date -u -r NEWS.md +%F)|" \
			-e 's|@bindir@|$(bindir)|; s|@soversion@|$(SOVERSION)|' \
			-e 's|@pkglibdir@|$(prefix)/$(pkglibdir)|' $$in >$(pc_o)/$$pc || exit 1; done
install: all pc
	$(call installed,put)
	@ln -sf pith '$(DESTDIR)$(bindir)/upshot'
	@cd '$(DESTDIR)$(libdir)' && for lib in $(notdir $(lib_so) $(log_so) $(null_so)); do \
		ln -sf $$lib $${lib%.$(SOVERSION)}; done
	@for m in serial $(MPIS); do sh $(link_names) '$(DESTDIR)$(prefix)/$(pkglibdir)'/$$m '$(prefix)/$(pkglibdir)' $$m \
		'$(patsubst $(prefix)/%,../../../%,$(libdir))/libpith.a' || exit 1; done
	@for c in mpecc mpefc; do sed -e 's|^libdir=.*|libdir=$(patsubst $(prefix)/%,$$prefix/%,$(libdir))|' \
		-e 's|^includedir=.*|includedir=$(patsubst $(prefix)/%,$$prefix/%,$(includedir))|' \
		wrappers/mpe_names/mpecc >'$(DESTDIR)$(bindir)'/$$c && chmod 755 '$(DESTDIR)$(bindir)'/$$c || exit 1; \
		ln -sf ../man3/mpe.3 '$(DESTDIR)$(mandir)/man1'/$$c.1; \
		for m in $(MPIS); do ln -sf $$c '$(DESTDIR)$(bindir)'/$$c.$$m; done; done
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || ldconfig 2>/dev/null || : # the linker's list of libraries
	@echo 'installed in $(DESTDIR)$(prefix)'
uninstall:
	$(call installed,drop)
	@rm -f '$(DESTDIR)$(bindir)/upshot' $(foreach l,$(notdir $(lib_links)),'$(DESTDIR)$(libdir)/$(l)')
	@cd '$(DESTDIR)$(bindir)' && rm -f $(foreach c,mpecc mpefc,$(c) $(addprefix $(c).,$(MPIS)))
	@rm -f $(foreach c,mpecc mpefc,'$(DESTDIR)$(mandir)/man1/$(c).1')
	@for m in serial $(MPIS); do cd '$(DESTDIR)$(prefix)/$(pkglibdir)'/$$m && rm -rf shared $(mpe_names_mpi); done
	@for d in $(foreach m,serial $(MPIS) abi,$(pkglibdir)/$(m)) $(pkglibdir) $(pkglibexecdir) \
		$(pkgdatadir)/viewer $(pkgdatadir)/page $(pkgdatadir)/wrappergen $(pkgdatadir)/schemas \
		$(addprefix $(pkgdatadir)/samples,/own-library /cxx /slow) $(pkgdatadir)/samples $(pkgdatadir); do \
		rmdir '$(DESTDIR)$(prefix)'/$$d 2>/dev/null || :; done
	@rmdir '$(DESTDIR)$(pythondir)/pith' '$(DESTDIR)$(libdir)/cmake/Pith' 2>/dev/null || :
	@rmdir '$(DESTDIR)$(includedir)/pith-cxx' '$(DESTDIR)$(includedir)/pith' 2>/dev/null || :
# What is installed under prefix (and DESTDIR) works.
installcheck:
	@PITH_PREFIX='$(DESTDIR)$(prefix)' PITH_BIN='$(DESTDIR)$(bindir)' PITH_LIB='$(DESTDIR)$(libdir)' O='$(O)' \
		test/run test/lint/installed

# ---- releases: see there ---------------------------------------------------------------------------------------------
include samples/packages/packages.mk

format_src = $(filter-out %/mpe_logf.h %/mpe_graphicsf.h,$(shell git ls-files '*.c' '*.h')) # these are Fortran
format:
	clang-format -i $(format_src)
format-check:
	clang-format --dry-run -Werror $(format_src)

man: ;

clean:
	rm -rf $(O)

help:
	@echo 'make              build all that can be built here, into $(O)/, on all cores (-j1: on one)'
	@echo 'make demo         install what is missing, build what the first pictures need, record two samples, show them'
	@echo 'make tour         the pictures of viewer/TOUR.md and the README, made anew'
	@echo 'make check        install what is missing, build, run every test (check-unit, check-golden, ...: one suite)'
	@echo 'make check-full   the same with all random and damaged inputs, also under the sanitizers'
	@echo 'make systems      build and test in roots of Debian trixie and sid (SYSTEMS=..., SUITES=... some; TCL); as root'
	@echo 'make machines     build and test for arm64, i386, s390x (qemu), with musl, by clang (MACHINES=... some); root'
	@echo 'make check-asan   unit, golden, command line and quick window tests under the address and UB sanitizers'
	@echo 'make check-asan-mpi  PITH_COMPENSATE under both, with each MPI'
	@echo 'make check-tsan   thread tests under the thread sanitizer'
	@echo 'make fuzz         FUZZ_SECONDS=60 of libFuzzer on each reader of foreign bytes; needs clang'
	@echo 'make check-install  install into a scratch folder and use Pith from there'
	@echo 'make bench        measure: ratios to floors, goals and peers (BENCH=... some; BIG=1 also logs at scale)'
	@echo "make gym          programs with a planted cause, and what analyze says (GYM='late*' some; LOAD=6 under load)"
	@echo 'make wasm         the pages of pith draw (a part of make where clang for wasm32 and pako are installed)'
	@echo 'make install      into PREFIX ($(PREFIX)), below DESTDIR when given; uninstall removes it'
	@echo 'make installcheck try what was installed'
	@echo 'make dist         pith-$(VERSION).tar.gz of what is committed, the same bytes each time'
	@echo 'make distcheck    build, install, use and uninstall what is in it'
	@echo 'make deb          packages for Debian; make recipes: for RPM, Spack, conda, modules (samples/packages)'
	@echo 'make check-deb    install, use, upgrade and purge these in a root; make check-rpm: the RPM; both as root'
	@echo 'make wheel        a Python wheel that brings its libraries: $(O)/wheel/'
	@echo 'make clean        remove $(O)/'
	@echo 'Variables: CC CFLAGS CPPFLAGS LDFLAGS LIBS MPICC TCL (tcl9.0) O PREFIX DESTDIR'
	@echo '           V=1 shows all checks; DEPS=no installs nothing'

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
