# Everything that is run on this repository. `make` lists it.
#
#   TORCH=2.15.0   another version of libtorch than the reference
#   PKG=./nn/...   other packages than all, for test, race and cover
#   ARGS='-v'      further arguments for go test, the demo or the benchmarks
#   GOTEST=...     the command to use instead of go test: scripts/timed_test.sh

TORCH ?= 2.11.0
PKG ?= ./...
ARGS ?=
GOTEST ?= go test

SHELL := /bin/bash
unexport CDPATH # or cd may go elsewhere
INSTALL := scripts/install_libtorch.sh
# Both, since the generated operators cover the union of the two.
VERSIONS := 2.11.0 2.15.0

# Recipes that build start with this: it sets PKG_CONFIG_PATH and its kin.
ENV := eval "$$($(INSTALL) --version $(TORCH) --print-env)" &&
TOOLS := build/tools
# Modules of their own, so that what they need stays out of the library's go.mod.
MODULES := examples internal/cmd/genaten memory/plot notebooks tools torch/data/arrow torch/data/codecs torch/gonum vet vision
GOFILES = $$(find . -name '*.go' -not -path './build/*' -not -path '*/testdata/*' -exec grep -L '^// Code generated' {} +)
# One command in the library and one in each of the other modules, these when all
# packages are meant. A failure does not keep the rest from running.
all = $(ENV) { rc=0; $(1) $(PKG) || rc=1; \
	$(foreach m,$(if $(filter ./...,$(PKG)),$(MODULES)),(cd $(m) && $(2) ./...) || { echo "make: $@ failed in $(m)"; rc=1; };) \
	[ $$rc = 0 ]; }
GENATEN := go -C internal/cmd/genaten run . -root ../../..

.DEFAULT_GOAL := help
.PHONY: help nightly libtorch libtorch-all build test race asan vet lint fmt generate \
	check-generate torchvet bench twins soak claims pictures demo demo-short demo-distributed check-release check-api cover first-hour test-container test-install test-distributed test-arm64 build-darwin test-alloc test-team libtorch-cuda test-cudasim test-gpu test-matrix test-debug fuzz fuzz-ops conformance \
	notebooks jupyter kernel test-jupyter site test-site clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  Variables: TORCH=$(TORCH) PKG=$(PKG) ARGS=$(ARGS)"

libtorch: ## find or install libtorch
	@$(INSTALL) --version $(TORCH)

libtorch-all:
	@for v in $(VERSIONS); do $(INSTALL) --version $$v || exit 1; done

libtorch-cuda: ## install libtorch with CUDA (3.7 GB); ARGS=--force replaces one without
	@$(INSTALL) --version $(TORCH) --cuda $(ARGS)

build: libtorch ## compile every package
	$(call all,go build,go build -o /dev/null)

# The modules below the root read files of the whole tree, which Go's test cache does
# not follow out of a module: -count=1 keeps it from answering. A test that hangs ends
# after half an hour, which a slow machine does not need. What vet finds is in make lint.
test: libtorch ## run the tests; GOTORCH_TEST_THOROUGH=1 has them do all, some minutes more
	$(call all,$(GOTEST) -vet=off -timeout 30m $(ARGS),$(GOTEST) -vet=off -timeout 30m -count=1 $(ARGS))

race: libtorch ## run the tests under Go's race detector
	$(call all,go test -race -vet=off -timeout 1h $(ARGS),go test -race -vet=off -timeout 1h -count=1 $(ARGS))

# Left out: tests of very many operators, of what the collector leaves alone, and of
# messages without a place.
test-debug: libtorch ## tests of who owns a tensor, with a collection before each operator
	$(ENV) go test -tags gotorchdebug -vet=off -short -count=1 \
		-run 'Scope|Owner|Close|Keep|Disown|Tidy|Hook|Handle|Crossing|Debug|Names' \
		-skip '^Example|Million|ManyGoroutines|BelongTo|GivesItsPlace|GeneratedMethods|OutsideScope|UseAfterScope|CloseTwice' $(ARGS) ./torch

test-matrix: libtorch ## the tests as on other machines; ARGS='default onecpu' picks some
	$(ENV) TORCH=$(TORCH) scripts/test_matrix.sh $(ARGS)

nightly: ## run what is too long for each commit, going on where it was interrupted; ARGS='fuzz asan' picks some
	@scripts/nightly.sh $(ARGS)

