# The commands of this repository. `make` lists them.
#
#   TORCH=2.15.0   the version of libtorch, if not the reference version
#   PKG=./nn/...   the packages for test, race and cover; the default is all
#   ARGS='-v'      more arguments for go test, the demo or the benchmarks
#   GOTEST=...     a command in place of go test, such as scripts/timed_test.sh

TORCH ?= 2.11.0
PKG ?= ./...
ARGS ?=
GOTEST ?= go test

SHELL := /bin/bash
unexport CDPATH # or cd may go elsewhere
INSTALL := scripts/install_libtorch.sh
# Both versions, because the generated operators cover both.
VERSIONS := 2.11.0 2.15.0

# Recipes that build start with this. It sets PKG_CONFIG_PATH and similar variables.
ENV := eval "$$($(INSTALL) --version $(TORCH) --print-env)" &&
TOOLS := build/tools
# Separate modules, to keep their dependencies out of the library's go.mod.
MODULES := examples internal/cmd/genaten memory/otel memory/plot notebooks tools torch/data/arrow torch/data/codecs torch/gonum vet vision
GOFILES = $$(find . -name '*.go' -not -path './build/*' -not -path '*/testdata/*' -exec grep -L '^// Code generated' {} +)
# Runs one command in the library and, if PKG means all packages, another one in each of the
# other modules. After a failure the rest still runs.
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

# Tests of the modules below the root read files of the whole tree. Go's test cache does not
# track files outside a module, so -count=1 turns it off. A test that hangs ends after half an
# hour. make lint runs vet.
test: libtorch ## run the tests; GOTORCH_TEST_THOROUGH=1 runs all random cases, a few minutes more
	$(call all,$(GOTEST) -vet=off -timeout 30m $(ARGS),$(GOTEST) -vet=off -timeout 30m -count=1 $(ARGS))

race: libtorch ## run the tests under Go's race detector
	$(call all,go test -race -vet=off -timeout 1h $(ARGS),go test -race -vet=off -timeout 1h -count=1 $(ARGS))

# Left out: tests of very many operators, tests of garbage that must stay, and tests of
# messages without a line.
test-debug: libtorch ## test ownership of tensors, with a collection before each operator
	$(ENV) go test -tags gotorchdebug -vet=off -short -count=1 \
		-run 'Scope|Owner|Close|Keep|Disown|Tidy|Hook|Handle|Crossing|Debug|Names' \
		-skip '^Example|Million|ManyGoroutines|BelongTo|GivesItsPlace|GeneratedMethods|OutsideScope|UseAfterScope|CloseTwice' $(ARGS) ./torch

test-matrix: libtorch ## run the tests as on other machines; ARGS='default onecpu' selects some
	$(ENV) TORCH=$(TORCH) scripts/test_matrix.sh $(ARGS)

nightly: ## run the long checks, continuing an interrupted run; ARGS='fuzz asan' selects some
	@scripts/nightly.sh $(ARGS)

# Cross-compiles, so it does not need libtorch for this machine.
test-arm64: ## run the tests for linux/arm64, emulated; ARGS=--smoke selects the machine-dependent ones
	TORCH=$(TORCH) scripts/test_arm64.sh $(ARGS) $(if $(filter --smoke,$(ARGS)),,$(PKG))

build-darwin: ## cross-compile everything for macOS on Apple silicon, and link the examples
	TORCH=$(TORCH) MODULES="$(MODULES)" nice scripts/build_darwin.sh $(ARGS)

asan: libtorch ## run the shim's tests under AddressSanitizer
	$(ENV) scripts/asan.sh $(ARGS)

test-alloc: ## stress the CPU allocator, without and with two sanitizers
	scripts/test_alloc.sh $(ARGS)

test-team: ## stress the thread team and compare with libgomp, without and with two sanitizers
	scripts/test_team.sh $(ARGS)

test-distributed: libtorch ## run the tests with several processes, also under torchrun and with Python's ranks
	$(ENV) go test -count=1 $(ARGS) ./torch/distributed/... ./nn/parallel/...

test-cudasim: libtorch-cuda ## run the CUDA tests on a simulated driver
	$(ENV) scripts/test_cudasim.sh

test-gpu: libtorch ## run the CUDA tests on this machine's GPU; build/gpu/*.test can also run elsewhere
	$(ENV) scripts/test_gpu.sh

vet: libtorch ## go vet
	$(call all,go vet,go vet)

lint: libtorch $(TOOLS)/golangci-lint ## golangci-lint and gofumpt
	@bad=$$($(TOOLS)/gofumpt -l $(GOFILES)); \
		[ -z "$$bad" ] || { echo "not formatted; run make fmt:"; echo "$$bad"; }; \
		$(call all,"$(CURDIR)/$(TOOLS)/golangci-lint" run,"$(CURDIR)/$(TOOLS)/golangci-lint" run) && [ -z "$$bad" ]

fmt: $(TOOLS)/golangci-lint ## format the Go files
	$(TOOLS)/gofumpt -w $(GOFILES)

# One build of each tool, without cgo so that it does not depend on libtorch settings.
$(TOOLS)/golangci-lint: tools/go.mod tools/go.sum
	CGO_ENABLED=0 go -C tools build -o ../$(TOOLS)/ tool
	@touch $(TOOLS)/golangci-lint

