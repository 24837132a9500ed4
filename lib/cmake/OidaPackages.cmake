# Third parties, all from the system or from modules; nothing is fetched.

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(oida_xxhash INTERFACE)

# A machine with a GPU and little else: app/gpu_carry.sh brought what is missing there.
if(OIDA_GPU_ALONE)
  set(OIDA_CARRY ${PROJECT_SOURCE_DIR}/build/carry CACHE PATH "What app/gpu_carry.sh copied")
  find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED PATHS ${OIDA_CARRY}/include NO_DEFAULT_PATH)
  target_include_directories(oida_xxhash SYSTEM INTERFACE ${OIDA_CARRY}/include)
  target_compile_definitions(oida_xxhash INTERFACE XXH_INLINE_ALL)
  include(OidaCuda)
  return()
endif()

find_package(PkgConfig REQUIRED)
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(GDAL CONFIG REQUIRED)
set(HDF5_PREFER_PARALLEL FALSE)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(Boost REQUIRED COMPONENTS program_options)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c-html)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
target_link_libraries(oida_xxhash INTERFACE PkgConfig::XXHASH)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

# Debian's dnnl-config.cmake asks for OpenCL, which the CPU engine does not use.
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(oida_dnnl INTERFACE)
target_include_directories(oida_dnnl SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
target_link_libraries(oida_dnnl INTERFACE ${DNNL_LIBRARY})

include(OidaCuda)
