# The commands of this repository. `make` lists them.
#
#   MODE=race      a variant of the target, or several; `make` lists them
#   TORCH=2.15.0   the version of libtorch, if not the reference version
#   PKG=./nn/...   the packages for build, lint and test; the default is all
#   ARGS='-v'      more arguments for go test, the demo or the benchmarks
#   GOTEST=...     a command in place of go test, such as scripts/timed_test.sh

MODE ?=
TORCH ?= 2.11.0
PKG ?= ./...
ARGS ?=
GOTEST ?= go test

SHELL := /bin/bash
unexport CDPATH # or cd may go elsewhere
# A make that a recipe starts has a MODE of its own.
unexport MODE
MAKEOVERRIDES :=
INSTALL := scripts/install_libtorch.sh
# Both versions, because the generated operators cover both.
VERSIONS := 2.11.0 2.15.0

# Recipes that build start with this. It sets PKG_CONFIG_PATH and similar variables.
ENV := eval "$$($(INSTALL) --version $(TORCH) --print-env)" &&
TOOLS := build/tools
NOTEBOOKS := build/notebooks
# Separate modules, to keep their dependencies out of the library's go.mod.
MODULES := examples internal/cmd/genaten memory/otel memory/plot notebooks tools torch/data/arrow torch/data/codecs torch/gonum transformers vet vision
GOFILES = $$(find . -name '*.go' -not -path './build/*' -not -path '*/testdata/*' -exec grep -L '^// Code generated' {} +)
# Runs one command in the library and, if PKG means all packages, another one in each of the
# other modules. After a failure the rest still runs.
all = $(ENV) { rc=0; $(1) $(PKG) || rc=1; \
	$(foreach m,$(if $(filter ./...,$(PKG)),$(MODULES)),(cd $(m) && $(2) ./...) || { echo "make: $@ failed in $(m)"; rc=1; };) \
	[ $$rc = 0 ]; }
GENATEN := go -C internal/cmd/genaten run . -root ../../..

.DEFAULT_GOAL := help

# A target's mode is a rule NAME.MODE with a comment: `make test MODE=race` is the rule test.race.
FILE := $(lastword $(MAKEFILE_LIST))
modes = $(shell sed -nE 's|^$(1)\.([a-z0-9-]+):.* \#\# .*|\1|p' $(FILE))
$(foreach t,$(or $(MAKECMDGOALS),help),$(foreach m,$(MODE),$(if $(filter $(m),$(call modes,$(t))),,$(error \
	make $(t) has no MODE=$(m); it has $(or $(call modes,$(t)),none)))))
TARGETS := help libtorch build test lint fmt check generate fuzz bench demo notebooks site nightly clean
.PHONY: $(TARGETS) $(foreach t,$(TARGETS),$(addprefix $(t).,default $(call modes,$(t))))

help: ## list the targets, and below each its modes
	@awk -F ':.*## ' '/^[a-z]+(\.[a-z0-9-]+)?:.*## / { n = split($$1, name, "."); \
		printf n == 1 ? "  %-21s%s\n" : "    MODE=%-14s%s\n", name[n], $$2 }' $(FILE)
	@echo "  Variables: TORCH=$(TORCH) PKG=$(PKG) ARGS=$(ARGS)"

# --- libtorch and the build -------------------------------------------------

libtorch: $(or $(MODE:%=libtorch.%),libtorch.default) ## find or install libtorch
libtorch.default:
	@$(INSTALL) --version $(TORCH)
libtorch.cuda: ## with CUDA (3.7 GB); ARGS=--force replaces one without
	@$(INSTALL) --version $(TORCH) --cuda $(ARGS)
libtorch.both: ## both versions, for generate
	@for v in $(VERSIONS); do $(INSTALL) --version $$v || exit 1; done

build: $(or $(MODE:%=build.%),build.default) ## compile every package
build.default: libtorch.default
	$(call all,go build,go build -o /dev/null)
build.darwin: ## for macOS on Apple silicon, and link the examples
	TORCH=$(TORCH) MODULES="$(MODULES)" nice scripts/build_darwin.sh $(ARGS)

# --- tests ------------------------------------------------------------------

