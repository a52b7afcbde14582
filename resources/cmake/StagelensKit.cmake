# Programs that run where there is no OpenBLAS, no SQLite and another C++ library: the first two are linked in, and the
# compiler's libraries lie beside the programs, in lib.
if(NOT STAGELENS_KIT)
  return()
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(CMAKE_BUILD_RPATH "$ORIGIN/lib")
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
foreach(library IN ITEMS libstdc++.so.6 libgcc_s.so.1)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=${library} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(file "${file}" REALPATH)
  configure_file("${file}" "${CMAKE_BINARY_DIR}/lib/${library}" COPYONLY)
endforeach()
