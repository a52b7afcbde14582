# Whether and how nvcc compiles the GPU kernels. Sets STAGELENS_CUDA to ON or OFF and, with ON, enables the language.
#
# C++20 is given by hand: CMake 3.25 does not know that CUDA has it.
if(STAGELENS_SANITIZER)
  set(STAGELENS_CUDA OFF) # sanitizers cannot see into what nvcc makes; their builds run the kernels on the host
elseif(STAGELENS_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  set(STAGELENS_CUDA OFF)
  if(CMAKE_CUDA_COMPILER)
    execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --version OUTPUT_VARIABLE said)
    find_package(CUDAToolkit QUIET)
    if(NOT said MATCHES "release ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 12)
      message(STATUS "GPU kernels are left out: ${CMAKE_CUDA_COMPILER} is older than CUDA 12")
    elseif(NOT TARGET CUDA::cublasLt)
      message(STATUS "GPU kernels are left out: beside ${CMAKE_CUDA_COMPILER} there is no cuBLASLt")
    else()
      set(STAGELENS_CUDA ON)
    endif()
  endif()
endif()
if(STAGELENS_CUDA)
  # Given before the language is enabled: CMake's own default may name GPUs that this nvcc has dropped.
  set(STAGELENS_CUDA_ARCHITECTURES 90-real CACHE STRING "Compute capabilities to compile for, as CMAKE_CUDA_ARCHITECTURES")
  set(CMAKE_CUDA_ARCHITECTURES "${STAGELENS_CUDA_ARCHITECTURES}")
  set(CMAKE_CUDA_FLAGS_INIT "-std=c++20")
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD_DEFAULT "") # or CMake would take over the C++ standard and give the highest that it knows
endif()

# Warnings of both compilers as errors, and of the assembler the two that cost speed unseen: registers spilled to memory, and
# arrays that it puts there. Each option is one word, because ccache reorders those of two.
set(fatal "$<$<BOOL:${STAGELENS_WERROR}>:,-Werror>")
set(STAGELENS_CUDA_OPTIONS --expt-relaxed-constexpr "-Xptxas=-warn-spills,-warn-lmem-usage${fatal}"
  "-Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-ffp-contract=off${fatal}" "$<$<BOOL:${STAGELENS_WERROR}>:-Werror=all-warnings>")

# stagelens_cuda_options(TARGET): how nvcc compiles it.
function(stagelens_cuda_options target)
  set_target_properties(${target} PROPERTIES AUTOMOC OFF)
  target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE ${STAGELENS_CUDA_OPTIONS})
endfunction()

# NCCL is looked for beside the toolkit and among the system's headers; its library is loaded when it is asked for.
if(NOT STAGELENS_CUDA)
  set(STAGELENS_NCCL OFF)
elseif(STAGELENS_NCCL)
  find_package(CUDAToolkit REQUIRED)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NCCL_INCLUDE_DIR)
    set(STAGELENS_NCCL ON)
  elseif(STAGELENS_NCCL STREQUAL "AUTO")
    message(STATUS "NCCL is left out: there is no nccl.h")
    set(STAGELENS_NCCL OFF)
  else()
    message(FATAL_ERROR "STAGELENS_NCCL is ON, but there is no nccl.h; install libnccl-dev, or set NCCL_INCLUDE_DIR")
  endif()
endif()
