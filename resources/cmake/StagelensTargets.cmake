# The rules every target of Stagelens shares: language, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_library(stagelens_options INTERFACE)
target_include_directories(stagelens_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_link_libraries(stagelens_options INTERFACE $<IF:$<BOOL:${STAGELENS_KIT}>,fmt::fmt-header-only,fmt::fmt>)
target_compile_options(stagelens_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${STAGELENS_WERROR}>:-Werror> -fno-fast-math -ffp-contract=off)
if(STAGELENS_SANITIZER MATCHES "^(address|thread)$")
  # GCC warns of branches that only its own instrumentation makes; `dev` sees the real ones.
  target_compile_options(stagelens_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(STAGELENS_SANITIZER STREQUAL "address")
  # UBSan would look at each address there is; ASan sees each that is used, and compiling takes less time without.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(STAGELENS_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(STAGELENS_SANITIZER STREQUAL "fuzzer")
  # clang's libFuzzer learns from the coverage of all of the engine; its main() is linked to the targets alone. That a pointer to a
  # function has another type is said of the standard library too, which is not built this way. Each address that is used is
  # ASan's to look at; without UBSan's own look at it more inputs are tried in a second.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize=function,vptr,null,alignment,object-size,pointer-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# stagelens_precompile(TARGET header...|REUSE_FROM target): headers compiled once. The options let ccache see what a precompiled
# header holds, and hush GCC 12, which no longer knows that std::string in it is the system's.
function(stagelens_precompile name)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${name} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
endfunction()

# stagelens_compile_together(TARGET COUNT): so many sources in one run of the compiler. What all of them instantiate anew (the
# templates of CLI11 and JSON, Qt's containers) is most of its time: the window takes a quarter of it, the command line a sixth.
# Names without linkage must differ within a target.
function(stagelens_compile_together name count)
  if(STAGELENS_COMPILE_TOGETHER)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()

# stagelens_registry(NAMESPACE TYPE HEADER FUNCTION SOURCES_VARIABLE): for a folder with one TYPE a file, sign.cpp defining sign().
# Writes the span FUNCTION() of all of them, so that a new one is a new file; HEADER.h declares it, and HEADER.cpp is no member.
# Sets the variable to all sources.
function(stagelens_registry namespace type header function sources_variable)
  file(GLOB files RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *.cpp)
  list(REMOVE_ITEM files ${header}.cpp)
  set(declarations "")
  set(calls "")
  foreach(file IN LISTS files)
    get_filename_component(member ${file} NAME_WE)
    string(APPEND declarations "const ${type} &${member}();\n")
    list(APPEND calls "&${member}()")
  endforeach()
  list(JOIN calls ", " calls)
  file(RELATIVE_PATH folder "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  configure_file("${CMAKE_SOURCE_DIR}/resources/cmake/registry.cpp.in" registry.cpp @ONLY)
  set(${sources_variable} ${header}.cpp ${files} "${CMAKE_CURRENT_BINARY_DIR}/registry.cpp" PARENT_SCOPE)
endfunction()

# stagelens_library(NAME SOURCES file... LINKS target... [TOGETHER count]): one folder with its subfolders, one static library, its sources compiled
# together if a count is given. What most of its files include is compiled once, for the first of the libraries.
function(stagelens_library name)
  cmake_parse_arguments(arg "" "TOGETHER" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC stagelens_options ${arg_LINKS})
  get_property(first GLOBAL PROPERTY stagelens_first_library)
  if(first)
    stagelens_precompile(${name} REUSE_FROM ${first})
  else()
    stagelens_precompile(${name} <algorithm> <chrono> <filesystem> <fmt/format.h> <functional> <map> <memory> <optional> <span> <stop_token> <string>
      <vector>)
    set_property(GLOBAL PROPERTY stagelens_first_library ${name})
  endif()
  if(arg_TOGETHER)
    stagelens_compile_together(${name} ${arg_TOGETHER})
  endif()
endfunction()