# Tests of the modules below the root read files of the whole tree. Go's test cache does not
# track files outside a module, so -count=1 turns it off. A test that hangs ends after half an
# hour. make lint runs vet.
test: $(or $(MODE:%=test.%),test.default) ## run the tests; GOTORCH_TEST_THOROUGH=1 runs all random cases
test.default: libtorch.default
	$(call all,$(GOTEST) -vet=off -timeout 30m $(ARGS),$(GOTEST) -vet=off -timeout 30m -count=1 $(ARGS))
# The compiler does not optimize PKG and collects less garbage, which halves its time.
test.quick: libtorch.default ## while you edit PKG: builds sooner, but tests of allocations and of lines fail
	$(ENV) GOGC=800 go test -vet=off -exec 'env -u GOGC' -gcflags='-N -l -dwarf=false' -ldflags=-w $(ARGS) $(PKG)
test.race: libtorch.default ## under Go's race detector
	$(call all,go test -race -vet=off -timeout 1h $(ARGS),go test -race -vet=off -timeout 1h -count=1 $(ARGS))
test.cover: libtorch.default ## with coverage; writes build/cover.html
	@mkdir -p build
	$(ENV) go test -coverprofile=build/cover.out $(ARGS) $(PKG)
	go tool cover -html=build/cover.out -o build/cover.html
	@go tool cover -func=build/cover.out | tail -1
# Skips tests that run very many operators, tests whose garbage must not be collected, and
# tests that expect messages without a line of source code.
test.debug: libtorch.default ## who owns a tensor, with a collection before each operator
	$(ENV) go test -tags gotorchdebug -vet=off -short -count=1 \
		-run 'Scope|Owner|Close|Keep|Disown|Tidy|Hook|Handle|Crossing|Debug|Names' \
		-skip '^Example|Million|ManyGoroutines|BelongTo|GivesItsPlace|GeneratedMethods|OutsideScope|UseAfterScope|CloseTwice' $(ARGS) ./torch
test.asan: libtorch.default ## the shim's tests under AddressSanitizer
	$(ENV) scripts/asan.sh $(ARGS)
test.alloc: ## stress the CPU allocator, without and with two sanitizers
	scripts/test_alloc.sh $(ARGS)
test.team: ## stress the thread team and compare with libgomp, without and with two sanitizers
	scripts/test_team.sh $(ARGS)
test.distributed: libtorch.default ## several processes, also under torchrun and with Python's ranks
	$(ENV) go test -count=1 $(ARGS) ./torch/distributed/... ./nn/parallel/...
# The soak's jobs on many goroutines. With a warm-up of the whole run, no trend is judged: the race
# detector's own memory grows.
test.stress: libtorch.default ## mixed work on 32 goroutines under the race detector, for five minutes
	$(ENV) go run -race ./bench/cmd/soak -lean=false -goroutines 32 -duration 5m -warmup 5m -out build/stress.json $(ARGS)
test.matrix: libtorch.default ## as on other machines; ARGS='default onecpu' selects some
	$(ENV) TORCH=$(TORCH) scripts/test_matrix.sh $(ARGS)
# Cross-compiles, so it does not need libtorch for this machine.
test.arm64: ## for linux/arm64, emulated; ARGS=--smoke selects the machine-dependent ones
	TORCH=$(TORCH) scripts/test_arm64.sh $(ARGS) $(if $(filter --smoke,$(ARGS)),,$(PKG))
test.cudasim: libtorch.cuda ## the CUDA tests on a simulated driver
	$(ENV) scripts/test_cudasim.sh
test.gpu: libtorch.default ## the CUDA tests on this machine's GPU; build/gpu/*.test can also run elsewhere
	$(ENV) scripts/test_gpu.sh
# First records what PyTorch does, with the Python of build/venv or GOTORCH_PYTHON, then does
# the same in Go. The results are in build/conformance.json. MKL_CBWR makes MKL sum in the same
# order in both processes, independently of memory alignment.
test.conformance: export MKL_CBWR := AUTO
test.conformance: libtorch.default ## PyTorch's own test databases; ARGS='modules Conv2d' selects some
	@py=$${GOTORCH_PYTHON:-$$(TORCH=$(TORCH) bench/setup_python.sh)} && rm -rf build/conformance && mkdir -p build && \
		$$py internal/conformance/record build/conformance $(ARGS) >build/conformance.log && $(ENV) set -o pipefail && \
		GOTORCH_CONFORMANCE="$(CURDIR)/build/conformance" GOTORCH_CONFORMANCE_REPORT="$(CURDIR)/build/conformance.json" \
		go test -count=1 -v ./internal/conformance | grep -vE '^ *(=== |--- (PASS|SKIP))|^ *suite_test.go:[0-9]+: (lazy|no builder)'
