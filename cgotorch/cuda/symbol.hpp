// What is looked up by name in the libraries that gt_cuda_load opened.
#pragma once

#include "abi.hpp"

namespace gtcuda {

// The function or variable of that name.
template <typename T>
T* symbol(const char* name) {
  void* p = dlsym(RTLD_DEFAULT, name);
  if (!p) throw gt::MissingOperator(std::string("this libtorch_cuda has no ") + name);
  return reinterpret_cast<T*>(p);
}

// Ends in an exception that names the error of a function of the CUDA runtime.
inline void check(int error) {
  if (!error) return;
  symbol<int()>("cudaGetLastError")();  // nobody else is to meet it
  const char* text = symbol<const char*(int)>("cudaGetErrorString")(error);
  const char* name = symbol<const char*(int)>("cudaGetErrorName")(error);
  TORCH_CHECK(false, "CUDA error: ", text, "\nSearch for `", name, "'");
}

}  // namespace gtcuda
