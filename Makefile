# Orth. `make` alone prints what there is. A target installs the programs that it needs, with
# scripts/tools; where a program is absent all the same, the target fails.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Tools are built once into this folder, with the version below.
TOOLS := $(HOME)/.cache/orth/bin
LINT_VERSION := 2.15.0
LINT := $(TOOLS)/golangci-lint
# go.work joins the modules of this repository; ./... alone are the packages of the main one. What
# compares with software of others, and the trial, have targets of their own.
PACKAGES := ./... ./bench/... ./solana/...
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# Packages that compiled C code has become are not instrumented for races: they are not ours,
# and they cost more than everything else together.
RACE := -race -gcflags='modernc.org/...=-race=false'

.PHONY: help
help: ## print this
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/' | expand -t 16

.PHONY: run
run: ## server, executor and samples on SQLite, on this machine
	go run ./cmd/orth dev

.PHONY: build
build: ## static binaries of this machine's platform, in bin/, each with the versions of its own module
	CGO_ENABLED=0 GOWORK=off go build -trimpath -o bin/ ./cmd/...
	cd solana && CGO_ENABLED=0 GOWORK=off go build -trimpath -o ../bin/ ./cmd/...

# The three lanes.

.PHONY: quick
quick: ## vet, lint of what has changed, the short tests: in minutes
	.ci/quick

.PHONY: gate
gate: ## everything that must hold before a change is merged; CI runs it
	.ci/run

.PHONY: nightly
nightly: ## long storms, torture, outages, all peers, all platforms, fuzzing: takes hours
	.ci/nightly

# Go code.

.PHONY: test
test: ## the tests; TEST='-count 1' adds flags
	go test $(TEST) $(PACKAGES)

.PHONY: test-short
test-short: ## the tests without real processes, and with fewer seeds and rounds
	go test -short -vet=off $(PACKAGES)

# Vet has run with the linters. Packages without goroutines of their own, and those whose
# tests drive programs that are built without the detector, run plainly: it would watch only
# the tests. Their results are not taken from the cache, which does not see those programs.
PLAIN = . ./console ./internal/cli/... ./internal/e2e ./solana/cli ./solana/e2e
.PHONY: test-race
test-race: solana-tools ## the tests, under the race detector where goroutines are, with every interpreter and a Solana chain
	scripts/tools scripts
	ORTH_REQUIRE_TOOLS=1 go test -vet=off $(RACE) -timeout 20m $$(go list $(PACKAGES) | grep -vxFf <(go list $(PLAIN)))
	ORTH_REQUIRE_TOOLS=1 go test -vet=off -count 1 -timeout 20m $(PLAIN)

.PHONY: failpoints
failpoints: ## the tests that kill a process at a named point
	go test -vet=off -count 1 -tags failpoints -run '$(FAILPOINT_TESTS)' ./internal/failpoint ./internal/runner ./internal/e2e
FAILPOINT_TESTS = Test(Hit|ParseRefuses|Crash|CrashVictim|KillAtEveryStep|Poison|ServerKilled|ExecutorKilled.*)$$

.PHONY: seeds
seeds: ## new seeds of the simulator, plain and under the race detector; SEEDS=2000 says how many
	go test -count 1 -timeout 60m -run TestSim ./internal/sim -args -first $(FIRST_SEED) -seeds $(SEEDS)
	go test $(RACE) -count 1 -timeout 60m -run TestSim ./internal/sim -args -first $(FIRST_SEED) -seeds $$(( $(SEEDS) / 20 ))
	go test -count 1 -timeout 30m -run TestSim ./internal/sim -args -long -first $(FIRST_SEED) -seeds $$(( $(SEEDS) / 50 ))
	go test -count 1 -run TestGeneratedRequests ./internal/app -args -rounds 10000
# Each day has seeds of its own.
SEEDS ?= 2000
FIRST_SEED ?= $(shell date -u +%y%m%d)0000

FUZZ_FOR ?= 10s
.PHONY: fuzz
fuzz: ## every fuzz target for a while; FUZZ_FOR=10s says how long
	scripts/fuzz $(FUZZ_FOR)

.PHONY: torture
torture: ## a long storm of kills, full disks, power cuts and flipped bits
	ORTH_REQUIRE_TOOLS=1 go test -tags torture -count 1 -timeout 30m -run 'TestStorm|TestDiskFull' -v ./internal/e2e
	go test -tags torture -count 1 -timeout 30m ./internal/queue/...

.PHONY: storm
storm: ## real processes for minutes: crashes, lost answers and contradicting outcomes, judged by three lists
	go test -count 1 -timeout 30m -run 'TestCrashStorm|TestLostAnswers|TestContradictions|TestOutcomesWait|TestToggleStorm$$' -v ./internal/e2e -args -long

.PHONY: mutants
mutants: ## one-line faults in the hot path: each is noticed by the test that names its promise
	go run ./internal/mutants

