# Writes OUTPUT with the commit of SOURCE, only if it changed (so that nothing is rebuilt for nothing).
cmake_minimum_required(VERSION 3.25)
find_package(Git QUIET)
set(commit "unknown")
if(Git_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "#pragma once\n#define STAGELENS_COMMIT \"@commit@\"\n" @ONLY)
