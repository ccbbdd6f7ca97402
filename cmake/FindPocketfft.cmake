# SPDX-License-Identifier: Apache-2.0
# The only place that knows where the pocketfft header comes from: the wheel of the build requirement pythran, or
# -DPOCKETFFT_INCLUDE_DIR=DIR (from pip: -Ccmake.define.POCKETFFT_INCLUDE_DIR=DIR) with either of its two file names.
# Defines the imported target Pocketfft::Pocketfft.

# An isolated pip build keeps pythran in a folder that is gone the next time the cache is used.
if(POCKETFFT_INCLUDE_DIR AND NOT EXISTS "${POCKETFFT_INCLUDE_DIR}")
  unset(POCKETFFT_INCLUDE_DIR CACHE)
endif()

if(NOT POCKETFFT_INCLUDE_DIR)
  # find_spec locates the package without importing it.
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
      "import importlib.util as u; s = u.find_spec('pythran'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE pythran_folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_path(POCKETFFT_INCLUDE_DIR
  NAMES pocketfft_hdronly.h pocketfft.hpp
  PATH_SUFFIXES pocketfft
  HINTS "${pythran_folder}/pythonic/numpy/fft"
  DOC "Folder that holds pocketfft_hdronly.h or pocketfft.hpp")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Pocketfft
  REQUIRED_VARS POCKETFFT_INCLUDE_DIR
  REASON_FAILURE_MESSAGE
    "No pocketfft header. Run `pip install pythran` for ${Python_EXECUTABLE}, or pass -DPOCKETFFT_INCLUDE_DIR=DIR.")

if(Pocketfft_FOUND AND NOT TARGET Pocketfft::Pocketfft)
  add_library(Pocketfft::Pocketfft INTERFACE IMPORTED)
  set_target_properties(Pocketfft::Pocketfft PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${POCKETFFT_INCLUDE_DIR}")
endif()
mark_as_advanced(POCKETFFT_INCLUDE_DIR)
