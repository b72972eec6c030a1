# samples.mk - sets samples_out, the list of what `make samples` builds, and the rules.
# MPI samples know nothing of Pith: they are built once for each MPI, as O/samples/MPI/NAME. threads is linked with libpith.
mpi_samples_c := heat2d master_worker ring
mpi_samples_f := $(if $(shell command -v $(FC)),pi wave ring77)

# The Fortran compiler of an MPI: MPIFC, or what stands beside its mpicc (mpicc.mpich: mpifort.mpich).
mpi_fc = $(if $(filter undefined,$(origin MPIFC)),$(subst mpicc,mpifort,$(MPICC_$(1))),$(MPIFC))
FFLAGS ?= -O2 -g
# MPICH's mpi.h makes gcc believe that MPI_STATUSES_IGNORE is an array too short.
samples_warn := $(WARN) -Wno-stringop-overflow -Wno-unknown-warning-option

samples_out := $(O)/samples/threads \
	$(foreach m,$(MPIS),$(addprefix $(O)/samples/$(m)/,$(mpi_samples_c) \
		$(if $(shell command -v $(firstword $(call mpi_fc,$(m)))),$(mpi_samples_f))))

define samples_rules
$(O)/samples/$(1)/%: samples/%.c $(O)/.flags
	@mkdir -p $$(@D)
	$(MPICC_$(1)) -std=c11 $(samples_warn) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $$@ $$< -lm $(LIBS)
$(O)/samples/$(1)/%: samples/%.f90 $(O)/.flags
	@mkdir -p $$(@D)
	$(call mpi_fc,$(1)) -Wall $(FFLAGS) $(LDFLAGS) -o $$@ $$< $(LIBS)
$(O)/samples/$(1)/%: samples/%.f $(O)/.flags
	@mkdir -p $$(@D)
	$(call mpi_fc,$(1)) $(FFLAGS) $(LDFLAGS) -o $$@ $$< $(LIBS)
endef
$(foreach m,$(MPIS),$(eval $(call samples_rules,$(m))))

$(O)/samples/threads: samples/threads.c $(O)/.flags $(lib_so) $(O)/lib/libpith.so | $(headers)
	@mkdir -p $(@D)
	$(LINK) $(WARN) -I$(O)/include $(CPPFLAGS) -o $@ $< -L$(O)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lpith -lpthread -lm $(LIBS)