# Builds for the other machine and needs this one's libtorch for nothing.
test-arm64: ## the tests for linux/arm64, emulated; ARGS=--smoke picks those where the machine matters
	TORCH=$(TORCH) scripts/test_arm64.sh $(ARGS) $(if $(filter --smoke,$(ARGS)),,$(PKG))

build-darwin: ## build everything for macOS on Apple silicon, on Linux, and link the examples
	TORCH=$(TORCH) MODULES="$(MODULES)" nice scripts/build_darwin.sh $(ARGS)

asan: libtorch ## run the shim's tests under AddressSanitizer
	$(ENV) scripts/asan.sh $(ARGS)

test-alloc: ## stress the CPU allocator, plain and under two sanitizers
	scripts/test_alloc.sh $(ARGS)

test-team: ## stress the team of threads beside libgomp, plain and under two sanitizers
	scripts/test_team.sh $(ARGS)

test-distributed: libtorch ## the tests with several processes, under torchrun and with Python's too
	$(ENV) go test -count=1 $(ARGS) ./torch/distributed/... ./nn/parallel/...

test-cudasim: libtorch-cuda ## the CUDA tests on a simulated driver
	$(ENV) scripts/test_cudasim.sh

test-gpu: libtorch ## the CUDA tests on the machine's GPU; build/gpu/*.test run elsewhere too
	$(ENV) scripts/test_gpu.sh

vet: libtorch ## go vet
	$(call all,go vet,go vet)

lint: libtorch $(TOOLS)/golangci-lint ## golangci-lint and gofumpt
	@bad=$$($(TOOLS)/gofumpt -l $(GOFILES)); \
		[ -z "$$bad" ] || { echo "not formatted; run make fmt:"; echo "$$bad"; }; \
		$(call all,"$(CURDIR)/$(TOOLS)/golangci-lint" run,"$(CURDIR)/$(TOOLS)/golangci-lint" run) && [ -z "$$bad" ]

fmt: $(TOOLS)/golangci-lint ## format the Go files
	$(TOOLS)/gofumpt -w $(GOFILES)

# One build of each tool, without cgo so that no libtorch setting touches it.
$(TOOLS)/golangci-lint: tools/go.mod tools/go.sum
	CGO_ENABLED=0 go -C tools build -o ../$(TOOLS)/ tool
	@touch $(TOOLS)/golangci-lint

torchvet: libtorch ## look for leaks and misuse of tensors, docs/vet.md
	CGO_ENABLED=0 go -C vet build -o ../build/tools/ ./cmd/torchvet
	$(call all,go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS),go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS))

generate: libtorch-all ## write the operator packages and the markers of options anew
	go run ./internal/cmd/genoptions
	$(GENATEN) $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))

check-generate: libtorch-all ## fail if they are not what the generators write
	go run ./internal/cmd/genoptions -check
	$(GENATEN) -check $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))

bench: libtorch ## measure beside C++ and Python; writes build/bench.json
	$(ENV) go run ./bench/cmd/bench $(ARGS)

twins: libtorch ## run the examples beside their reference.py, and compare
	$(ENV) go run ./bench/cmd/twins $(ARGS)

soak: libtorch ## run mixed work for half an hour and look for growth; writes build/soak.json
	$(ENV) go run ./bench/cmd/soak $(ARGS)

claims: libtorch ## measure the rules of thumb; writes build/claims.json
	$(ENV) go run ./bench/cmd/claims $(ARGS)

fuzz: libtorch ## fuzz what reads files, FUZZTIME=60s each; ARGS=torch/numpy picks some
	$(ENV) MODULES="$(MODULES)" scripts/fuzz.sh '$(ARGS)'

fuzz-ops: libtorch ## call every operator with hostile arguments; writes build/fuzzops.json
	@mkdir -p build
	$(ENV) go build -o build/fuzzops ./internal/cmd/fuzzops && build/fuzzops $(ARGS)

# Those of examples/ are drawn by the commands of their README.md.
pictures: libtorch ## draw the pictures of docs/img anew; those of pages need Chromium
	$(ENV) go run ./internal/cmd/drawings docs/img && \
		go -C examples test -count=1 -v -run Pictures ./internal/documentation -pictures "$(CURDIR)/docs/img"

demo: libtorch ## train a CNN on Fashion-MNIST for an epoch
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) go -C examples build -o ../build/fashionmnist ./fashionmnist && \
		build/fashionmnist -data "$$data" $(ARGS)

demo-short: ## the same, 100 steps
	@$(MAKE) --no-print-directory demo ARGS="-steps 100 $(ARGS)"

