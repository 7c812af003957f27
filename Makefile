# A thin front to CMake's presets. Every target installs what it needs and is safe to repeat.
.PHONY: build demo test bench lint format clean
JOBS ?= $(shell nproc)

build:
	@tools/install-packages
	@cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	cmake --build --preset release -j $(JOBS) --target manyverbs_program

demo: build
	build/release/manyverbs demo --out demo

test:
	@tools/install-packages test
	@cmake --preset ci >build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
	@rm -f build-configure.log
	tools/check-rooms
	tools/check-format
	cmake --build --preset ci -j $(JOBS)
	ctest --preset ci -j $(JOBS)

bench:
	@tools/install-packages bench
	cmake --preset release -D MANYVERBS_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/run

lint:
	@tools/install-packages test lint
	cmake --preset ci
	run-clang-tidy -quiet -p build/ci '(manyverbs|cli)/.*\.cpp'

format:
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build
