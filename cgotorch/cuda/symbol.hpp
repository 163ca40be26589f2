// Looks up symbols by name in the libraries that gt_cuda_load has opened.
#pragma once

#include "abi.hpp"

namespace gtcuda {

// Returns the function or variable with the given name.
template <typename T>
T* symbol(const char* name) {
  void* p = dlsym(RTLD_DEFAULT, name);
  if (!p) throw gt::MissingOperator(std::string("this libtorch_cuda has no ") + name);
  return reinterpret_cast<T*>(p);
}

// If error is not 0, throws an exception that names this error of the CUDA runtime.
inline void check(int error) {
  if (!error) return;
  symbol<int()>("cudaGetLastError")();  // clears the error, so that no later call reports it
  const char* text = symbol<const char*(int)>("cudaGetErrorString")(error);
  const char* name = symbol<const char*(int)>("cudaGetErrorName")(error);
  TORCH_CHECK(false, "CUDA error: ", text, "\nSearch for `", name, "'");
}

}  // namespace gtcuda
