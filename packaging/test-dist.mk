# What `make dist` left in dist is installed in clean Debian systems, as a user would.

# make test-dist SUITES="bookworm trixie sid" DIST=dist
SUITES := bookworm trixie
DIST := dist
# The crate is built with the Rust of this user.
AS_ROOT = $(if $(filter 0,$(shell id -u)),,sudo env "HOME=$(HOME)" "PATH=$(PATH)")

.PHONY: test-dist test-dist-roots

test-dist: $(SUITES:%=build/roots/debian-%) ## install from dist in clean Debian roots, run the cases there, uninstall
	test -f $(DIST)/SHA256SUMS || { \
		echo "$(DIST) has no SHA256SUMS: run 'make dist' first" >&2; exit 2; }
	$(AS_ROOT) python3 packaging/test_dist $(DIST) $(SUITES)

# What is in build/roots is tested too. Debian 12 itself has PHP 8.2.
test-dist-roots: $(patsubst %,build/roots/%/bin/php,$(filter-out 8.2,$(PHPS))) \
	$(patsubst %,build/roots/python-%/bin/python,$(filter-out abi3,$(PYTHONS)))
test-dist-roots: ## fetch the other PHPs and Pythons that make test-dist then loads everything into

build/roots/debian-%:
	packaging/debian-root $* $@

.PRECIOUS: build/roots/debian-%
