# wrappers.mk - the libraries that wrap other people's APIs: once for each MPI found. Included by the Makefile.
#
# For each MPI its header is preprocessed, wrappergen writes wrappers from the templates, and the result is compiled
# with the runtime beside it. Objects of wrappers/FOLDER/X.c are $(O)/obj/mpi-MPI/FOLDER/X.o, those for archives
# .../static/FOLDER/X.o.

# Pith calls what every MPI has, also where a new one would rather have another function called.
no_deprecated := -Wno-deprecated-declarations
# ---- objects ---------------------------------------------------------------------------------------------------------
inc_mpi := $(addprefix -Iwrappers/,mpi handles compensate) $(pkg_x11)
# $(call mpi_object,MPI,FOLDER,SOURCE,FLAGS): compiles SOURCE (a pattern) to FOLDER/%.o below the MPI's objects.
define mpi_object
$(O)/obj/mpi-$(1)/$(2)%.o: $(3) $(O)/.flags | $(headers) layers $(mpe_headers) $($(1)_header)
	@mkdir -p $$(@D)
	$(MPICC_$(1)) $(BASE) $(no_deprecated) $(SAN) $(inc_wrappers) $(inc_mpi) $(4) $(CPPFLAGS) $(CFLAGS) -c -o $$@ $$<
endef
# Each wrapper begins with a call of __fentry__ (mpi/other_mpi.c), where the compiler can do that.
gated := $(and $(filter x86_64%,$(shell $(CC) -dumpmachine)),$(findstring __fentry__,\
	$(shell echo 'int f(void) { return 0; }' | $(CC) -fPIC -pg -mfentry -S -x c - -o - 2>/dev/null)),-DPITHI_GATED)
$(foreach m,$(MPIS) abi,\
	$(eval $(call mpi_object,$(m),,wrappers/%.c,$(gated))) \
	$(eval $(call mpi_object,$(m),gen/,$(O)/gen/$(m)/%.c,-Iwrappers/$$* $(gated:%=-pg -mfentry))))
$(foreach m,$(MPIS),\
	$(eval $(call mpi_object,$(m),static/,wrappers/%.c,-DPITHI_STATIC)) \
	$(eval $(call mpi_object,$(m),static/gen/,$(O)/gen/$(m)/%.c,-DPITHI_STATIC -fvisibility=default)))
# These do not see mpi.h: one object serves all MPIs, and archives, too.
without_mpi := $(addprefix wrappers/,compensate/delay.c mpi/group.c mpi/state.c mpe_names/trace_output.c)
$(call obj,$(without_mpi)): private CPPFLAGS += $(inc_mpi)
# $(call mpi_objects,MPI,SOURCES), and those for archives.
mpi_objects_in = $(call obj,$(filter $(without_mpi),$(2))) \
	$(patsubst wrappers/%.c,$(O)/obj/$(1)/%.o,$(filter-out $(without_mpi),$(2)))
mpi_objects = $(call mpi_objects_in,mpi-$(1),$(2))
mpi_static_objects = $(call mpi_objects_in,mpi-$(1)/static,$(2))
# The folder of libpith beside lib/pith/MPI, in the build tree and when installed.
mpi_rpath := -Wl,-rpath,'$$ORIGIN/../..:$$ORIGIN/../../..'

# ---- the profiling libraries -----------------------------------------------------------------------------------------
# What wrappergen reads: $(call gen_needs,MPI) and $(call gen_args,MPI).
gen_needs = wrappers/mpi/roles.table $(O)/bin/wrappergen $(O)/gen/$(1)/mpi.i $(O)/gen/$(1)/exported
gen_args = -r wrappers/mpi/roles.table -H $(O)/gen/$(1)/mpi.i --exports $(O)/gen/$(1)/exported
define mpi_header_rule
$(O)/gen/$(1)/mpi.i: $(O)/.flags $($(1)_header)
	@mkdir -p $$(@D)
	printf '\043include <mpi.h>\n' | $(MPICC_$(1)) -E -P -x c - -o $$@
