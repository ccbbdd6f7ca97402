# SPDX-License-Identifier: Apache-2.0
# Compiler flags, each with its reason. Fast-math in any form is out of the question: it would break compensated sums,
# infinite bounds and every error bound that the headers state.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)      # there are none, and looking for them takes a tool that not every Clang comes with
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the static core is linked into a Python module
set(CMAKE_CXX_VISIBILITY_PRESET hidden)  # nothing of the core leaks out of that module
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)    # for clang-tidy and editors
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(hockeystick_options INTERFACE)
if(MSVC)
  target_compile_options(hockeystick_options INTERFACE
    /fp:precise  # as -ffp-contract=off
    /utf-8 /W4)
else()
  # -O3 also where the build type asks for less, but for debugging.
  target_compile_options(hockeystick_options INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-O3>
    -ffp-contract=off     # a*b + c rounds twice everywhere, so results do not depend on the instruction set
    -fno-math-errno       # sqrt and friends vectorise; nobody reads errno
    -fno-trapping-math    # conditional expressions vectorise; nobody reads the floating-point exception flags
    -Wno-psabi            # the kernels' vectors are never passed out of line, so no ABI is concerned
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(HOCKEYSTICK_WERROR)
    target_compile_options(hockeystick_options INTERFACE -Werror)
  endif()
  if(HOCKEYSTICK_SANITIZE)
    target_compile_options(hockeystick_options INTERFACE
      -fsanitize=${HOCKEYSTICK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(hockeystick_options INTERFACE -fsanitize=${HOCKEYSTICK_SANITIZE})
  endif()
  if(HOCKEYSTICK_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(hockeystick_options INTERFACE -fsanitize=fuzzer-no-link)
  endif()
endif()

# Threads come from the standard library: they are joined before a call returns, survive a fork and add no library to the
# wheel. OpenMP is for those whose program runs it already and wants one pool; its pool does not survive a fork, so a
# forked child then works alone (parallel.cpp).
if(HOCKEYSTICK_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()
