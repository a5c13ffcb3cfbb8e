# What is released, in dist/. The Makefile includes this file.
#   make dist PYTHONS="3.11 3.13" PHPS="8.2 8.4 8.4-zts"     only some versions
#   make dist DIRTY=1                                        with changes that are not committed

PYTHONS := 3.10 3.11 3.12 3.13 3.14 3.15 abi3
PHPS := 8.2 8.4 8.5 8.6 8.4-zts
DIST_PYTHON := build/packaging/venv/bin/python
export DIRTY

.PHONY: dist dist-plain dist-notices dist-extensions dist-wheels dist-same deny publish-dry-run

dist: ## build everything that is released, in dist/; heavy
	rm -rf dist
	$(MAKE) dist-plain dist-notices
	$(MAKE) dist-extensions
	$(MAKE) dist-wheels
	$(DIST_PYTHON) packaging/describe.py dist

dist-plain: build/packaging/.tools | build/.tools ## what needs no compiler: PHP packages, crate, sources
	mkdir -p dist
	packaging/plain.sh dist

dist-notices: build/packaging/.tools ## the licences and the list of what is compiled in
	mkdir -p dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(DIST_PYTHON) packaging/sbom.py dist/toolwire.cdx.json
	$(DIST_PYTHON) packaging/notices.py dist/THIRD-PARTY-NOTICES.txt

dist-extensions: dist-notices | build/.tools
	for version in $(PHPS); do packaging/extension.sh $$version dist || exit 1; done

dist-wheels: dist-notices | build/.tools
	packaging/wheels.sh dist $(PYTHONS)

dist-same: ## build twice, the second time from nothing, and compare the bytes; very heavy
	$(MAKE) dist
	mv dist/SHA256SUMS build/packaging/first-sums
	rm -rf target/dist
	$(MAKE) dist
	diff build/packaging/first-sums dist/SHA256SUMS && echo "dist-same: the same bytes"

# The versions are fixed there.
build/packaging/.tools: packaging/requirements.txt
	python3 -c 'import tomllib' || { echo "make dist needs Python 3.11 or newer" >&2; exit 2; }
	test -x $(DIST_PYTHON) || python3 -m venv build/packaging/venv
	$(DIST_PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Whoever releases asks for it with ADVISORIES=required.
deny: build/deny/.installed ## check licences, origins and, with GitHub at hand, known flaws of all crates
	packaging/deny.sh

build/deny/.installed: packaging/requirements-deny.txt
	test -x build/deny/bin/python || python3 -m venv build/deny
	build/deny/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

publish-dry-run: ## what crates.io would get, compiled as it would get it
	cargo publish --dry-run --locked -p toolwire --target-dir target/package $(if $(DIRTY),--allow-dirty)