demo-distributed: libtorch ## the same on two processes, under torchrun if it is there
	$(ENV) scripts/demo_distributed.sh $(ARGS)

check-release: libtorch ## try a release: tag all modules in a clone, and use each one from elsewhere
	scripts/test_release.sh
	TORCH=$(TORCH) scripts/release.sh --check

check-api: ## show the API's changes since the last release; fail if the changelog lacks one that breaks programs
	CGO_ENABLED=0 go -C tools run ./apicheck "$(CURDIR)"

cover: libtorch ## tests with coverage, build/cover.html
	@mkdir -p build
	$(ENV) go test -coverprofile=build/cover.out $(ARGS) $(PKG)
	go tool cover -html=build/cover.out -o build/cover.html
	@go tool cover -func=build/cover.out | tail -1

first-hour: ## run the README's and the examples' commands on a bare Debian; writes docs/first-hour.md
	scripts/first_hour.sh $(ARGS)

test-container: ## make the images of the Dockerfile without Docker, as root, and work in them; ARGS=--check reads the files only
	scripts/test_container.sh $(ARGS)

test-install: ## test the install scripts
	scripts/test_install.sh

# Records first what PyTorch does, with build/venv's Python or GOTORCH_PYTHON, then
# does the same in Go. The figures are in build/conformance.json.
# MKL sums in one order in both processes, wherever their memory lies, if it is told to.
conformance: export MKL_CBWR := AUTO
conformance: libtorch ## PyTorch's own test databases; ARGS='modules Conv2d' runs some
	@py=$${GOTORCH_PYTHON:-$$(TORCH=$(TORCH) bench/setup_python.sh)} && rm -rf build/conformance && mkdir -p build && \
		$$py internal/conformance/record build/conformance $(ARGS) >build/conformance.log && $(ENV) set -o pipefail && \
		GOTORCH_CONFORMANCE="$(CURDIR)/build/conformance" GOTORCH_CONFORMANCE_REPORT="$(CURDIR)/build/conformance.json" \
		go test -count=1 -v ./internal/conformance | grep -vE '^ *(=== |--- (PASS|SKIP))|^ *suite_test.go:[0-9]+: (lazy|no builder)'

# Of Jupyter only what executes notebooks; JupyterLab is for people.
NOTEBOOKS := build/notebooks
$(NOTEBOOKS)/venv: notebooks/requirements.txt
	python3 -I -m venv $@ && $@/bin/pip install --quiet -r $< && touch $@

notebooks: libtorch $(NOTEBOOKS)/venv ## execute the notebooks and compare their outputs; ARGS=--write renews these
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) notebooks/build.sh && FASHION_MNIST="$$data" $(NOTEBOOKS)/venv/bin/python notebooks/run.py $(ARGS)

jupyter: libtorch $(NOTEBOOKS)/venv ## open the notebooks in JupyterLab
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) notebooks/build.sh && $(NOTEBOOKS)/venv/bin/pip install --quiet -r notebooks/requirements-lab.txt && \
		FASHION_MNIST="$$data" JUPYTER_PATH="$(CURDIR)/$(NOTEBOOKS)/jupyter" $(NOTEBOOKS)/venv/bin/jupyter lab --notebook-dir=notebooks $(ARGS)

kernel: libtorch ## install the notebooks' kernel for your own Jupyter
	$(ENV) notebooks/build.sh --install

DOCSITE := build/docsite
$(DOCSITE)/installed: docs/site/requirements.txt
	python3 -I -m venv $(DOCSITE)/venv && $(DOCSITE)/venv/bin/pip install --quiet -r $< && touch $@

site: $(DOCSITE)/installed ## build the documentation's site, build/site
	@rm -rf build/site && $(DOCSITE)/venv/bin/sphinx-build -q -E -W --keep-going -c docs/site -d $(DOCSITE)/doctrees . build/site && \
		echo "$(CURDIR)/build/site/index.html"

test-site: site ## look at the site in a browser
	GOTORCH_SITE="$(CURDIR)/build/site" go test -count=1 $(ARGS) ./internal/docs/site

test-jupyter: libtorch $(NOTEBOOKS)/venv ## try the targets jupyter and kernel; ARGS=--lab for the first, which downloads JupyterLab
	@$(ENV) $(NOTEBOOKS)/venv/bin/python notebooks/try_jupyter.py $(ARGS)

clean: ## remove build/; libtorch and Go's caches stay
	rm -rf build
