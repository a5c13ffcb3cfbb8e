# Each target sets up what it needs: `make demo` and `make test` work as the first command on a
# fresh Debian 12 with Rust, make and Python 3.10 or newer.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
export PATH := $(HOME)/.cargo/bin:$(PATH)

VENV := .venv
BIN := $(VENV)/bin
# Another PHP, and its PHPUnit, for `make test-php`; cargo must not see them.
PHP :=
PHPUNIT :=
unexport PHP PHPUNIT
# Another Python, for `make test-python`.
PYTHON :=
unexport PYTHON
EXTENDED := php -d extension=$(CURDIR)/build/toolwire.so
BENCH := target/bench/release
PEERS := target/bench-peers/release
BENCHES := build/toolwire_bench.so $(BENCH)/toolwire-bench $(PEERS)/toolwire-bench-peers
INSTRUCTIONS := target/release/examples/instructions
UNIT := $(EXTENDED) $$(command -v phpunit)
# The versions of PHP that `make test-php-versions` unpacks or builds in build/roots.
PHP_VERSIONS := 8.4 8.5
PHP_THREADED := 8.2 8.4
# The versions of Python that `make test-python-versions` puts into build/roots.
PYTHON_VERSIONS := 3.10 3.11 3.12 3.13 3.14 3.15
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
TARGETS := comment detect message provider repair reply
SECONDS := 60
# How many random texts each grammar gives in `make test-constrain-all`.
CONSTRAIN_SEEDS := 10
# How many random questions the library in plain PHP and the extension are asked.
QUESTIONS := 5000
PHP_WASM := build/php-wasm
# How many processes the tests of stores kill, for each store; how many entries they change, and at
# which requests they cut connections (all, or a part); how many runs meet clocks that jump.
KILLS := 10
TAMPERINGS := 60
CUTS := some
CLOCKS := 8
# The flags that cargo-fuzz sets without a sanitizer.
FUZZ_FLAGS := --cfg fuzzing -Cdebug-assertions -Coverflow-checks -Cpasses=sancov-module \
	$(addprefix -Cllvm-args=-sanitizer-coverage-,level=4 inline-8bit-counters pc-table trace-compares)
RUST_SOURCES := $(shell find core/src php-ext/src py-binding/src -name '*.rs' -o -name '*.json' \
	-o -name '*.js' -o -name '*.css') \
	Cargo.toml Cargo.lock core/Cargo.toml php-ext/Cargo.toml php-ext/build.rs py-binding/Cargo.toml