torchvet: libtorch ## find leaks and misuse of tensors; see docs/vet.md
	CGO_ENABLED=0 go -C vet build -o ../build/tools/ ./cmd/torchvet
	$(call all,go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS),go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS))

generate: libtorch-all ## regenerate the operator packages and the option methods
	go run ./internal/cmd/genoptions
	$(GENATEN) $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))

check-generate: libtorch-all ## fail if generated files are not up to date
	go run ./internal/cmd/genoptions -check
	$(GENATEN) -check $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))

bench: libtorch ## benchmark against C++, Python and Rust; writes build/bench.json
	$(ENV) go run ./bench/cmd/bench $(ARGS)

twins: libtorch ## run the examples and their reference.py, and compare
	$(ENV) go run ./bench/cmd/twins $(ARGS)

soak: libtorch ## run mixed work for half an hour and look for leaks; writes build/soak.json
	$(ENV) go run ./bench/cmd/soak $(ARGS)

claims: libtorch ## measure rules of thumb about memory; writes build/claims.json
	$(ENV) go run ./bench/cmd/claims $(ARGS)

fuzz: libtorch ## fuzz the readers of files, FUZZTIME=60s each; ARGS=torch/numpy selects some
	$(ENV) MODULES="$(MODULES)" scripts/fuzz.sh '$(ARGS)'

fuzz-ops: libtorch ## call every operator with hostile arguments; writes build/fuzzops.json
	@mkdir -p build
	$(ENV) go build -o build/fuzzops ./internal/cmd/fuzzops && build/fuzzops $(ARGS)

# The commands in the README.md files of examples/ draw the pictures there.
pictures: libtorch ## redraw the pictures of docs/img; those of pages need Chromium
	$(ENV) go run ./internal/cmd/drawings docs/img && \
		go -C examples test -count=1 -v -run Pictures ./internal/documentation -pictures "$(CURDIR)/docs/img"

demo: libtorch ## train a CNN on Fashion-MNIST for an epoch
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) go -C examples build -o ../build/fashionmnist ./fashionmnist && \
		build/fashionmnist -data "$$data" $(ARGS)

demo-short: ## run 100 steps of the demo
	@$(MAKE) --no-print-directory demo ARGS="-steps 100 $(ARGS)"

demo-distributed: libtorch ## run the demo on two processes, under torchrun if it is installed
	$(ENV) scripts/demo_distributed.sh $(ARGS)

check-release: libtorch ## try a release: tag all modules in a clone, and use each from another module
	scripts/test_release.sh
	TORCH=$(TORCH) scripts/release.sh --check

check-api: ## show API changes since the last release; fail if the changelog lacks an incompatible one
	CGO_ENABLED=0 go -C tools run ./apicheck "$(CURDIR)"

cover: libtorch ## run the tests with coverage; writes build/cover.html
	@mkdir -p build
	$(ENV) go test -coverprofile=build/cover.out $(ARGS) $(PKG)
	go tool cover -html=build/cover.out -o build/cover.html
	@go tool cover -func=build/cover.out | tail -1

first-hour: ## run the README's and the examples' commands on a bare Debian; writes docs/first-hour.md
	scripts/first_hour.sh $(ARGS)

test-container: ## build and test the Dockerfile's images without Docker, as root; ARGS=--check only reads the files
	scripts/test_container.sh $(ARGS)

test-install: ## test the install scripts
	scripts/test_install.sh

# First records what PyTorch does, with the Python of build/venv or GOTORCH_PYTHON, then does
# the same in Go. The results are in build/conformance.json. MKL_CBWR makes MKL sum in the same
# order in both processes, independently of memory alignment.
conformance: export MKL_CBWR := AUTO
conformance: libtorch ## run PyTorch's own test databases; ARGS='modules Conv2d' selects some
	@py=$${GOTORCH_PYTHON:-$$(TORCH=$(TORCH) bench/setup_python.sh)} && rm -rf build/conformance && mkdir -p build && \
		$$py internal/conformance/record build/conformance $(ARGS) >build/conformance.log && $(ENV) set -o pipefail && \
		GOTORCH_CONFORMANCE="$(CURDIR)/build/conformance" GOTORCH_CONFORMANCE_REPORT="$(CURDIR)/build/conformance.json" \
		go test -count=1 -v ./internal/conformance | grep -vE '^ *(=== |--- (PASS|SKIP))|^ *suite_test.go:[0-9]+: (lazy|no builder)'

# Only the part of Jupyter that executes notebooks, without JupyterLab.
NOTEBOOKS := build/notebooks
$(NOTEBOOKS)/venv: notebooks/requirements.txt
	python3 -I -m venv $@ && $@/bin/pip install --quiet -r $< && touch $@

notebooks: libtorch $(NOTEBOOKS)/venv ## execute the notebooks and compare their outputs; ARGS=--write updates them
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

test-site: site ## check the site in a browser
	GOTORCH_SITE="$(CURDIR)/build/site" go test -count=1 $(ARGS) ./internal/docs/site

test-jupyter: libtorch $(NOTEBOOKS)/venv ## test the targets jupyter and kernel; ARGS=--lab tests the first, which downloads JupyterLab
	@$(ENV) $(NOTEBOOKS)/venv/bin/python notebooks/try_jupyter.py $(ARGS)

clean: ## remove build/, but not libtorch and Go's caches
	rm -rf build
