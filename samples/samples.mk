# samples.mk - sets samples_out, the files that `make samples` builds, and their rules. MPI samples do not use Pith.
# They are built once for each MPI, as O/samples/MPI/NAME. threads and those of slow/ are linked with libpith.
mpi_samples_c := heat2d hybrid master_worker ring
mpi_samples_f := $(if $(shell command -v $(FC)),pi wave ring77)

# The Fortran compiler of an MPI: MPIFC, or the one that belongs to its mpicc (mpicc.mpich: mpifort.mpich).
mpi_fc = $(if $(filter undefined,$(origin MPIFC)),$(subst mpicc,mpifort,$(MPICC_$(1))),$(MPIFC))
FFLAGS ?= -O2 -g

samples_out := $(O)/samples/threads \
	$(foreach m,$(MPIS),$(addprefix $(O)/samples/$(m)/,$(mpi_samples_c) \
		$(if $(shell command -v $(firstword $(call mpi_fc,$(m)))),$(mpi_samples_f))))

define samples_rules
$(O)/samples/$(1)/%: samples/%.c $(O)/.flags
	@mkdir -p $$(@D)
	$(MPICC_$(1)) -std=c11 $(WARN) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$< -lm $(LIBS)
$(O)/samples/$(1)/%: samples/%.f90 $(O)/.flags
	@mkdir -p $$(@D)
	$(call mpi_fc,$(1)) -Wall $(FFLAGS) $(LDFLAGS) -o $$@ $$< $(LIBS)
$(O)/samples/$(1)/%: samples/%.f $(O)/.flags
	@mkdir -p $$(@D)
	$(call mpi_fc,$(1)) $(FFLAGS) $(LDFLAGS) -o $$@ $$< $(LIBS)
# A compiler without OpenMP makes a program of one thread.
$(O)/samples/$(1)/hybrid: samples/hybrid.c $(O)/.flags
	@mkdir -p $$(@D)
	$(MPICC_$(1)) -std=c11 -fopenmp $(WARN) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$< -lm $(LIBS) || \
		$(MPICC_$(1)) -std=c11 $(WARN) -Wno-unknown-pragmas $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$< -lm $(LIBS)
endef
$(foreach m,$(MPIS),$(eval $(call samples_rules,$(m))))

# samples/cxx: one object file, linked plain, with the profiling library, and with its own member functions.
samples_cxx := relax relax-recorded relax-own
samples_out += $(foreach m,$(cxx_mpis),$(addprefix $(O)/samples/$(m)/,$(samples_cxx)))
define samples_cxx_rules
$(O)/samples/$(1)/%.o: samples/cxx/%.cc $(O)/.flags | $(cxx_headers)
	@mkdir -p $$(@D)
	$(MPICXX_$(1)) -std=c++11 -Wall -Wextra -Wshadow -I$(O)/include/pith-cxx $(CPPFLAGS) $(CXXFLAGS) -c -o $$@ $$<
$(addprefix $(O)/samples/$(1)/,relax relax-recorded relax-own): $(addprefix $(O)/samples/$(1)/,relax.o own.o) \
		$(addprefix $(O)/lib/pith/$(1)/,libpith-cxx.so libpith-pcxx.so libpith-mpi.so) $(O)/lib/libpith.so
	$(MPICXX_$(1)) $(CXXFLAGS) $(LDFLAGS) -o $$@ \
		$$(filter-out $$(if $$(findstring own,$$@),,%/own.o),$$(filter %.o,$$^)) -L$(O)/lib/pith/$(1) -L$(O)/lib \
		-Wl,-rpath,'$$$$ORIGIN/../../lib/pith/$(1)',-rpath,'$$$$ORIGIN/../../lib' -Wl,--push-state,--no-as-needed \
		$$(if $$(findstring recorded,$$@),-lpith-pcxx -lpith-cxx -lpith-mpi -lpith,-lpith-cxx) -Wl,--pop-state $(LIBS)
endef
$(foreach m,$(cxx_mpis),$(eval $(call samples_cxx_rules,$(m))))

$(O)/samples/threads: samples/threads.c $(O)/.flags $(lib_so) $(O)/lib/libpith.so | $(headers)
	@mkdir -p $(@D)
	$(LINK) $(WARN) -I$(O)/include $(CPPFLAGS) -o $@ $< -L$(O)/lib -Wl,-rpath,'$$ORIGIN/../lib' \
		-lpith -lpthread -lm $(LIBS)

# samples/slow: each once for each MPI, as O/samples/MPI/slow/NAME.
samples_slow := $(patsubst samples/slow/%.c,%,$(wildcard samples/slow/*.c))
samples_out += $(foreach m,$(MPIS),$(addprefix $(O)/samples/$(m)/slow/,$(samples_slow)))
define samples_slow_rules
$(addprefix $(O)/samples/$(1)/slow/,$(samples_slow)): $(O)/samples/$(1)/slow/%: samples/slow/%.c \
		samples/slow/compute.h $(O)/.flags $(lib_so) $(O)/lib/libpith.so | $(headers)
	@mkdir -p $$(@D)
	$(MPICC_$(1)) -std=c11 $(WARN) -I$(O)/include $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$< -L$(O)/lib \
		-Wl,-rpath,'$$$$ORIGIN/../../../lib' -lpith $(LIBS)
endef
$(foreach m,$(MPIS),$(eval $(call samples_slow_rules,$(m))))
