# check.mk - the tests, one target a suite; every one ends with "N passed, N failed" (test/run), `make check` with one such
# line for all suites. V=1 shows every check; DEPS=no does not look for packages that the system lacks.
suites := unit golden bad cli mpi viewer lint
suite_scripts = $(sort $(wildcard test/$(1)/test_*.sh test/$(1)/test_*.tcl))

unit_bin := $(patsubst test/unit/%.c,$(O)/test/unit/%,$(unit_src))
bench_bin := $(patsubst test/bench/%.c,$(O)/test/bench/%,$(bench_src))
tests_unit = $(unit_bin) $(call suite_scripts,unit)
$(foreach s,$(filter-out unit,$(suites)),$(eval tests_$(s) = $$(call suite_scripts,$(s))))
# What a suite needs beyond `all`.
needs_unit := $(unit_bin)
needs_mpi := $(O)/test/mpi/count.so

$(O)/test/unit/%: $(O)/obj/test/unit/%.o $(core_a) $(lib_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/bench/%: $(O)/obj/test/bench/%.o $(core_a) $(lib_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/mpi/%.so: test/mpi/%.c $(O)/.flags
	@mkdir -p $(@D)
	$(LINK) $(BASE) $(CPPFLAGS) -MF $(O)/obj/test/$*.d -shared -o $@ $< -ldl $(LIBS)

deps = @$(if $(filter no,$(DEPS)),:,./install-deps $(1))
run_tests = @O='$(O)' test/run

.PHONY: check check-all check-install check-asan check-tsan asan-suites tsan-suites bench $(addprefix check-,$(suites))
# The system is completed first; then make looks at it anew, for the variables above say what was there before.
check:
	$(call deps,check)
	@+$(MAKE) --no-print-directory check-all
check-all: all $(foreach s,$(suites),$(needs_$(s)))
	$(run_tests) $(foreach s,$(suites),$(tests_$(s)))
$(foreach s,$(suites),$(eval check-$(s): all $$(needs_$(s)) ; $$(run_tests) $$(tests_$(s))))
check-install: all
	$(run_tests) test/lint/test_install.sh

# Sanitizers: a build of their own beside this one, without MPI (its libraries are not clean) and without the window.
check-asan:
	@+$(MAKE) --no-print-directory O='$(O)-asan' SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer' MPIS= HAVE_TK= asan-suites
asan-suites: lib tools viewer samples $(unit_bin)
	$(run_tests) $(tests_unit) $(tests_golden) $(tests_bad) $(tests_cli)
check-tsan:
	@+$(MAKE) --no-print-directory O='$(O)-tsan' SAN='-fsanitize=thread' CFLAGS='-O1 -g' MPIS= HAVE_TK= tsan-suites
tsan_bin = $(filter $(O)/test/unit/test_record% $(O)/test/unit/test_spill% $(O)/test/unit/test_thread%,$(unit_bin))
tsan-suites: lib tools samples $(tsan_bin)
	$(run_tests) $(tsan_bin) test/lint/threads.sh

# Measures; never fails. The shell ones need MPI.
bench: all $(bench_bin)
	@for b in $(bench_bin) $(sort $(wildcard test/bench/bench_*.sh)); do echo "== $$(basename $$b)"; O='$(O)' $$b || echo "$$b: exit status $$?"; done
