# OpenBLAS::OpenBLAS. Debian keeps the serial and the threaded builds in folders of their own. The serial build is preferred: the
# engine has threads of its own and computes each product on its caller's. A threaded build starts its threads before main(), and
# they try again for ever if there is no memory for their buffers.
find_path(OpenBLAS_INCLUDE_DIR cblas.h
  PATH_SUFFIXES openblas-pthread openblas openblas-serial)
find_library(OpenBLAS_SERIAL_LIBRARY openblas
  PATH_SUFFIXES openblas-serial openblas-pthread)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBlas REQUIRED_VARS OpenBLAS_SERIAL_LIBRARY OpenBLAS_INCLUDE_DIR)
if(OpenBlas_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION "${OpenBLAS_SERIAL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenBLAS_INCLUDE_DIR OpenBLAS_SERIAL_LIBRARY)
