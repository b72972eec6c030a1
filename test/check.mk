# check.mk - the tests, one target a suite; every one ends with "N passed, N failed" (test/run), `make check` with one
# such line for all suites. V=1 shows every check; DEPS=no does not look for packages that the system lacks.
suites := unit golden bad fuzz cli mpi analyze python viewer lint
suite_scripts = $(sort $(wildcard test/$(1)/test_*.sh test/$(1)/test_*.tcl))

unit_bin := $(patsubst test/unit/%.c,$(O)/test/unit/%,$(unit_src))
fuzz_names := $(patsubst test/fuzz/fuzz_%.c,%,$(filter-out %_seeds.c,$(wildcard test/fuzz/fuzz_*.c)))
fuzz_bin := $(addprefix $(O)/test/fuzz/fuzz_,$(fuzz_names))
bench_bin := $(patsubst test/bench/%.c,$(O)/test/bench/%,$(bench_src))
tests_unit = $(unit_bin) $(call suite_scripts,unit)
tests_fuzz = $(fuzz_bin)
$(foreach s,$(filter-out unit fuzz,$(suites)),$(eval tests_$(s) = $$(call suite_scripts,$(s))))
# No other test needs Firefox, and install-deps does not install it.
HAVE_FIREFOX := $(shell command -v firefox-esr || command -v firefox)
tests_viewer = $(filter-out $(if $(HAVE_FIREFOX),,test/viewer/test_page_firefox.sh),$(call suite_scripts,viewer))
# What a suite needs beyond `all`.
needs_unit := $(unit_bin)
needs_fuzz := $(fuzz_bin)
gives_way := $(foreach m,$(filter mpich openmpi,$(MPIS)),$(O)/test/mpi/gives_way/mpiexec.$(m)) # of all that start ranks
include test/mpi/heavy.mk
needs_mpi := $(if $(MPIS),$(O)/test/mpi/count.so $(call heavy,heavy heavytime)) $(gives_way)
viewer_logs := $(addprefix $(O)/test/viewer/,make_log make_tour_log)
needs_viewer := $(gives_way) $(O)/test/bench/make_big_log $(viewer_logs) $(O)/test/viewer/draw_module \
	$(if $(HAVE_WASM),wasm)
needs_cli := $(gives_way) $(O)/test/cli/make_cli_log $(O)/test/cli/puppet $(O)/test/golden/make_golden \
	$(O)/test/bench/make_big_log
needs_analyze := $(gives_way) $(O)/test/bench/make_big_log
needs_python := $(gives_way) $(O)/test/cli/make_cli_log $(O)/test/bench/make_big_log
needs_bad := $(O)/test/golden/make_golden $(O)/test/bench/make_big_log
needs_golden := $(gives_way) $(O)/test/golden/make_golden $(O)/test/cli/make_cli_log $(O)/test/bench/make_big_log

