# Every room is one static library: oida_room(NAME SOURCES ... DOORS ... PRIVATE ...).
# DOORS are the rooms that its headers may include, PRIVATE its third parties.

add_library(oida_flags INTERFACE)
target_compile_options(oida_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -fopenmp-simd>
  # GCC 12 warns falsely of overlapping copies in std::string's operator+ (GCC bug 105651).
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${OIDA_WERROR}>>:-Werror>)
# -Wpedantic would warn of nvcc's own line marks.
target_compile_options(oida_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${OIDA_WERROR}>>:-Werror=all-warnings>")
target_include_directories(oida_flags INTERFACE ${PROJECT_SOURCE_DIR}/lib)
if(OIDA_SANITIZE)
  target_compile_options(oida_flags INTERFACE -fsanitize=${OIDA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(oida_flags INTERFACE -fsanitize=${OIDA_SANITIZE})
endif()

function(oida_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;DOORS;PRIVATE" ${ARGN})
  add_library(oida_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(oida_${name} PUBLIC oida_flags)
  foreach(door IN LISTS ROOM_DOORS)
    target_link_libraries(oida_${name} PUBLIC oida_${door})
  endforeach()
  target_link_libraries(oida_${name} PRIVATE ${ROOM_PRIVATE})
endfunction()