BENCH_SOURCES := $(wildcard bench/rust/src/*.rs) core/tests/growth/hostile.rs \
	bench/rust/Cargo.toml bench/rust/Cargo.lock
PEER_SOURCES := $(wildcard bench/peers/src/*.rs bench/peers/src/bin/*.rs) bench/peers/Cargo.toml bench/peers/Cargo.lock
PYTHON_SOURCES := $(shell find py-binding/python \( -name '*.py*' -o -name '*.lua' \) \
	-not -path '*/__pycache__/*') \
	py-binding/pyproject.toml
PYTHON_FOLDERS := py-binding tests/python tests/conformance tests/mcp_peer tests/collector \
	tests/constrain tests/stageflow tests/stores tests/scale examples/python examples/compare .ci \
	packaging
# The oldest Python for which the wheel is made.
MYPY = $(BIN)/mypy --config-file py-binding/pyproject.toml --python-version 3.10
WORDPRESS_RUFF := --config py-binding/pyproject.toml tests/wordpress

include $(wildcard packaging/*.mk)

.PHONY: help setup build demo check lint format clean
.PHONY: test test-features test-gateway test-rust test-php test-php-versions test-plain-php
.PHONY: test-plain-php-versions test-python test-python-versions test-python-abi3 test-stores
.PHONY: test-constrain test-constrain-all test-growth test-stageflow test-mcp-peer test-scale test-compare package-php
.PHONY: test-wordpress test-wordpress-newest
.PHONY: test-wordpress-servers test-wordpress-sqlite
.PHONY: test-logs recorded models conformance bench bench-instructions bench-wordpress fuzz

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 24

setup: build/.tools $(VENV)/.installed ## install what is missing: PHP, PHPUnit, clang, a venv

build/.tools: .ci/setup
	.ci/setup
	mkdir -p build && touch $@

$(VENV)/.installed: requirements-dev.txt | build/.tools
	test -x $(BIN)/python || python3 -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

build: build/toolwire.so build/.wheel ## make build/toolwire.so and build/*.whl, install the wheel

build/toolwire.so: $(RUST_SOURCES) | build/.tools
	cargo build --release --locked -p toolwire-php
	cp target/release/libtoolwire_php.so $@.new && mv $@.new $@

build/.wheel: $(RUST_SOURCES) $(PYTHON_SOURCES) $(VENV)/.installed | build/toolwire.so
	rm -f build/*.whl
	$(BIN)/maturin build --quiet --release --locked -m py-binding/Cargo.toml \
		-i $(BIN)/python -o build
	$(BIN)/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps build/*.whl
	touch $@

demo: build ## run the examples: calls of a reply, a handler's result, a summary and a report
	@echo "--- PHP: examples/php/assistant.php"
	@$(EXTENDED) examples/php/assistant.php examples/data/reply.md examples/data/packets.json
	@echo
	@echo "--- PHP: examples/php/tools.php"
	@$(EXTENDED) examples/php/tools.php
	@echo
	@echo "--- Python: examples/python/issue_report.py"
	@$(BIN)/python examples/python/issue_report.py examples/data/results.json build/report.json
	@echo
	@echo "--- Python: examples/python/gateway_demo.py"
	@$(BIN)/python examples/python/gateway_demo.py

# PHP and the servers of the tests of stores keep one core busy each.
test: test-rust build build/.stores ## run the suites and compare the shared cases they ran
	$(MAKE) --no-print-directory -j2 --output-sync=line test-stores test-php test-plain-php
	$(MAKE) --no-print-directory test-python
	@$(BIN)/python .ci/count_cases.py build

check: | build/.tools ## after a change in core: formatting, clippy, tests, shared cases, layers
	cargo fmt --all --check
	cargo clippy --locked -p toolwire --all-targets -- -D warnings
	cargo test --locked -p toolwire --lib --test architecture --test cases --test docs

test-rust: | build/.tools
	mkdir -p build
	cargo test --release --locked -p toolwire 2>&1 | tee build/test-rust.log

# Detection alone is kept small for programs that need nothing else.
FEATURES := detect schema provider transcript diff redact comment store sqlite runs compat
MOST_CRATES := 40
test-features: ## build the crate and its pages with each of its features alone, and count what detection needs
	.ci/features $(FEATURES)
	crates=$$(cargo tree --locked -p toolwire -e normal,build --no-default-features \
		--features detect --prefix none | sed 's/ (.*//' | sort -u | wc -l); \
	echo "detection alone: $$crates crates"; test $$crates -le $(MOST_CRATES)

# make test-php PHP=/path/to/php PHPUNIT=/path/to/phpunit
ifeq ($(PHP)$(PHPUNIT),)
test-php: build
	$(UNIT) -c tests/php/phpunit.xml 2>&1 | tee build/test-php.log
else
test-php: | build/.tools ## with PHP=/path/to/php: build the extension for that PHP and test it
	.ci/test-php "$(or $(PHP),php)" $(PHPUNIT)
endif

PHP_TESTS := $(addprefix test-php-,$(PHP_VERSIONS) $(PHP_THREADED:=-zts)) \
	$(PHP_THREADED:%=test-php-threads-%)
test-php-versions: $(PHP_TESTS) ## fetch and build every PHP at hand, test them; heavy

test-php-%: build/roots/%/bin/php | build/.tools
	.ci/test-php $<

# PHPUnit 11 runs on each of them.
test-php-%-zts: build/roots/%-zts/bin/php build/roots/8.4/bin/php | build/.tools
	.ci/test-php $< build/roots/8.4/bin/phpunit

test-php-threads-%: test-php-%-zts
	tests/php-threads/run.sh build/roots/$*-zts/bin/php-config build/php/$*-zts/toolwire.so

build/roots/%-zts/bin/php:
	.ci/php-zts $* $(@D:/bin=)

build/roots/%/bin/php:
	.ci/php-root $* $(@D:/bin=)

.PRECIOUS: build/roots/%-zts/bin/php build/roots/%/bin/php

# make test-plain-php QUESTIONS=1000000
test-plain-php: build/toolwire.so ## test the library in plain PHP, without and against the extension
	php -n tests/plain/cases.php build/cases-plain-php.json 2>&1 | tee build/test-plain-php.log
	php -n tests/plain/library.php
	php -n tests/plain/reading.php
	php -n tests/plain/growth.php
	php -n tests/plain/fuzz/run.php $(CURDIR)/build/toolwire.so $(QUESTIONS)
	php -n tests/plain/tools/run.php $(CURDIR)/build/toolwire.so

test-plain-php-versions: build/toolwire.so $(PHP_WASM)/.installed ## the same on PHP 7.4 to 8.5
	tests/plain/versions.sh $(PHP_WASM)/node_modules/.bin/php-wasm-cli build/toolwire.so

# PHP of several versions, compiled to WebAssembly.
$(PHP_WASM)/.installed: tests/plain/versions.sh
	command -v npm >/dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 2; }
	mkdir -p $(PHP_WASM)
	npm install --prefix $(PHP_WASM) --no-audit --no-fund --silent @php-wasm/cli@3.1.56
	touch $@

