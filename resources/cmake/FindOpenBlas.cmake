# OpenBLAS::OpenBLAS. Debian keeps the pthread and the serial build in folders of their own; the pthread build is
# preferred because it may be called from many threads at once (the engine sets it to one thread a call).
find_path(OpenBLAS_INCLUDE_DIR cblas.h
  PATH_SUFFIXES openblas-pthread openblas openblas-serial)
find_library(OpenBLAS_LIBRARY openblas
  PATH_SUFFIXES openblas-pthread openblas-serial)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBlas REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)
if(OpenBlas_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
  add_library(OpenBLAS::OpenBLAS UNKNOWN IMPORTED)
  set_target_properties(OpenBLAS::OpenBLAS PROPERTIES
    IMPORTED_LOCATION "${OpenBLAS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIR}")
endif()
mark_as_advanced(OpenBLAS_INCLUDE_DIR OpenBLAS_LIBRARY)