$(O)/test/unit/%: $(O)/obj/test/unit/%.o $(core_a) $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
# With the colours of MPI's functions.
$(O)/test/unit/test_core_colours: $(O)/test/unit/%: $(O)/obj/test/unit/%.o $(O)/obj/wrappers/mpi/group.o $(core_a) \
		$(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
# Those of recording need nothing of the viewer, which `make check-tsan` then need not build.
unit_record := $(filter $(addprefix $(O)/test/unit/test_,record% spill% encode% thread%),$(unit_bin))
READS ?= $(O)# the build whose reader and commands read what was recorded
$(unit_record): $(O)/test/unit/%: $(O)/obj/test/unit/%.o $(lib_a) $(READS)/lib/libpithlog.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/cli/%: $(O)/obj/test/cli/%.o $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/golden/%: $(O)/obj/test/golden/%.o $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm $(LIBS)
$(viewer_logs): $(O)/test/viewer/%: $(O)/obj/test/viewer/%.o $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/viewer/draw_module: $(O)/obj/test/viewer/draw_module.o $(O)/obj/viewer/wasm/module.o \
		$(call obj,$(module_draw_src)) $(core_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
# A fuzz entry twice: fuzz_NAME replays test/fuzz/corpus/NAME under any compiler, live_NAME is libFuzzer's.
$(O)/test/fuzz/fuzz_%: $(O)/obj/test/fuzz/fuzz_%.o $(O)/obj/test/fuzz/replay.o $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/fuzz/fuzz_%_seeds: $(O)/obj/test/fuzz/fuzz_%_seeds.o $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
$(O)/test/fuzz/live_%: $(O)/obj/test/fuzz/fuzz_%.o $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ -lz -lm -lpthread $(LIBS)
# Those of wrappergen, which is in no library.
wrappergen_parts := $(filter-out %/wrappergen.o,$(call obj,$(wrappergen_src)))
$(O)/test/fuzz/fuzz_wrappergen_%: $(O)/obj/test/fuzz/fuzz_wrappergen_%.o $(O)/obj/test/fuzz/replay.o $(wrappergen_parts)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ $(wrappergen_libs) $(LIBS)
$(O)/test/fuzz/live_wrappergen_%: $(O)/obj/test/fuzz/fuzz_wrappergen_%.o $(wrappergen_parts)
	@mkdir -p $(@D)
	$(LINK) -fsanitize=fuzzer -o $@ $^ $(wrappergen_libs) $(LIBS)
$(O)/test/bench/%: $(O)/obj/test/bench/%.o $(core_a) $(lib_a) $(log_a)
	@mkdir -p $(@D)
	$(LINK) -o $@ $^ -lz -lm -lpthread $(LIBS)
# The counting preload: a trampoline for every function that the MPI libraries export, in C and in Fortran. Functions
# that Pith does not record are left out: conversions of handles, which the libraries call among themselves.
$(O)/test/mpi/count_names.h: $(samples_out)
	@mkdir -p $(@D)
	ldd $(filter-out $(O)/samples/threads,$(samples_out)) | sed -n 's/.*=> \(.*libmpi[^ ]*\) .*/\1/p' | sort -u | \
		xargs nm -D --defined-only | sed -n 's/.* [TWi] \([Mm][Pp][Ii]_[^@]*\).*/\1/p' | sort -u | \
		awk '{ all[NR] = $$0 } /^MPI_(T_[a-z]|[A-Z][a-z])/ && !/(2c|2f|2f08|f082c|f082f)$$/ { c[tolower($$0)] = $$0 } \
			END { for (i = 1; i <= NR; i++) { \
			base = all[i]; if (base !~ /^MPI/ && !sub(/(_f08|_f08ts)?_$$/, "", base)) continue; \
			base = tolower(base); \
			if (base in c && (all[i] == c[base] || all[i] !~ /^MPI/)) print "F(" all[i] ", " c[base] ")" } }' >$@
$(O)/test/mpi/count.so: test/mpi/count.c $(O)/test/mpi/count_names.h
	$(LINK) $(filter-out -MMD -MP,$(BASE)) -I$(@D) $(CPPFLAGS) -shared -o $@ $< -ldl $(LIBS)

# An mpiexec of each MPI whose ranks give way while they wait (test/lib.sh).
$(O)/test/mpi/give_way.so: test/mpi/give_way.c
	@mkdir -p $(@D)
	$(CC) -O1 -fPIC -shared -o $@ $< -ldl
$(O)/test/mpi/gives_way/mpiexec.%: $(O)/test/mpi/give_way.so
	@mkdir -p $(@D)
	printf '#!/bin/sh\nLD_PRELOAD="$${LD_PRELOAD:+$$LD_PRELOAD:}%s" exec %s "$$@"\n' $(abspath $<) \
		$$(command -v mpiexec.$*) >$@
	chmod 755 $@

deps = @$(if $(filter no,$(DEPS)),:,./install-deps $(1))
run_tests = @O='$(O)' test/run

.PHONY: check check-all check-full check-install check-asan check-asan-mpi asan-mpi-suite check-tsan asan-build \
	tsan-build asan-built tsan-built asan-suites tsan-suites fuzz fuzz-run bench bench-run gym \
	systems machines check-record check-window $(addprefix check-,$(suites))
# The system is completed first; then make looks at it anew, for the variables above say what was there before.
check:
	$(call deps,check)
	@+$(MAKE) --no-print-directory check-all
check-all: all $(foreach s,$(suites),$(needs_$(s)))
	$(run_tests) $(foreach s,$(suites),$(tests_$(s)))
$(foreach s,$(suites),$(eval check-$(s): all $$(needs_$(s)) ; $$(run_tests) $$(tests_$(s))))
# The window alone, by its first test.
check-window: all $(needs_viewer)
	$(run_tests) test/viewer/test_window.sh
# Recording alone: those of unit that need libpith, libpithlog and, for logs in other formats, the command; no MPI.
check-record: lib $(O)/bin/pith $(unit_record)
	$(run_tests) $(unit_record)
# All that takes long as well: what else sees a part of the random and damaged inputs (quick_or_full in lib.sh).
check-full:
	@+$(MAKE) --no-print-directory check FULL=1
	@+$(MAKE) --no-print-directory check-asan FULL=1
	@+$(MAKE) --no-print-directory check-tsan FULL=1
check-install: all
	$(run_tests) test/lint/test_install.sh

# Sanitizers: a build of their own beside this one, without MPI (its libraries are not clean); of the window's tests
# those that do much in little time. (asan-build, tsan-build: what they need, only.) -g1, as in CFLAGS of the
# Makefile: a report names functions and lines.
sanitizer_goal = $(if $(filter %-build,$@),$(1)-built,$(1)-suites)
check-asan asan-build:
	@+$(MAKE) --no-print-directory O='$(O)-asan' SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' \
		CFLAGS='-O1 -g1 -fno-omit-frame-pointer' MPIS= $(call sanitizer_goal,asan)
tests_asan_window = $(patsubst %,test/viewer/test_%.sh,window rows walk search selection beside)
asan-built: lib tools viewer samples $(foreach s,unit golden bad fuzz cli,$(needs_$(s))) $(if $(HAVE_TK),$(viewer_logs))
# (test_clock plays the processor's counter by its faults, and files by a function open, which the sanitizer needs. With
# the other clock the tests of recording run the same code but for the reading of the clock.)
asan-suites: asan-built
	@O='$(O)' LSAN_OPTIONS="suppressions=$$PWD/test/lsan.supp:print_suppressions=0" SAN='$(SAN)' \
		test/run $(filter-out %/test_clock $(if $(FULL),,%/test_other_clock.sh),\
			$(foreach s,unit golden bad fuzz cli,$(tests_$(s)))) \
		test/analyze/test_oracle.sh \
		$(if $(HAVE_TK),$(tests_asan_window))
# The log and the time library, and libpith-check under Open MPI, with MPI, which leaks by itself.
check-asan-mpi:
	@+$(MAKE) --no-print-directory O='$(O)-asan-mpi' SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer' HAVE_TK= asan-mpi-suite
asan-mpi-suite: tools $(foreach m,$(MPIS),$(addprefix $(O)/lib/pith/$(m)/libpith-,mpi.so time.so)) \
		$(patsubst %,$(O)/lib/pith/%/libpith-check.so,$(filter openmpi,$(MPIS)))
	@O='$(O)' ASAN_OPTIONS=detect_leaks=0 test/run test/mpi/sanitized.sh test/mpi/sanitized_check.sh
# Only what records is built for this sanitizer; this build reads what it recorded (READS). (The sanitizer does not know
# fences, and the compiler warns of them. Those here are for readers in other processes.)
check-tsan tsan-build: $(O)/bin/pith $(log_a)
	@+$(MAKE) --no-print-directory O='$(O)-tsan' SAN='-fsanitize=thread -Wno-tsan' CFLAGS='-O1 -g1' READS='$(O)' \
		MPIS='$(filter openmpi,$(MPIS))' HAVE_TK= $(call sanitizer_goal,tsan)
# (test_spill_damage has its threads while it records only, as the others do, and then reads for minutes.
# test_record_lost and test_record_defs call the recorder from one thread, a million times; the threads that then encode
# the log are test_encode's.)
tsan_bin = $(filter-out %/test_spill_damage %/test_spill_missing %/test_record_lost %/test_record_defs,$(unit_record))
tsan_libs = $(foreach m,$(MPIS),$(addprefix $(O)/lib/pith/$(m)/libpith-,mpi.so trace.so time.so))
tsan-built: $(lib_so) $(O)/lib/libpith.so $(tsan_libs) $(O)/samples/threads $(tsan_bin)
tsan-suites: tsan-built
	@PATH='$(abspath $(READS)/bin)':"$$PATH" O='$(O)' test/run $(tsan_bin) test/mpi/test_threads.sh test/mpi/races.sh

# libFuzzer on every entry for FUZZ_SECONDS, from the corpus kept; needs clang. What it finds new stays in
# $(O)-fuzz/corpus, a crash in $(O)-fuzz/. FUZZ chooses among the entries. (libotf2 asks for as much as a file says;
# what it touches is limited all the same.)
FUZZ_SECONDS ?= 60
FUZZ ?= $(fuzz_names)
fuzz:
	@+$(MAKE) --no-print-directory O='$(O)-fuzz' CC=clang \
		SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' \
		CFLAGS='-O1 -g -fno-omit-frame-pointer' MPIS= HAVE_TK= fuzz-run
fuzz-run: $(addprefix $(O)/test/fuzz/live_,$(FUZZ))
	@for f in $(FUZZ); do mkdir -p $(O)/corpus/$$f && $(O)/test/fuzz/live_$$f -max_total_time=$(FUZZ_SECONDS) -timeout=20 \
		-rss_limit_mb=2048 -malloc_limit_mb=$$([ $$f = otf2 ] && echo 65536 || echo 256) -print_final_stats=1 \
		-artifact_prefix=$(O)/$$f- $(O)/corpus/$$f test/fuzz/corpus/$$f || exit 1; done

# Measures, as one table and as $(O)/bench.json (test/bench/README.md); never fails, also where a peer is missing.
# BENCH names some of them (BENCH='record pause'); BIG=1 adds logs at scale.
bench:
	$(if $(filter no,$(DEPS)),,@./install-deps bench || :)
	@+$(MAKE) --no-print-directory bench-run
bench-run: all $(bench_bin) $(O)/test/cli/make_cli_log $(O)/test/bench/make_big_log $(call heavy,heavy paused heavytime)
	@O='$(O)' BIG='$(BIG)' test/bench/measure $(BENCH)

# Other releases of Debian, in roots of their own (test/systems/systems).
systems:
	@O='$(O)' SUITES='$(SUITES)' TCL='$(if $(filter file,$(origin TCL)),,$(TCL))' test/systems/systems $(SYSTEMS)

# Other processors, compilers and C libraries (test/systems/machines).
machines:
	@O='$(O)' test/systems/machines $(MACHINES)

# Programs with a planted cause each, and what pith analyze says of them (test/gym/README.md). GYM names some of them
# (GYM='late* halo'); LOAD=6: beside six busy loops. Needs luck, so it is no part of check.
gym: all
	@set -f; O='$(O)' LOAD='$(LOAD)' test/gym/gym $(GYM)