package-php: ## put the Composer package together: build/php/toolwire
	php/package.sh build/php/toolwire

# make test-python PYTHON=/path/to/python
ifeq ($(PYTHON),)
test-python: build
	$(BIN)/python -m mypy.stubtest toolwire --allowlist py-binding/stubtest.txt \
		--mypy-config-file py-binding/pyproject.toml
	$(BIN)/python -m pytest -q -n auto --dist loadfile tests/python 2>&1 | tee build/test-python.log
else
test-python: | build/.tools ## with PYTHON=/path/to/python: build the wheel for that Python and test it
	.ci/test-python "$(PYTHON)"
endif

PYTHON_TESTS := $(PYTHON_VERSIONS:%=test-python-%)
test-python-versions: $(PYTHON_TESTS) test-python-abi3 ## the same with every Python at hand; heavy

# One wheel, which is tested with the oldest and the newest version.
test-python-abi3: $(patsubst %,build/roots/python-%/bin/python,3.10 3.15) | build/.tools
	for python in $^; do ABI3=1 .ci/test-python "$$python" || exit 1; done

test-python-%: build/roots/python-%/bin/python | build/.tools
	.ci/test-python $<

build/roots/python-%/bin/python:
	.ci/python-root $* $(@D:/bin=)

.PRECIOUS: build/roots/python-%/bin/python

# make test-stores KILLS=200 TAMPERINGS=all CUTS=all CLOCKS=100
test-stores: export TOOLWIRE_KILLS = $(KILLS)
test-stores: export TOOLWIRE_TAMPERINGS = $(TAMPERINGS)
test-stores: export TOOLWIRE_CUTS = $(CUTS)
test-stores: export TOOLWIRE_CLOCKS = $(CLOCKS)
test-stores: build build/.stores ## test the stores on servers, which this starts: Redis, PostgreSQL, MariaDB
	phpcs --standard=php/toolwire/phpcs.xml.dist
	$(BIN)/python -m pytest -q -rP tests/stores 2>&1 | tee build/test-stores-python.log
	$(UNIT) -c tests/stores/php/phpunit.xml 2>&1 | tee build/test-stores-php.log

build/.stores: .ci/setup-stores | build/.tools
	.ci/setup-stores
	touch $@

# Half an hour: every beginning of what each format and each profile writes, under callgrind.
test-growth: ## count how the work on what formats and profiles write grows with the text
	TOOLWIRE_GROWTH_ALL=1 cargo test --release --locked -p toolwire --test growth -- --ignored \
		--exact what_formats_and_profiles_write_takes_linear_work

test-stageflow: build ## run stageflow's own tests of its tools over toolwire.tools
	mkdir -p build/stageflow
	$(BIN)/python tests/stageflow/run.py build/stageflow