endef
define mpi_rules
# mpi.h declares functions that no library has, so ask the libraries that a linked program names.
$(O)/gen/$(1)/exported: $(O)/.flags
	@mkdir -p $$(@D)
	printf '\043include <mpi.h>\nint main(void){return MPI_Finalize();}' | $(MPICC_$(1)) -x c - -o $$@.probe
	ldd $$@.probe | sed -n 's/.*=> \(.*\) (.*/\1/p' | \
		xargs nm -D --defined-only | sed -n 's/.* [TWV] \(PMPIX*_[A-Za-z0-9_]*\)$$$$/\1/p' >$$@
	[ -z '$(MPIFC_$(1))' ] || { for use in 'use mpi_f08' 'use mpi' ''; do \
		printf 'program probe\n%s\ncall MPI_Init(i)\nend\n' "$$$$use" >$$@.f90 && \
			$(MPIFC_$(1)) -w -J $$(@D) -o $$@.probe $$@.f90 2>$$@.err && break; done; \
		ldd $$@.probe | sed -n 's/.*=> \(.*\) (.*/\1/p' | \
			xargs nm -D --defined-only | sed -n 's/.* [TWV] \(pmpir*_[a-z0-9_]*_\)$$$$/\1/p' >>$$@; }
	@rm -f $$@.probe $$@.f90 $$@.err
# The library with PMPI_Init, for real.c to load.
$(O)/gen/$(1)/library.c: $(O)/.flags
	@mkdir -p $$(@D)
	printf '\043include <mpi.h>\nint main(void){return MPI_Finalize();}' | $(MPICC_$(1)) -x c - -o $$@.probe
	ldd $$@.probe | sed -n 's/^[ \t]*\(.*\) => \(.*\) (.*/\1 \2/p' | while read -r name path; do \
		! nm -D --defined-only "$$$$path" | grep -q ' PMPI_Init$$$$' || \
			printf 'const char *const pithi_mpi_library[2] = {"%s", "%s"};\n' "$$$$path" "$$$$name"; done | head -n 1 >$$@
	@rm -f $$@.probe
# The archive has MPI_X only, which call PMPI_X by name. The Fortran entry points are an object of their own, so that
# a link in one pass over its libraries finds what it needs: libpith-mpi.a before libpith.a and MPI.
$(O)/gen/$(1)/static.c: $(templates_static) $(gen_needs)
	$(O)/bin/wrappergen -w $(templates_static) $(gen_args) --fortran=no -o $$@
$(O)/gen/$(1)/fortran.c: $(templates_static) $(gen_needs)
	$(O)/bin/wrappergen -w $(templates_static) $(gen_args) --fortran=only -o $$@
$(O)/lib/pith/$(1)/libpith-mpi.a: \
		$(call mpi_static_objects,$(1),wrappers/gen/static.c wrappers/gen/fortran.c $(runtime_mpi))
	$$(archive)
endef
# $(2) = a library; one without templates has the wrappers of the log library. Only the log library has a SONAME: a
# program that is linked with another by its path then finds it there (wrappers/mpe_names).
define mpi_lib_rules
$(if $(templates_$(2)),$(O)/gen/$(1)/$(2).c: $(templates_$(2)) $(gen_needs)
	$(O)/bin/wrappergen --preload -w $(templates_$(2)) $(gen_args) -o $$@)
