# packages.mk - from a commit to a tarball, and from that to packages. What takes minutes is in test/packages.
tarball := pith-$(VERSION).tar.gz
.PHONY: dist distcheck abi
# The same bytes from the same commit: git archive sorts, and its times are that of the commit.
dist:
	@git archive --help >/dev/null 2>&1 && git rev-parse -q --verify HEAD >/dev/null || \
		{ echo 'make dist: it needs git and a clone with a commit' >&2; exit 1; }
	@git -c tar.umask=0022 archive --format=tar --prefix=pith-$(VERSION)/ HEAD | gzip -9n >$(tarball).part
	@mv $(tarball).part $(tarball)
	@echo '$(tarball): '"$$(git rev-parse --short HEAD), sha256 $$(sha256sum <$(tarball) | cut -c 1-64)"
distcheck: dist
	@test/packages/distcheck $(tarball)

# What programs that are linked with the libraries rely on: names, types, layouts of the public headers, as abidw
# (abigail-tools) sees them. test/lint/test_abi.sh compares $(O)/abi/*.abi with the baseline beside it; `make abi`
# accepts what changed, before a release.
abi_o := $(O)/abi
.PHONY: abi-now
abi-now: $(headers)
	@+$(MAKE) --no-print-directory -s O='$(abi_o)' CFLAGS='-O0 -g' \
		$(patsubst %,$(abi_o)/lib/%.so.$(SOVERSION),libpith libpithlog)
	@for lib in libpith libpithlog; do abidw --headers-dir $(O)/include --drop-private-types --drop-undefined-syms \
		--no-show-locs --no-parameter-names --no-comp-dir-path --no-corpus-path --no-elf-needed --type-id-style hash \
		$(abi_o)/lib/$$lib.so.$(SOVERSION) | sed '/<abi-instr/{N;/<\/abi-instr/d}' >$(abi_o)/$$lib.abi || exit 1; done
abi: abi-now
	@cp $(abi_o)/libpith.abi $(abi_o)/libpithlog.abi test/lint/

# Debian's packages, from the tarball: $(O)-deb/. Its changelog has the time of the commit, so that they are the same
# bytes each time; DEB_BUILD_OPTIONS=nocheck leaves out the unit tests.
deb_tree = $(O)-deb/pith-$(VERSION)
deb: dist
	@rm -rf '$(O)-deb' && mkdir -p '$(O)-deb' && cp $(tarball) '$(O)-deb/pith_$(VERSION).orig.tar.gz'
	@tar -x -f $(tarball) -C '$(O)-deb' && cp -r '$(deb_tree)/samples/packages/debian' '$(deb_tree)/'
	@cd '$(deb_tree)/debian' && sed -e 's/@version@/$(VERSION)/' \
		-e "s/@date@/$$(git -C '$(CURDIR)' log -1 --format=%cD)/" changelog.in >changelog && rm changelog.in
	@echo 'make deb: builds, into $(O)-deb/build.log'
	@cd '$(deb_tree)' && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O dpkg-buildpackage -us -uc >../build.log 2>&1 || \
		{ tail -n 30 ../build.log >&2; exit 1; }
	@lintian --pedantic --fail-on error,warning,pedantic $(O)-deb/pith_$(VERSION)-*.changes
	@ls $(O)-deb/*.deb
# They are installed, used, upgraded and purged in a root of Debian 12 (as root).
check-deb:
	@O='$(O)' test/packages/check-deb '$(O)-deb'
.PHONY: deb check-deb

# Recipes for other systems with the version and the sum of the tarball: $(O)/recipes. Of the addresses nothing is known
# yet; packages.invalid stands for them.
recipes_in := samples/packages/pith.spec.in samples/packages/spack/package.py.in samples/packages/conda/meta.yaml.in \
	samples/packages/modulefile.in
recipes: dist
	@for in in $(recipes_in); do out=$(O)/recipes/$${in#samples/packages/} && mkdir -p "$$(dirname "$$out")" && \
		sed -e 's|@version@|$(VERSION)|g; s|@prefix@|$(prefix)|g' \
			-e "s|@sha256@|$$(sha256sum <$(tarball) | cut -c 1-64)|" $$in >"$${out%.in}" || exit 1; done
	@echo 'made $(patsubst samples/packages/%.in,$(O)/recipes/%,$(recipes_in))'
# The RPM is built, installed below a root, used and erased (as root).
check-rpm: recipes
	@O='$(O)' test/packages/check-rpm $(tarball) $(O)/recipes/pith.spec
.PHONY: recipes check-rpm