TRIAL_FOR ?= 5m
.PHONY: trial
trial: ## real processes under every fault on each database, judged by a program that shares no code with them; TRIAL_FOR=1h says how long, TRIAL='-seed 7' which faults
	scripts/tools trial
	cd trial && go vet . && go test . && CGO_ENABLED=0 go build -trimpath -o ../bin/trial .
	CGO_ENABLED=0 go build -trimpath -o bin/ ./cmd/orth
	bin/trial -orth $(CURDIR)/bin/orth -for $(TRIAL_FOR) $(TRIAL)

.PHONY: vet
vet: ## suspicious code
	go vet $(PACKAGES)

.PHONY: verify
verify: ## nothing unformatted, go.mod and go.sum of every module up to date, what the workspace needs unaltered
	@unformatted="$$(gofmt -l .)"; \
		[ -z "$$unformatted" ] || { echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; }
	@for file in $$(git ls-files go.mod '*/go.mod'); do \
		echo "go mod tidy -diff: $$file"; \
		(cd "$$(dirname "$$file")" && GOWORK=off go mod tidy -diff) || exit 1; \
	done
	go mod verify

.PHONY: lint
lint: lint-tool ## the linters, vet among them
	$(LINT) run $(PACKAGES)

.PHONY: lint-changed
lint-changed: lint-tool ## the linters, on packages that differ from the branch that this one came from; BASE=HEAD~1 names another base
	@packages="$$(scripts/changed $(BASE))"; \
		[ -z "$$packages" ] && echo "no package has changed" || { echo "$(LINT) run" $$packages; $(LINT) run $$packages; }

# The version is asked of the binary itself, so a cache of any age serves.
.PHONY: lint-tool
lint-tool:
	@[ "$$($(LINT) version --short 2>/dev/null)" = "$(LINT_VERSION)" ] || { \
		echo "building golangci-lint $(LINT_VERSION) into $(TOOLS), once: some minutes"; \
		GOBIN=$(TOOLS) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION); \
	}

.PHONY: cross
cross: ## compile for darwin and windows
	GOOS=darwin GOARCH=arm64 go build $(PACKAGES)
	GOOS=windows GOARCH=amd64 go build $(PACKAGES)

.PHONY: cross-all
cross-all: ## compile the programs and the tests for linux, darwin and windows on amd64 and arm64
	@for platform in $(PLATFORMS); do \
		echo "go vet $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go vet $(PACKAGES); \
	done

.PHONY: bench
bench: ## the benchmarks: the parts, the whole path beside what the machine can do, schedules beside other libraries
	go test -run '^$$' -bench . -benchtime 1s ./schedule ./internal/queue ./internal/marks ./internal/runlog \
		./internal/logbook/keeping ./internal/logbook/reading ./internal/redact ./internal/alerting ./internal/wire/native \
		./internal/wire/xxl ./internal/dispatcher ./internal/store/sqlite ./executor ./solana/observe ./solana/service
	go run ./bench
	cd compare && go run .

.PHONY: bench-gate
bench-gate: ## what a run costs, as a multiple of the least program with its promises, is not worse than recorded; BENCH_GATE=-update records
	go run ./bench -only table -gate $(BENCH_GATE)

.PHONY: compare
compare: ## the comparison with other cron libraries asks each of them in the right way
	cd compare && go test ./...

.PHONY: handlers
handlers: ## what runs scripts, with every interpreter
	scripts/tools scripts
	ORTH_REQUIRE_TOOLS=1 go test -count 1 ./handler/...

# Databases. Each starts the servers that its tests ask, with scripts/services.

DATABASES = services="$$(scripts/services)" && export $$services ORTH_REQUIRE_TOOLS=1

.PHONY: databases
databases: ## the store on PostgreSQL and MariaDB, imports from databases, and a short storm on clusters of three servers
	scripts/tools databases
	$(DATABASES) && \
		go test -vet=off -short -count 1 -timeout 20m $(STORES) -args -rapid.checks=10 && \
		go test -vet=off -count 1 ./internal/xxlimport/database && \
		go test -vet=off -count 1 -run 'TestImportDatabase|TestDatabaseDoctor' ./internal/app ./internal/cli && \
		go test -vet=off -count 1 -timeout 15m -run 'Test(ClusterStorm|MariaDBStorm|ToggleStormPostgres|ToggleStormMariaDB|RestoreDatabase)$$' ./internal/e2e
STORES = ./internal/store/postgres ./internal/store/mysql ./internal/store/storetest

.PHONY: databases-all
databases-all: ## beside these: lost transactions, servers that move, restart and drain, databases that go away, are full or promoted
	scripts/tools databases
	$(DATABASES) && \
		go test -count 1 -timeout 20m $(STORES) && \
		go test -count 1 -timeout 30m -run 'Test(MigrationKilled|ImportHistory|MariaDB(Away|Crowded|ReadOnly|Claims|Backfill)|ClaimsAreRenewed|(Backfill|Workflow|Broadcast)Moves|RollingRestart|DrainServer|DatabaseAway|Promotion|StandbyBehind|ReadOnlySwitch)$$' ./internal/e2e

