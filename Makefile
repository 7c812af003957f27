# A thin front to CMake's presets. Every target installs what it needs and is safe to repeat.
.PHONY: build demo package test sanitize fuzz bench lint format clean
JOBS ?= $(shell nproc)

# The output of CMake is shown only if it fails.
configure = @mkdir -p build && echo "configuring $(1)" && \
	{ cmake --preset $(1) >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }; }

build:
	@tools/install-packages
	$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target manyverbs_programs

demo: build
	build/release/manyverbs demo --out demo

# build/release/manyverbs_VERSION_ARCHITECTURE.deb
package: build
	@tools/install-packages package
	cd build/release && cpack

test:
	@tools/install-packages test package
	$(call configure,ci)
	tools/check-rooms
	tools/check-format
	cmake --build --preset ci -j $(JOBS)
	ctest --preset ci -j $(JOBS)

# The tests of all rooms with the address and undefined-behaviour sanitizers; those of the rooms without LibTorch also
# with the thread sanitizer.
sanitize:
	@tools/install-packages test sanitize
	$(call configure,dev)
	cmake --build --preset dev -j $(JOBS)
	ctest --preset dev -j $(JOBS)
	$(call configure,threads)
	cmake --build --preset threads -j $(JOBS)
	ctest --preset threads -j $(JOBS)

# Damaged and hostile files for every reader, found by libFuzzer; SECONDS_EACH=3600 for a long search.
SECONDS_EACH ?= 60

fuzz:
	@tools/install-packages sanitize
	$(call configure,fuzz)
	cmake --build --preset fuzz -j $(JOBS)
	tests/fuzz/run $(SECONDS_EACH)

bench:
	@tools/install-packages bench
	$(call configure,release -D MANYVERBS_BUILD_BENCH=ON)
	cmake --build --preset release -j $(JOBS)
	bench/run

# All sources of the library and the program, as the unity build compiles them; LINTED=knn for a part.
LINTED ?= .

lint:
	@tools/install-packages test lint
	$(call configure,ci -B build/lint -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
	run-clang-tidy-16 -quiet -j $(JOBS) -p build/lint -checks=-bugprone-suspicious-include \
		-extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-unknown-attributes -extra-arg-before=-include \
		-extra-arg-before=$(CURDIR)/tools/clang_vector.h '^(?!.*(/pages/|/tests/|_tests)).*$(LINTED)'

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build