# xgrammar asks for torch and CUDA, and needs neither.
build/constrain/.installed: tests/constrain/requirements.txt \
		tests/constrain/requirements-xgrammar.txt build/.wheel
	python3 -m venv build/constrain
	build/constrain/bin/pip install --quiet --disable-pip-version-check \
		-r tests/constrain/requirements.txt
	build/constrain/bin/pip install --quiet --disable-pip-version-check --no-deps \
		-r tests/constrain/requirements-xgrammar.txt
	build/constrain/bin/pip install --quiet --disable-pip-version-check --force-reinstall \
		--no-deps build/*.whl
	touch $@

# llama.cpp's library, built for node-llama-cpp, which the tests use without Node.js.
LLAMA_CPP := @node-llama-cpp/linux-$(if $(filter aarch64,$(shell uname -m)),arm64,x64)
build/llama-cpp/.installed: tests/constrain/llama-cpp.txt
	command -v npm >/dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 2; }
	mkdir -p build/llama-cpp
	npm install --ignore-scripts --no-audit --no-fund --silent --prefix build/llama-cpp \
		$(LLAMA_CPP)@$$(cat $<)
	touch $@

CONSTRAIN := build/constrain/bin/python -m pytest -q -n auto --dist loadfile tests/constrain
test-constrain: build/constrain/.installed build/llama-cpp/.installed ## hold texts to grammars and read them back: the formats, a part of the profiles
	CONSTRAIN_SEEDS=1 CONSTRAIN_SHARE=5 $(CONSTRAIN)

test-constrain-all: build/constrain/.installed build/llama-cpp/.installed ## the same with all profiles and more random texts; takes an hour
	CONSTRAIN_SEEDS=$(CONSTRAIN_SEEDS) $(CONSTRAIN)

# Its latest version is fetched from npm.
test-mcp-peer: build ## use the reference server of MCP as a server of tools
	npm install --silent --no-audit --no-fund --prefix build/mcp-peer \
		@modelcontextprotocol/server-everything
	$(BIN)/python -m pytest -q tests/mcp_peer

test-collector: build $(VENV)/.collector ## send spans and metrics through a collector of OpenTelemetry
	$(MYPY) tests/collector
	$(BIN)/python -m pytest -q tests/collector

$(VENV)/.collector: tests/collector/requirements.txt $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The peers take a venv of their own, in which Toolwire is not installed.
COMPARE := build/compare
test-compare: export TOOLWIRE_PEERS = $(CURDIR)/$(COMPARE)/bin/python
test-compare: build $(COMPARE)/.installed ## run the job of docs/compare.md with three other libraries
	$(BIN)/python -m pytest -q tests/python/test_compare.py

$(COMPARE)/.installed: examples/compare/peers/requirements.txt
	test -x $(COMPARE)/bin/python || python3 -m venv $(COMPARE)
	$(COMPARE)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# The engines take 2 GB in a venv of their own, and Spark takes Java.
SCALE := build/scale
test-scale: export TOOLWIRE_SPLICES = 100000
test-scale: build $(SCALE)/.installed ## test columns in Spark, Ray, Polars, DuckDB, Daft and others
	$(BIN)/python -m pytest -q tests/python/test_columns.py
	$(SCALE)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps build/*.whl
	tests/scale/run.sh $(SCALE)/bin/python

$(SCALE)/.installed: tests/scale/requirements.txt
	test -x $(SCALE)/bin/python || python3 -m venv $(SCALE)
	$(SCALE)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# With SCREENSHOTS=FOLDER, pictures of the screens are kept in the folder.
test-wordpress: build/toolwire.so $(VENV)/.wordpress ## test the plugin in WordPress and Chromium
	.ci/setup-wordpress
	phpcs --standard=wordpress/phpcs.xml.dist
	wordpress/translate.sh --check
	$(MYPY) tests/wordpress/http
	tests/wordpress/run.sh build/toolwire.so $(BIN)/python $(SCREENSHOTS)

# The plugin MCP Adapter is fetched from GitHub, unless TOOLWIRE_MCP_ADAPTER names its folder.
test-wordpress-newest: ## the same in the newest WordPress, with the plugin MCP Adapter
	.ci/newest-wordpress build/newest-wordpress
	.ci/mcp-adapter build/mcp-adapter
	TOOLWIRE_WORDPRESS=$(CURDIR)/build/newest-wordpress/unpacked/usr/share/wordpress \
		TOOLWIRE_MCP_ADAPTER=$(CURDIR)/build/mcp-adapter $(MAKE) test-wordpress

# It installs what it needs from Debian, and tests the servers that SERVERS names, or all of them.
test-wordpress-servers: build/toolwire.so $(VENV)/.wordpress ## the chat behind Apache, nginx, PHP-FPM
	.ci/setup-wordpress
	MYPYPATH=tests/wordpress/http $(MYPY) tests/wordpress/servers
	tests/wordpress/servers/run.sh build/toolwire.so $(BIN)/python $(SERVERS)

# The plugin SQLite Database Integration is fetched from GitHub, unless TOOLWIRE_SQLITE names its
# folder.
test-wordpress-sqlite: build/toolwire.so $(VENV)/.wordpress ## the plugin in WordPress on SQLite
	.ci/setup-wordpress
	.ci/sqlite-plugin build/sqlite-database-integration
	tests/wordpress/run-sqlite.sh build/toolwire.so $(BIN)/python build/sqlite-database-integration

$(VENV)/.wordpress: tests/wordpress/requirements.txt $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check -r $<
	touch $@

# Without optimisation, which takes a third of the time and finds overflows of numbers.
test-gateway: export CARGO_PROFILE_DEV_DEBUG = 0
test-gateway: build ## build the gateway and the agent in Rust, and use them as clients and people do
	cargo build --locked --manifest-path examples/rust/gateway/Cargo.toml \
		--target-dir target/gateway
	TOOLWIRE_GATEWAY=target/gateway/debug/toolwire-gateway \
		$(BIN)/python -m pytest -q tests/python/test_small_gateway.py
	cargo build --locked --manifest-path examples/rust/agent/Cargo.toml \
		--target-dir target/gateway
	TOOLWIRE_AGENT=target/gateway/debug/toolwire-agent \
		$(BIN)/python -m pytest -q tests/python/test_agent_programs.py

lint: $(VENV)/.installed ## check formatting, clippy, types, licences; builds nothing
	cargo fmt --all --check
	# rustfmt holds code to 100 columns, and leaves comments alone.
	! LC_ALL=C.UTF-8 git grep -nP '^(?=.{101})\s*//' -- '*.rs'
	cargo clippy --release --locked --workspace --all-targets -- -D warnings
	# What is fuzzed now and then compiles all the time. The fuzzer is written in C++.
	if command -v c++ >/dev/null; then cargo check --quiet --release --locked \
		--manifest-path fuzz/Cargo.toml --target-dir target; \
	else echo "no C++ compiler: the fuzz targets are not checked"; fi
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --release --locked --no-deps -p toolwire
	$(BIN)/ruff check --config py-binding/pyproject.toml $(PYTHON_FOLDERS)
	$(BIN)/ruff check $(WORDPRESS_RUFF)
	$(BIN)/ruff check bench fuzz && $(BIN)/ruff format --check bench fuzz
	$(BIN)/ruff format --config py-binding/pyproject.toml --check $(PYTHON_FOLDERS)
	$(BIN)/ruff format --check $(WORDPRESS_RUFF)
	$(MYPY) examples/python tests/python tests/mcp_peer
	# It has the name of one of examples/python.
	$(MYPY) examples/compare/agent.py
	MYPYPATH=tests/python $(MYPY) tests/stores
	$(MYPY) packaging/test_dist
	$(MYPY) tests/scale
	$(MYPY) tests/constrain
	for file in $$(git ls-files '*.php'); do php -l "$$file" >/dev/null; done
	php wordpress/plugin-check.php wordpress/toolwire
	# The tables of the library in plain PHP are those of core.
	php php/tables.php --check
	# The sniffs that Plugin Check runs, where the WordPress coding standards are installed.
	if phpcs -i 2>/dev/null | grep -qw WordPress; then \
		phpcs --standard=WordPress --extensions=php --runtime-set text_domain toolwire \
			--sniffs=WordPress.Security.EscapeOutput,WordPress.WP.I18n wordpress/toolwire; fi
	$(MAKE) --no-print-directory deny

