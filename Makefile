# A small face for Meson. Each target sees to its own set-up first; `make help` lists them.

BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
PEERS ?= $(BUILD)/peers
FILES ?= examples/chart.png examples/report.pdf examples/minutes.docx
MODELS ?=

ifeq ($(origin CC),default)
CC := gcc
endif
export CC BUILD DESTDIR FUZZ_SECONDS SOAK_SECONDS FILES

# Inputs for conformance checks and for tests over real files, where somebody has put them.
ifneq ($(wildcard ../shared/.),)
export REFRACT_SHARED ?= $(abspath ../shared)
endif

.PHONY: all optimized install uninstall deb check-deb run deliveries test check soak bless abi fuzz bench peers screenshots conformance format clean help

all: ## build everything into build/; build/refract runs from there
	@scripts/setup.sh build
	@scripts/build.sh $(BUILD)

optimized: ## build as packages are built, into build/optimized/: make install BUILD=build/optimized
	@scripts/setup.sh build
	@scripts/optimized.sh $(BUILD)/optimized -Dtests=disabled

install: ## install to PREFIX (/usr/local), below DESTDIR where that is set
	@scripts/setup.sh build
	@scripts/install.sh $(BUILD) $(PREFIX)

uninstall: ## take away what was installed
	@scripts/uninstall.sh $(BUILD)

deb: ## build Debian packages into build/deb/
	@scripts/setup.sh deb
	@scripts/deb.sh $(BUILD)/deb

check-deb: deb ## install them into a clean root, use them, take them away again (root, network, minutes)
	@scripts/setup.sh check-deb
	@scripts/check_deb.sh $(BUILD)/deb

run: all ## ask the offline model about a picture: no key, no network
	@scripts/run.sh $(BUILD)

deliveries: all ## show what becomes of FILES, for the models of MODELS or for some of all sorts
	@$(BUILD)/refract deliveries $(FILES) $(addprefix -m ,$(MODELS))

test: ## build with gcc and run every test; check includes, headers, symbols, the ABI and words
	@scripts/setup.sh test
	@scripts/test.sh

check: ## the tests again with ASan and UBSan, a chat with TSan, a few programs with valgrind: takes longer
	@scripts/setup.sh check
	@scripts/check.sh

soak: ## large files, killed and hanging workers, the gateway for SOAK_SECONDS (3600): 2.5 GB of temporary files
	@scripts/setup.sh test
	@scripts/soak.sh

bless: ## rewrite the golden files from what the code does now; read the diff afterwards
	@scripts/setup.sh test
	@scripts/bless.sh

abi: ## accept what the libraries promise now as their ABI, unless that breaks programs; read the diff afterwards
	@scripts/setup.sh build
	@scripts/build.sh $(BUILD)
	@scripts/abi.py $(BUILD) --accept

fuzz: ## run every fuzz target for FUZZ_SECONDS (60)
	@scripts/setup.sh fuzz
	@scripts/fuzz.sh

bench: ## measure, beside other libraries and programs
	@scripts/setup.sh bench
	@scripts/bench.sh

peers: all ## real servers, SDKs and files of others: fetches 4 GB once, and takes half an hour
	@scripts/setup.sh peers
	@scripts/peers.sh $(PEERS)
	@scripts/optimized.sh $(BUILD)/bench -Dbench=true -Dtests=disabled
	@REFRACT_WORKERS=$(abspath $(BUILD))/worker $(PEERS)/python/bin/python tests/peers/run.py $(BUILD)/refract $(PEERS)

screenshots: all ## play docs/sessions/ on a terminal and draw the pictures of the docs
	@scripts/setup.sh docs
	@REFRACT_WORKERS=$(abspath $(BUILD))/worker /usr/bin/python3 scripts/screenshots.py $(BUILD)/refract
	@REFRACT_WORKERS=$(abspath $(BUILD))/worker /usr/bin/python3 scripts/page_picture.py $(BUILD)/refract

conformance: ## check bodies and the gateway with the vendors' own SDKs, and MCP with its official tools
	@scripts/conformance.sh
	@scripts/gateway_conformance.sh
	@scripts/mcp_conformance.sh

format: ## lay out the C code with clang-format
	@scripts/setup.sh format
	@find include src worker cli examples tests fuzz bench -name '*.[ch]' -exec clang-format -i {} +

clean: ## remove build/
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20
