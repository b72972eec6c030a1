# heavy.mk - the wrappers of the log and the time library with one among them that costs too much
# (test/bench/mpi/heavy.w), for test/mpi/heavy.sh to link: $(O)/test/mpi/heavy/NAME-MPI.o. heavy, in the log library;
# heavytime, in the time library; paused, as if the program had done it (heavy.w). Included by check.mk.
heavy_w := test/bench/mpi/heavy.w
heavy_front := wrappers/mpi/compare_clocks.w wrappers/compensate/after_call.w
heavy_behind := wrappers/mpi/messages.w $(templates_inner)
templates_heavy := $(heavy_front) wrappers/mpi/log.w $(heavy_w) $(heavy_behind)
templates_paused := $(heavy_front) $(heavy_w) wrappers/mpi/log.w $(heavy_behind)
templates_heavytime := $(heavy_front) wrappers/time/time.w $(heavy_w) $(templates_inner)
flags_paused := -DHEAVY_PAUSE
flags_heavytime := -DHEAVY_TIME -Iwrappers/time
heavy = $(foreach m,$(MPIS),$(patsubst %,$(O)/test/mpi/heavy/%-$(m).o,$(1)))
define heavy_rules
$(O)/test/mpi/heavy/$(2)-$(1).c: $(templates_$(2)) $(gen_needs)
	@mkdir -p $$(@D)
	$(O)/bin/wrappergen --preload -w $(templates_$(2)) $(gen_args) -o $$@
$(O)/test/mpi/heavy/$(2)-$(1).o: $(O)/test/mpi/heavy/$(2)-$(1).c $(O)/.flags | $(headers) layers
	$(MPICC_$(1)) -std=gnu11 -D_GNU_SOURCE $(flags_$(2)) -O1 -fPIC $(no_deprecated) -MMD -MP \
		$(inc_wrappers) $(inc_mpi) -c -o $$@ $$<
endef
$(foreach m,$(MPIS),$(foreach n,heavy paused heavytime,$(eval $(call heavy_rules,$(m),$(n)))))
-include $(wildcard $(O)/test/mpi/heavy/*.d)