# The figures count cases by dialect, and how fast and in how much memory a big log is read.
test-logs: build ## read the logs of all dialects, and print the figures
	cargo test --release --locked -p toolwire --test cases --test transcript --test logs
	$(BIN)/python -m pytest -q -k "logs or transcript" tests/python/test_cases.py \
		tests/python/test_transcript.py tests/python/test_logs.py
	$(BIN)/python -m pytest -q -s tests/python/test_page.py
	$(BIN)/python tests/python/log_figures.py

recorded: export TOOLWIRE_RECORDED = $(abspath $(FOLDER))
recorded: build ## compare with what live programs gave: make recorded FOLDER=FOLDER
	@test -d "$(FOLDER)/droid" || { \
		echo "make recorded FOLDER=FOLDER: the folder has droid/, issue-agent-cases.json" \
			"and finder-dropin-cases.json" >&2; exit 2; }
	cargo test --release --locked -p toolwire --test transcript -- --ignored
	$(BIN)/python -m pytest -q -k recorded tests/python/test_transcript.py \
		tests/python/test_issue_agent_recorded.py
	$(UNIT) -c tests/php/phpunit.xml --filter DropinTest::testRecordedCases

models: build ## compare chat templates with the table of models: FILE=FOLDER
	$(BIN)/toolwire models --explained tests/models/explained.json --templates $(FILE)

