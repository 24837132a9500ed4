# Run at every build: writes version.cpp where the commit has changed.
# cmake -D SOURCE=... -D OUT=... -D PROJECT_VERSION=... -P version.cmake
execute_process(COMMAND git describe --always --dirty
  WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE OIDA_GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  RESULT_VARIABLE failed)
if(failed)
  set(OIDA_GIT_HASH "unknown")
endif()
configure_file(${SOURCE}/app/version.cpp.in ${OUT} @ONLY)
