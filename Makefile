# fabriclab: `make help` lists the targets.

FIG   ?= fncc/fig10
SCALE ?= quick

BIN := bin/fabriclab

# What a result says it was made by.
COMMIT = $(shell git rev-parse --short=12 HEAD 2>/dev/null && { git diff --quiet HEAD 2>/dev/null || echo with changes; })
RELEASE = $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null)

# A distribution's Go may fetch the version that go.mod names.
export GOTOOLCHAIN ?= auto
# A first build takes a sixth less without what only debuggers read, and only the program itself waits for a C compiler
# without C in the standard library. The same for all, as they share a cache.
export GOFLAGS := $(GOFLAGS) -gcflags=all=-dwarf=false -tags=netgo,osusergo

.DEFAULT_GOAL := help
.PHONY: help deps go packages ready ahead build pgo figure figures controls parity test test-go test-fuzz test-cpp test-one test-asan test-threads abuse arm64 lint warnings regress portability bench docs docker-figure clean FORCE

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 12

deps: go packages ## install what is missing (packages of Debian and Ubuntu; root or sudo)

go:
	@ci/deps.sh go
	@ci/check-go.sh

packages:
	@ci/deps.sh

# After the packages, which bring the C compiler: with it the program says so where `ulimit -v` is too small for Go.
# Packages leave most of two cores idle, so a first build compiles the rest of Go's part beside them.
ready: go
	@$(MAKE) -s -j2 packages $(if $(wildcard $(BIN)),,ahead)
	@$(MAKE) -s $(BIN)

ahead: export CGO_ENABLED = 0
ahead:
	@go build $$(go list -f '{{join .Imports " "}}' ./harness/cmd/fabriclab) || true

$(BIN): FORCE
	@go build -buildvcs=false -ldflags "-X 'main.commit=$(COMMIT)' -X 'main.release=$(RELEASE)'" -o $@ ./harness/cmd/fabriclab

build: ready ## build the command line tool, the mechanisms and the ns-3 runner
	@$(BIN) build

# The runs of the slow build are no results.
PGO_ENGINES ?= ns3,omnetpp
pgo: build ## build the runners again by a profile of runs, a few per cent faster (GCC; minutes; PGO_ENGINES=ns3 without OMNeT++)
	@cmake -S . -B build/release -DFABRIC_PROFILE=record >/dev/null && $(BIN) build
	@$(BIN) run bench/fat-tree bench/tcp-leaf-spine bench/dart-fat-tree --engine $(PGO_ENGINES) --again --jobs 1 --threads 1 --out build/profile
	@cmake -S . -B build/release -DFABRIC_PROFILE=use >/dev/null && $(BIN) build

figure: ready ## run a figure and check its claims: make figure FIG=fncc/fig10 [SCALE=quick|paper]
	@$(BIN) figure $(FIG) --scale $(SCALE)

figures: ready ## run every figure, end with results/report.html: make figures [SCALE=quick|paper]
	@status=0; $(BIN) figure --all --scale $(SCALE) || status=$$?; $(BIN) report && exit $$status

test: deps test-cpp test-asan test-go test-fuzz ## all tests: Go with -race, C++ in release and with sanitizers, end to end on ns-3, fuzz targets for seconds

test-cpp: ready
	@$(BIN) build
	@cmake --build build/release
	@ctest --test-dir build/release --verbose -j $(shell nproc)

test-one: ready ## the C++ tests whose names match, such as T='Pfc*' or T='Hpcc.*Window*'; builds only their programs
	@ci/test-one.sh '$(T)'

test-asan: ready
	@$(BIN) build asan
	@cmake --build build/asan
	@ctest --test-dir build/asan --verbose -j $(shell nproc)

test-go: deps
	@go vet ./...
	@go test -race -timeout 40m ./...

test-threads: deps ## ThreadSanitizer over runs on three threads (minutes, not in CI)
	@FABRICLAB_TEST_THREADS=1 go test ./harness/e2e -count 1 -timeout 60m -v -run TestThreadsDoNotRace

test-fuzz: deps
	@ci/fuzz.sh 3s

# A target's time is FUZZ, such as FUZZ=5m.
FUZZ ?= 20s
abuse: deps ## attack on purpose: kills, damage, full disks, lost nodes, fuzzing (eight minutes on two idle cores, not in CI; FUZZ=20s for each target)
	@FABRICLAB_TEST_ABUSE=1 go test ./harness/e2e -count 1 -timeout 90m -v -run 'TestKilledSweepGoesOn|TestDamageAsAfterAPowerFailure|TestDamagedResultsAreNoticed|TestKilledAtASystemCall|TestFullDisks|TestSlurmLosesNodes'
	@ci/fuzz.sh $(FUZZ)

arm64: deps ## compile the plain engine and the harness for ARM64, run them with qemu and compare the bytes with this machine's
	@FABRICLAB_TEST_ARM64=1 go test ./harness/e2e -count 1 -timeout 60m -v -run TestARM64

lint: deps ## check format and style of Go and C++
	@ci/deps.sh clang-format
	@ci/lint.sh

warnings: deps ## parse all C++ with each g++ from 12 and clang from 16 on that is here: any warning fails
	@ci/warnings.sh

regress: ready ## run the experiments that have a baseline and compare with it: any change fails
	@mkdir -p results
	@$(BIN) compare ci/baselines --thresholds ci/regression.yaml -o results/regression.md -o results/regression.xml

controls: ready ## judge the claims of the quick figures with their controls, for which they have to fail
	@$(BIN) figure fncc/fig1 fncc/fig3 fncc/fig10 fncc/fig13 fncc/fig13e --scale quick >/dev/null
	@$(BIN) figure fncc/fig1 fncc/fig3 fncc/fig10 fncc/fig13 fncc/fig13e --scale quick --controls

parity: ready ## renew the parity digests of which tables have moved; needs two engines
	@$(BIN) build
	@$(BIN) parity --all --update

portability: ## README's commands on bare Debian and Ubuntu, in chroots, tables compared (root; SYSTEMS='debian-12 debian-13 …')
	@ci/portability.sh $(SYSTEMS)

bench: ready ## measure the speed of simulation and harness; renews the table in docs/performance.md
	@$(BIN) bench --scale full --page docs/performance.md

docs: deps ## renew the generated tables of README and docs/, and the tests' catalog
	@go test ./harness/build -run 'TestDocsSayWhatTheMechanismsSay|TestCatalogOfTheTestsIsUpToDate' -args -update
	@go test ./harness/lab/lists -run TestPagesListWhatThereIs -args -update
	@go test ./harness/lab/papers -run TestPagesEqualRecords -args -update

docker-figure: ## run a figure in a container, on Ubuntu's ns-3: make docker-figure FIG=fncc/fig10
	docker build -t fabriclab .
	docker run --rm -v "$(CURDIR)/results:/fabriclab/results" fabriclab figure FIG=$(FIG) SCALE=$(SCALE)

clean: ## remove what was built; results stay
	@rm -rf build bin