# With CASES, the peers read them too, and docs/conformance.md is written.
conformance: build $(if $(CASES),$(PEERS)/conformance) ## count right cases: make conformance CASES="FILE..."
	cargo build --release --locked -p toolwire --example conformance
	$(BIN)/python tests/conformance/run.py --rust target/release/examples/conformance \
		--php "$(EXTENDED)" \
		$(if $(CASES),--peers $(PEERS)/conformance --scoreboard docs/conformance.md) $(CASES)

# make bench ROWS="HTML prose|n = 10,000" measures some rows, and writes no results.
bench: build $(BENCHES) $(INSTRUCTIONS) ## measure against peers: a table, and bench/results
	$(BIN)/python bench/run.py $(if $(ROWS),--rows "$(ROWS)")

# The loop in C that is the limit of the finder's rows.
build/toolwire_bench.so: bench/limit/find.c | build/.tools
	$(CC) -O3 -shared -fPIC $$(php-config --includes) -o $@ $<

bench-wordpress: build/toolwire.so $(VENV)/.wordpress ## time the plugin's screens with 100,000 calls
	.ci/setup-wordpress
	bench/wordpress/run.sh build/toolwire.so $(BIN)/python build/wordpress-large

# With UPDATE=1, the counts are recorded.
bench-instructions: $(INSTRUCTIONS) $(VENV)/.installed ## fail when work takes more instructions
	$(BIN)/python bench/check_instructions.py build/bench $(INSTRUCTIONS) \
		$(if $(UPDATE),--update)

# The profile and the folder are those of the build, so that the crates are compiled already.
$(INSTRUCTIONS): $(RUST_SOURCES) core/examples/instructions.rs | build/.tools
	cargo build --release --locked -p toolwire --example instructions
	touch $@

$(BENCH)/toolwire-bench: $(RUST_SOURCES) $(BENCH_SOURCES)
	cargo build --release --locked --manifest-path bench/rust/Cargo.toml \
		--target-dir target/bench
	touch $@

# The peers bring 400 crates of other people, so only two targets build them.
$(PEERS)/toolwire-bench-peers $(PEERS)/conformance &: $(RUST_SOURCES) $(BENCH_SOURCES) $(PEER_SOURCES)
	cargo build --release --locked --manifest-path bench/peers/Cargo.toml \
		--target-dir target/bench-peers
	touch $(PEERS)/toolwire-bench-peers $(PEERS)/conformance

# make fuzz SECONDS=60 TARGETS="comment detect message provider repair reply"
fuzz: ## feed the parsers hostile input
	$(BIN)/python fuzz/corpus.py
	RUSTFLAGS="$(FUZZ_FLAGS)" cargo build --release --locked --manifest-path fuzz/Cargo.toml \
		--target $(HOST) --target-dir target/fuzz
	mkdir -p fuzz/artifacts
	for target in $(TARGETS); do \
		target/fuzz/$(HOST)/release/$$target -max_total_time=$(SECONDS) -timeout=25 \
			-rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=fuzz/artifacts/$$target- fuzz/corpus/$$target; \
	done

format: ## format the Rust and Python code
	cargo fmt --all
	$(BIN)/ruff format --config py-binding/pyproject.toml $(PYTHON_FOLDERS)
	$(BIN)/ruff format $(WORDPRESS_RUFF)
	$(BIN)/ruff format bench fuzz

clean: ## remove everything that was built
	rm -rf build dist target $(VENV)
