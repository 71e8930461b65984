# Orth. `make` alone prints what there is.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Tools are built once into this folder, with the version below.
TOOLS := $(HOME)/.cache/orth/bin
LINT_VERSION := 2.15.0
LINT := $(TOOLS)/golangci-lint
SUM_VERSION := 1.13.0
SUM := $(TOOLS)/gotestsum
# Tests of real processes judge by a clock how soon these go on: they have a second try of their
# own when a machine stood still, and are named then. Storms, which count lost and doubled, have one.
AGAIN := $(SUM) --format standard-quiet --rerun-fails=1 --rerun-fails-max-failures=2 --rerun-fails-run-root-test
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help
help: ## print this
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/' | expand -t 12

.PHONY: run
run: ## server, executor and samples on SQLite, on this machine
	go run ./cmd/orth dev

.PHONY: build
build: ## static binaries of this machine's platform, in bin/
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/...

.PHONY: cross
cross: ## compile for linux, darwin and windows on amd64 and arm64
	@for platform in $(PLATFORMS); do \
		echo "go build $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -o /dev/null ./...; \
	done

.PHONY: test
test: ## the tests
	go test ./...

.PHONY: failpoints
failpoints: ## the tests that kill a process at a named point
	go test -tags failpoints ./internal/failpoint ./internal/runner
	go test -tags failpoints -run 'TestKillAtEveryStep|TestPoison' ./internal/e2e

.PHONY: torture
torture: ## a long storm of kills, full disks, power cuts and flipped bits
	ORTH_REQUIRE_TOOLS=1 go test -tags torture -count 1 -run 'TestStorm|TestDiskFull' -v ./internal/e2e
	go test -tags torture -count 1 ./internal/queue/...

.PHONY: storm
storm: ## real processes for minutes: crashes, lost answers and contradicting outcomes, judged by three lists
	go test -count 1 -run 'TestCrashStorm|TestLostAnswers|TestContradictions' -v ./internal/e2e -args -long

.PHONY: race
race: ## the tests under the race detector; of those that start programs, which know nothing of it, the ones that work themselves
	go test -race -timeout 20m $$(go list ./... | grep -v '/internal/e2e$$')
	go test -race -timeout 10m -run 'TestSolana|TestExecutionsAreRuns' ./internal/e2e

.PHONY: bench
bench: ## the benchmarks: the parts, the whole path beside what the machine can do, schedules beside other libraries
	go test -run '^$$' -bench . -benchtime 1s ./schedule ./internal/queue/bolt ./internal/queue/wal ./internal/marks ./internal/runlog \
		./internal/logbook ./internal/mask ./internal/alarm ./internal/wire/native \
		./internal/wire/xxl ./internal/dispatcher ./internal/store/sqlite ./executor ./solana/observe ./solana/service
	go run ./internal/bench
	cd compare && go run .

.PHONY: handlers
handlers: ## what runs scripts, with every interpreter: an absent one is a failure (scripts/tools installs them)
	ORTH_REQUIRE_TOOLS=1 go test -count 1 ./handler/...

.PHONY: databases
databases: sum-tool ## what asks PostgreSQL and MariaDB, with real ones: an absent one is a failure (scripts/services starts them)
	services="$$(scripts/services)" && export $$services ORTH_REQUIRE_TOOLS=1 && \
		$(AGAIN) --packages ./internal/store/postgres -- -count 1 -args -rapid.checks=10 && \
		$(AGAIN) --packages './internal/store/mysql ./internal/store/storetest' -- -count 1 -timeout 20m -args -rapid.checks=10 && \
		go test -count 1 ./internal/legacy/... && \
		go test -count 1 -timeout 15m -run 'Test(ClusterStorm|MariaDBStorm|MigrationKilled|RestoreDatabase|ImportHistory)$$' ./internal/e2e && \
		$(AGAIN) --packages ./internal/e2e -- -count 1 -timeout 20m -run 'Test(MariaDB(Away|Crowded|ReadOnly|Claims|Backfill)|ClaimsAreRenewed|(Backfill|Workflow|Broadcast)Moves|RollingRestart|DrainServer|DatabaseAway|Promotion|ReadOnlySwitch)$$' && \
		$(AGAIN) --packages ./internal/cli -- -count 1 -run 'TestImportDatabase|TestDatabaseDoctor'

.PHONY: outages
outages: ## three servers on PostgreSQL in a storm of kills, and a database that is away for 5 minutes
	ORTH_REQUIRE_TOOLS=1 go test -count 1 -timeout 40m -run 'Test(ClusterStorm|DatabaseAway)$$' -v ./internal/e2e -args -long