test.install: ## the install scripts
	scripts/test_install.sh
test.container: ## the Dockerfile's images without Docker, as root; ARGS=--check only reads the files
	scripts/test_container.sh $(ARGS)
test.jupyter: libtorch.default $(NOTEBOOKS)/venv ## notebooks MODE=lab and MODE=kernel; ARGS=--lab downloads JupyterLab
	@$(ENV) $(NOTEBOOKS)/venv/bin/python notebooks/try_jupyter.py $(ARGS)
test.site: site ## the documentation's site, in a browser
	GOTORCH_SITE="$(CURDIR)/build/site" go test -count=1 $(ARGS) ./internal/docs/site

# --- checks of the source ---------------------------------------------------

lint: $(or $(MODE:%=lint.%),lint.default) ## golangci-lint with go vet, and gofumpt
lint.default: libtorch.default $(TOOLS)/golangci-lint
	@bad=$$($(TOOLS)/gofumpt -l $(GOFILES)); \
		[ -z "$$bad" ] || { echo "not formatted; run make fmt:"; echo "$$bad"; }; \
		$(call all,"$(CURDIR)/$(TOOLS)/golangci-lint" run,"$(CURDIR)/$(TOOLS)/golangci-lint" run) && [ -z "$$bad" ]
lint.vet: libtorch.default ## only go vet
	$(call all,go vet,go vet)
lint.torchvet: libtorch.default ## leaks and misuse of tensors; see docs/vet.md
	CGO_ENABLED=0 go -C vet build -o ../build/tools/ ./cmd/torchvet
	$(call all,go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS),go vet -vettool="$(CURDIR)/$(TOOLS)/torchvet" $(ARGS))

fmt: $(TOOLS)/golangci-lint ## format the Go files
	$(TOOLS)/gofumpt -w $(GOFILES)

# One build of each tool, without cgo so that it does not depend on libtorch settings.
$(TOOLS)/golangci-lint: tools/go.mod tools/go.sum
	CGO_ENABLED=0 go -C tools build -o ../$(TOOLS)/ tool
	@touch $(TOOLS)/golangci-lint

check: $(or $(MODE:%=check.%),check.generate check.api) ## MODE=generate and MODE=api
check.generate: libtorch.both ## fail if generated files are not up to date
	go run ./internal/cmd/genoptions -check
	$(GENATEN) -check $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))
check.api: ## show API changes since the last release; fail if the changelog lacks an incompatible one
	CGO_ENABLED=0 go -C tools run ./apicheck "$(CURDIR)"
check.release: libtorch.default ## try a release: tag all modules in a clone, and use each from another module
	scripts/test_release.sh
	TORCH=$(TORCH) scripts/release.sh --check

# --- generated files that are committed -------------------------------------

generate: $(or $(MODE:%=generate.%),generate.default) ## write the operator packages and the option methods
generate.default: libtorch.both
	go run ./internal/cmd/genoptions
	$(GENATEN) $(foreach v,$(VERSIONS),-torch $(v)=$$($(INSTALL) --version $(v) --print-root))
generate.coverage: ## docs/coverage.md
	go run ./internal/cmd/coverage
generate.goldens: libtorch.default ## Python's results for new rows in the tests of nn, nn/functional and optim
	$(ENV) scripts/write_goldens.sh
# The commands in the README.md files of examples/ draw the pictures there.
generate.pictures: libtorch.default ## the pictures of docs/img; those of pages need Chromium
	$(ENV) go run ./internal/cmd/drawings docs/img && \
		go -C examples test -count=1 -v -run Pictures ./internal/documentation -pictures "$(CURDIR)/docs/img"