.PHONY: outages
outages: ## three servers on PostgreSQL in a storm of kills, and a database that is away for 5 minutes
	scripts/tools databases
	$(DATABASES) && go test -count 1 -timeout 40m -run 'Test(ClusterStorm|ToggleStormPostgres|ToggleStormMariaDB|DatabaseAway)$$' -v ./internal/e2e -args -long

# Software of others.

.PHONY: interop
interop: ## server and executor against real XXL-JOB software in Java, Go, Python and Node.js, one release of each kind
	scripts/tools peers scripts
	cd interop && CI=1 go test -vet=off -short -count 1 -timeout 15m . ./s3 ./smtp
	cd interop/oidc && GOWORK=off go test -vet=off -count 1 -timeout 5m ./...

.PHONY: interop-all
interop-all: ## all releases and makes; fails when docs/compatibility.md is wrong
	scripts/tools peers scripts
	cd interop && CI=1 go test -count 1 -timeout 30m ./...
	cd interop/oidc && GOWORK=off go test -count 1 -timeout 5m ./...

.PHONY: compatibility
compatibility: ## write docs/compatibility.md: what executors of other makes can do
	scripts/tools peers scripts
	cd interop && ORTH_REQUIRE_TOOLS=1 go test -count 1 -timeout 30m -run 'TestPeers' . -update

# Solana.

.PHONY: solana-tools
solana-tools:
	scripts/tools solana
	@$(MAKE) --no-print-directory solana/testdata/svm/node_modules/.package-lock.json

solana/testdata/svm/node_modules/.package-lock.json: solana/testdata/svm/package-lock.json
	cd solana/testdata/svm && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

.PHONY: solana-program
solana-program: ## compile and link the programs that the Solana tests run, with clang-19
	scripts/tools solana
	ORTH_REQUIRE_TOOLS=1 go test -count 1 -run TestPrograms ./solana/sbf -update

.PHONY: solana
solana: solana-tools ## the Solana executor against a real virtual machine
	ORTH_REQUIRE_TOOLS=1 go test -count 1 -timeout 20m ./solana/...

.PHONY: solana-demo
solana-demo: solana-tools ## a Solana chain on this machine, threads of every kind, and a node that executes them
	go run ./solana/demo $(DEMO)

# The console.

.PHONY: console-tools
console-tools:
	scripts/tools console
	@$(MAKE) --no-print-directory console/app/node_modules/.package-lock.json

# npm ci is run again only when the lock file has changed.
console/app/node_modules/.package-lock.json: console/app/package-lock.json
	cd console/app && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

.PHONY: console
console: console-tools ## build the web console into console/dist.zip
	cd console/app && npm run --silent build

.PHONY: console-types
console-types: console-tools ## make the console's types from the OpenAPI document
	cd console/app && npm run --silent types

.PHONY: console-check
console-check: console-tools ## the console: types, style, unit tests, and dist.zip is what the sources build
	cd console/app && npm run --silent types -- --check && npm run --silent check && npm run --silent test && npm run --silent build:check

# Chromium without windows draws with half the work. The tests of the back/forward cache take
# the whole browser all the same.
BROWSER = services="$$(scripts/services mariadb)" && export $$services ORTH_CHROMIUM=/usr/bin/chromium-headless-shell && \
	cd console/app && CI=1 npm run --silent e2e --

.PHONY: browser
browser: console-tools ## the console in Debian's Chromium against the real server: what only a browser proves
	scripts/tools browser databases
	$(BROWSER) $(patsubst %,e2e/%.spec.ts,$(BROWSER_ALONE))
# Streams and caches, sessions and cookies, rights, texts that attack, focus and keys, forms,
# and the pages that everybody uses. The others show what the tests of the API prove, too.
BROWSER_ALONE = back-forward-cache shell people rights hostile form jobs runs away

.PHONY: browser-all
browser-all: console-tools ## all tests of the console in a real browser
	scripts/tools browser databases
	$(BROWSER)

.PHONY: console-tour
console-tour: console-tools ## take the pictures of docs/console.md
	scripts/tools browser
	cd console/app && ORTH_TOUR=1 CI=1 npx playwright test e2e/tour.spec.ts

RUNS ?= 10000000
.PHONY: console-bench
console-bench: console-tools ## how the console feels over RUNS runs of 5,000 jobs, in Chromium (needs 2 GB for 10 million)
	scripts/tools browser
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
		go test -run '^$$' -bench BenchmarkLists/newest -benchtime 1x ./internal/store/sqlite -listed $(RUNS) -kept "$$folder" && \
		cd console/app && ORTH_BENCH_DATA="$$folder" npm run --silent bench