.PHONY: compare
compare: ## the comparison with other cron libraries asks each of them in the right way
	cd compare && go test ./...

.PHONY: interop
interop: sum-tool ## server and executor against real XXL-JOB software in Java, Go, Python and Node.js; fails when docs/compatibility.md is wrong
	cd interop && $(AGAIN) --packages ./... -- -count 1 -timeout 15m
	cd interop/oidc && $(AGAIN) --packages ./... -- -count 1 -timeout 5m

.PHONY: solana-program
solana-program: ## compile and link the programs that the Solana tests run, with clang-19
	ORTH_REQUIRE_TOOLS=1 go test -count 1 -run TestPrograms ./solana/sbf -update

solana/testdata/svm/node_modules/.package-lock.json: solana/testdata/svm/package-lock.json
	cd solana/testdata/svm && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

.PHONY: solana
solana: solana/testdata/svm/node_modules/.package-lock.json sum-tool ## the Solana executor against a real virtual machine (needs Node.js 20 and clang-19)
	ORTH_REQUIRE_TOOLS=1 go test -count 1 ./solana/...
	ORTH_REQUIRE_TOOLS=1 $(AGAIN) --packages ./internal/e2e -- -count 1 -run TestSolana

.PHONY: solana-demo
solana-demo: solana/testdata/svm/node_modules/.package-lock.json ## a Solana chain on this machine, threads of every kind, and a node that executes them (needs Node.js 20)
	go run ./solana/demo $(DEMO)

# npm ci is run again only when the lock file has changed.
console/app/node_modules/.package-lock.json: console/app/package-lock.json
	cd console/app && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

.PHONY: console
console: console/app/node_modules/.package-lock.json ## build the web console into console/dist.zip (needs Node.js 20.19 or newer)
	cd console/app && npm run --silent build

.PHONY: console-types
console-types: console/app/node_modules/.package-lock.json ## make the console's types from the OpenAPI document
	cd console/app && npm run --silent types

.PHONY: console-check
console-check: console/app/node_modules/.package-lock.json ## the console: types, style, unit tests, and dist.zip is what the sources build
	cd console/app && npm run --silent types -- --check && npm run --silent check && npm run --silent test && npm run --silent build:check

.PHONY: e2e
e2e: console/app/node_modules/.package-lock.json ## the console in a real browser (Debian's Chromium) against the real server, and MariaDB for the import
	services="$$(scripts/services mariadb)" && export $$services && cd console/app && CI=1 npm run --silent e2e

.PHONY: console-tour
console-tour: console/app/node_modules/.package-lock.json ## take the pictures of docs/console.md
	cd console/app && ORTH_TOUR=1 CI=1 npx playwright test e2e/tour.spec.ts

RUNS ?= 10000000
.PHONY: console-bench
console-bench: console/app/node_modules/.package-lock.json ## how the console feels over RUNS runs of 5,000 jobs, in Chromium (needs 2 GB for 10 million)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		go test -run '^$$' -bench BenchmarkLists/newest -benchtime 1x ./internal/store/sqlite -listed $(RUNS) -kept "$$folder" && \
		cd console/app && ORTH_BENCH_DATA="$$folder" npm run --silent bench

.PHONY: compatibility
compatibility: ## write docs/compatibility.md: what executors of other makes can do
	cd interop && ORTH_REQUIRE_TOOLS=1 go test -count 1 -timeout 15m -run 'TestPeers' . -update

.PHONY: lint
lint: lint-tool ## the linters
	$(LINT) run ./...

# The version is asked of the binary itself, so a cache of any age serves.
.PHONY: lint-tool
lint-tool:
	@[ "$$($(LINT) version --short 2>/dev/null)" = "$(LINT_VERSION)" ] || { \
		echo "building golangci-lint $(LINT_VERSION) into $(TOOLS), once: some minutes"; \
		GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION); \
	}

.PHONY: sum-tool
sum-tool:
	@[ "$$($(SUM) --version 2>/dev/null)" = "gotestsum version v$(SUM_VERSION)" ] || \
		GOBIN=$(TOOLS) go install gotest.tools/gotestsum@v$(SUM_VERSION)

.PHONY: verify
verify: ## nothing unformatted, no suspicious code, go.mod and go.sum up to date
	@unformatted="$$(gofmt -l .)"; \
		[ -z "$$unformatted" ] || { echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go mod tidy -diff
	go mod verify
