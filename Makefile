# Needs Go, and Node.js with npm for conformance and interop. "make ci" is what has to pass.
.DEFAULT_GOAL := help
SHELL := bash

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: test
test: ## Run all tests of the main module and of examples/crud with the race detector
	go test -race ./...
	go test -C examples/crud -race ./...

.PHONY: lint
lint: ## Run golangci-lint on every module, and gofmt
	.ci/lint

.PHONY: fuzz
fuzz: ## Run each fuzz target, FUZZTIME=30s each
	.ci/fuzz $(or $(FUZZTIME),30s)

.PHONY: mutate
mutate: ## Make small mistakes in pure packages and see whether their tests notice; PKG="internal/json/codec" names some, LIMIT=600 seconds
	.ci/mutate $(PKG)

.PHONY: takeout
takeout: ## Take each line of docs/testdata/takeouts.txt out and see its test fail; ROW=M07 for one row
	go test ./docs -count=1 -run 'TestWithoutWhatIsTakenOut.*/^$(ROW)' -takeout -timeout 1h -parallel 2

.PHONY: road
road: ## Measure which functions one call runs, against the limits; ARGS=-v lists them
	go run ./docs/road $(ARGS)

.PHONY: soak
soak: ## Abuse a server for five minutes beside an honest client, then stop it 12 times under load; Linux only
	go run ./docs/soak $(ARGS)
	go run ./docs/soak -login both -time 20s
	go run ./docs/soak -stops 12

.PHONY: arrows
arrows: ## Draw the pictures of docs/architecture.md from the imports
	go test ./framework -count=1 -run TestPicturesShowTheImports -update

.PHONY: bench
bench: ## Measure against the budgets and against peers; print the tables
	cd peers/bench && go run .

.PHONY: conformance
conformance: ## Run the official conformance suite against examples/everything and the authorization server
	peers/conformance/run.sh
	peers/conformance/authorization.sh

.PHONY: interop
interop: ## Run other people's MCP clients against the reference app
	peers/interop/node/install.sh
	peers/interop/clients/install.sh
	cd peers/interop && BOWLINE_CI=1 go test -count=1 ./...

.PHONY: ci
ci: ## Run everything that has to pass before a merge
	.ci/run

.PHONY: nightly
nightly: ## Run that with all repetitions, every fuzz target, every takeout and mutants; takes hours
	.ci/run nightly
