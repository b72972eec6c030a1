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
