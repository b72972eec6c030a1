# check.mk - the tests, one target a suite; every one ends with "N passed, N failed" (test/run).
unit_bin := $(patsubst test/unit/%.c,$(O)/test/unit/%,$(unit_src))
bench_bin := $(patsubst test/bench/%.c,$(O)/test/bench/%,$(bench_src))
suite_scripts = $(sort $(wildcard test/$(1)/test_*.sh test/$(1)/test_*.tcl))

$(O)/test/unit/%: $(O)/obj/test/unit/%.o $(core_a) $(lib_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/bench/%: $(O)/obj/test/bench/%.o $(core_a) $(lib_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)

.PHONY: check check-unit check-golden check-bad check-cli check-mpi check-viewer check-lint
check-unit: all $(unit_bin)
	O=$(O) test/run $(unit_bin) $(call suite_scripts,unit)
$(foreach s,golden bad cli mpi viewer lint,$(eval check-$(s): all ; O=$(O) test/run $$(call suite_scripts,$(s))))