$(O)/lib/pith/$(1)/libpith-$(2).so: \
		$(call mpi_objects,$(1),$(runtime_$(2)) wrappers/gen/$(if $(templates_$(2)),$(2),mpi).c wrappers/gen/library.c \
		$(if $(filter-out mpi,$(2)),$(wildcard wrappers/$(2)/*.c))) $(wildcard wrappers/$(2)/*.map) \
		$(filter %.a,$(link_$(2))) $(if $(findstring -lpith,$(link_$(2))),$(lib_so) $(O)/lib/libpith.so)
	@mkdir -p $$(@D)
	$(LINK) -shared -Wl,-z,nodelete -Wl,--no-undefined $(if $(filter mpi,$(2)),-Wl$(comma)-soname$(comma)$$(@F)) \
		$(if $(findstring -lpith,$(link_$(2))),$(subst $$,$$$$,$(mpi_rpath))) -o $$@ $$(filter %.o,$$^) $(link_$(2)) \
		-ldl -lpthread $(LIBS)
endef
$(foreach m,$(MPIS),$(eval $(call mpi_rules,$(m))))
$(foreach m,$(MPIS) abi,$(eval $(call mpi_header_rule,$(m))) \
	$(foreach l,$(mpi_libs),$(eval $(call mpi_lib_rules,$(m),$(l)))))

# The standard ABI: no MPI need be there to ask.
abi_tables := $(addprefix wrappers/abi/,header.awk abi_types.h constants.table functions.table)
$(abi_header): $(abi_tables)
	@mkdir -p $(@D)
	LC_ALL=C awk -v make=header -f $^ >$@
$(O)/gen/abi/exported: $(abi_tables)
	@mkdir -p $(@D)
	LC_ALL=C awk -v make=exported -f $< $(lastword $^) >$@
$(O)/gen/abi/library.c: wrappers/wrappers.mk
	@mkdir -p $(@D)
	echo 'const char *const pithi_mpi_library[2] = {"libmpi_abi.so.1", "libmpi_abi.so.1"};' >$@

# ---- libmpe, the MPE API, on the transport of wrappers/mpi: finds libpith by itself, so that programs say -lmpe alone
mpe_runtime := $(addprefix wrappers/,mpi/real.c mpi/host_comm.c mpi/transport.c handles/ranks.c)
define mpe_rules
$(O)/lib/pith/$(1)/libpith-mpe.so: \
		$(call mpi_objects,$(1),$(mpe_src) $(mpe_runtime) wrappers/gen/library.c) $(lib_so) $(O)/lib/libpith.so
	@mkdir -p $$(@D)
	$(LINK) -shared -Wl,-z,nodelete -Wl,-soname,$$(@F) -Wl,--no-undefined $(subst $$,$$$$,$(mpi_rpath)) \
		-o $$@ $$(filter %.o,$$^) -L$(O)/lib -lpith -ldl -lpthread -lm $(LIBS)
$(O)/lib/pith/$(1)/libpith-names.a: \
		$(call mpi_objects,$(1),$(addprefix wrappers/mpe_names/,trace_output.c keep_linked.c))
	$$(archive)
$(O)/lib/pith/$(1)/libpith-mpe.a: $(call mpi_static_objects,$(1),$(mpe_src) $(mpe_runtime))
	$$(archive)
endef
$(foreach m,$(MPIS),$(eval $(call mpe_rules,$(m))))

# ---- C++ bindings: the regular part is written from tables (wrappers/cxx/README.md), once for all MPIs ---------------
cxx_tables := $(addprefix wrappers/cxx/,bindings.awk bindings.table constants.table)
$(O)/include/pith-cxx/mpicxx.h: $(cxx_tables) wrappers/cxx/mpicxx.h.in
	@mkdir -p $(@D)
	LC_ALL=C awk -v make=header -f $^ >$@
$(O)/include/pith-cxx/mpi.h: wrappers/cxx/mpi.h
	@mkdir -p $(@D)
	cp $< $@
# (Two rules: one with two targets would have to make both.)
cxx_part = @mkdir -p $(@D) && LC_ALL=C awk -v make=$* -f $^ >$@
$(O)/gen/cxx/%.cc: $(cxx_tables) ; $(cxx_part)
$(O)/gen/cxx/%.h: $(cxx_tables) ; $(cxx_part)
# $(call cxx_object,MPI,FOLDER,SOURCE,FLAGS), as mpi_object.
define cxx_object
$(O)/obj/cxx-$(1)/$(2)%.o: $(3) $(O)/.flags | $(cxx_headers) $(headers) $(O)/gen/cxx/forward.h
	@mkdir -p $$(@D)
	$(MPICXX_$(1)) $(CXXBASE) $(no_deprecated) $(SAN) -I$(O)/include/pith-cxx $(4) $(CPPFLAGS) $(CXXFLAGS) -c -o $$@ $$<
endef
cxx_inc := -Iwrappers/cxx -I$(O)/gen/cxx
$(foreach m,$(cxx_mpis),\
	$(eval $(call cxx_object,$(m),,wrappers/cxx/%.cc,$(cxx_inc))) \
	$(eval $(call cxx_object,$(m),,$(O)/gen/cxx/%.cc,$(cxx_inc))) \
	$(eval $(call cxx_object,$(m),profiled/,$(O)/gen/$(m)/%.cc,$(inc_wrappers) -Iwrappers/mpi)))
# Linked by the C compiler of the MPI: that of C++ would add the MPI's own C++ library.
cxx_link = $(MPICC_$(1)) $(SAN) $(CFLAGS) $(LDFLAGS) \
	-shared -Wl,-soname,$$(@F) -Wl,--no-undefined -o $$@ $$^ -lstdc++ $(LIBS)
define cxx_rules
$(O)/lib/pith/$(1)/libpith-cxx.a $(O)/lib/pith/$(1)/libpith-cxx.so: \
		$(addprefix $(O)/obj/cxx-$(1)/,$(patsubst %.cc,%.o,$(notdir $(cxx_src) $(cxx_gen))))
$(O)/lib/pith/$(1)/libpith-cxx.a:
	$$(archive)
$(O)/lib/pith/$(1)/libpith-cxx.so:
	@mkdir -p $$(@D)
	$(cxx_link)
# The profiled members.
$(O)/gen/$(1)/pcxx.cc: wrappers/cxx/pcxx.w wrappers/cxx/bindings.table $(gen_needs)
	$(O)/bin/wrappergen --cxx=weak -w $$< --bindings wrappers/cxx/bindings.table $(gen_args) -o $$@
$(O)/lib/pith/$(1)/libpith-pcxx.a: $(O)/obj/cxx-$(1)/profiled/pcxx.o
	$$(archive)
$(O)/lib/pith/$(1)/libpith-pcxx.so: $(O)/obj/cxx-$(1)/profiled/pcxx.o $(O)/lib/pith/$(1)/libpith-cxx.so
	@mkdir -p $$(@D)
	$(cxx_link)
endef
$(foreach m,$(cxx_mpis),$(eval $(call cxx_rules,$(m))))

# ---- MPE without MPI, and MPE's names --------------------------------------------------------------------------------
define serial_compile
$(call compile,-DPITHI_STATIC -DNOMPI -Iwrappers/mpe_serial $(inc_wrappers) -Iwrappers/mpi -Iwrappers/mpe $(pkg_x11))
endef
mpe_serial_obj = $(patsubst wrappers/%.c,$(O)/obj/serial/%.o,$(1))
$(O)/obj/serial/%.o: wrappers/%.c $(O)/.flags | $(headers) $(mpe_headers)
	$(serial_compile)
$(O)/lib/pith/serial/libpith-mpe.a: $(call mpe_serial_obj,\
		$(filter-out $(mpe_mpi_src),$(mpe_src)) $(filter-out %/mpe_null.c,$(mpe_serial_src))) | $(mpe_headers)
	$(archive)
$(O)/lib/pith/serial/libpith-mpe-null.a: \
		$(call mpe_serial_obj,wrappers/mpe_serial/mpe_null.c wrappers/mpe/mpe_fortran.c)
	$(archive)
link_names = wrappers/mpe_names/link_names
define mpe_name_rules
$(O)/lib/pith/$(1)/libmpe.a: $(link_names)
	@mkdir -p $$(@D)
	sh $(link_names) $$(@D) '$(abspath $(O))/lib/pith' $(1) ../../libpith.a
$(addprefix $(O)/lib/pith/$(1)/,$(filter-out libmpe.a,$(2))): $(O)/lib/pith/$(1)/libmpe.a ;
endef
$(eval $(call mpe_name_rules,serial,$(mpe_names)))
$(foreach m,$(MPIS),$(eval $(call mpe_name_rules,$(m),$(mpe_names_mpi))))
$(O)/bin/mpe%: wrappers/mpe_names/mpecc
	@mkdir -p $(@D)
	install -m 755 $< $@