generate.first-hour: ## docs/timed-commands.md, by the README's and the examples' commands on a bare Debian
	scripts/first_hour.sh $(ARGS)

# --- long runs --------------------------------------------------------------

fuzz: $(or $(MODE:%=fuzz.%),fuzz.default) ## fuzz the readers of files, FUZZTIME=60s each; ARGS=torch/numpy selects some
fuzz.default: libtorch.default
	$(ENV) MODULES="$(MODULES)" scripts/fuzz.sh '$(ARGS)'
fuzz.ops: libtorch.default ## every operator with hostile arguments; writes build/fuzzops.json
	@mkdir -p build
	$(ENV) go build -o build/fuzzops ./internal/cmd/fuzzops && build/fuzzops $(ARGS)

bench: $(or $(MODE:%=bench.%),bench.default) ## benchmark against C++, Python and Rust; writes build/bench.json
bench.default: libtorch.default
	$(ENV) go run ./bench/cmd/bench $(ARGS)
bench.twins: libtorch.default ## run the examples and their reference.py, and compare
	$(ENV) go run ./bench/cmd/twins $(ARGS)
bench.claims: libtorch.default ## measure rules of thumb about memory; writes build/claims.json
	$(ENV) go run ./bench/cmd/claims $(ARGS)
bench.soak: libtorch.default ## mixed work for half an hour, to find leaks; writes build/soak.json
	$(ENV) go run ./bench/cmd/soak $(ARGS)

nightly: ## run the long checks, continuing an interrupted run; ARGS='fuzz asan' selects some
	@scripts/nightly.sh $(ARGS)

# --- demo, notebooks, site --------------------------------------------------

fashionmnist = data=$$(scripts/get_fashion_mnist.sh) && $(ENV) go -C examples build -o ../build/fashionmnist ./fashionmnist && \
	build/fashionmnist -data "$$data" $(1)

demo: $(or $(MODE:%=demo.%),demo.default) ## train a CNN on Fashion-MNIST for an epoch
demo.default: libtorch.default
	@$(call fashionmnist,$(ARGS))
demo.short: libtorch.default ## 100 steps
	@$(call fashionmnist,-steps 100 $(ARGS))
demo.distributed: libtorch.default ## on two processes, under torchrun if it is installed
	$(ENV) scripts/demo_distributed.sh $(ARGS)

# Only the part of Jupyter that executes notebooks, without JupyterLab.
$(NOTEBOOKS)/venv: notebooks/requirements.txt
	python3 -I -m venv $@ && $@/bin/pip install --quiet -r $< && touch $@

notebooks: $(or $(MODE:%=notebooks.%),notebooks.default) ## execute the notebooks and compare their outputs; ARGS=--write updates them
notebooks.default: libtorch.default $(NOTEBOOKS)/venv
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) notebooks/build.sh && FASHION_MNIST="$$data" $(NOTEBOOKS)/venv/bin/python notebooks/run.py $(ARGS)
notebooks.lab: libtorch.default $(NOTEBOOKS)/venv ## open them in JupyterLab
	@data=$$(scripts/get_fashion_mnist.sh) && $(ENV) notebooks/build.sh && $(NOTEBOOKS)/venv/bin/pip install --quiet -r notebooks/requirements-lab.txt && \
		FASHION_MNIST="$$data" JUPYTER_PATH="$(CURDIR)/$(NOTEBOOKS)/jupyter" $(NOTEBOOKS)/venv/bin/jupyter lab --notebook-dir=notebooks $(ARGS)
notebooks.kernel: libtorch.default ## install their kernel for your own Jupyter
	$(ENV) notebooks/build.sh --install

DOCSITE := build/docsite
$(DOCSITE)/installed: docs/site/requirements.txt
	python3 -I -m venv $(DOCSITE)/venv && $(DOCSITE)/venv/bin/pip install --quiet -r $< && touch $@

site: $(DOCSITE)/installed ## build the documentation's site, build/site
	@rm -rf build/site && $(DOCSITE)/venv/bin/sphinx-build -q -E -W --keep-going -c docs/site -d $(DOCSITE)/doctrees . build/site && \
		echo "$(CURDIR)/build/site/index.html"

clean: ## remove build/, but not libtorch and Go's caches
	rm -rf build
