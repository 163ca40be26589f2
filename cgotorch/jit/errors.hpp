// Converts exceptions from TorchScript's interpreter and compiler to errors.
#pragma once

#include "abi.hpp"

#include <torch/csrc/jit/runtime/jit_exception.h>

#include <string>
#include <string_view>
#include <typeinfo>

namespace gt::jit {

constexpr std::string_view preface = "The following operation failed in the TorchScript interpreter.";

// Returns the interpreter's message with the description of the error first. In the original, the
// interpreter's stack is first and the description last.
inline std::string turned(const std::string& text) {
  if (text.compare(0, preface.size(), preface) != 0) return text;
  // The description, such as "RuntimeError: what", is the last paragraph that is not indented.
  size_t at = std::string::npos;
  for (const char* start : {"\nRuntimeError: ", "\ntorch.jit.Error: ", "\nbuiltins.", "\nNotImplementedError: "}) {
    const auto i = text.rfind(start);
    if (i != std::string::npos && (at == std::string::npos || i > at)) at = i;
  }
  if (at == std::string::npos) return text;
  const auto colon = text.find(": ", at);
  std::string what = text.substr(colon + 2);
  while (!what.empty() && what.back() == '\n') what.pop_back();
  return what + "\n" + text.substr(0, at) + "\n" + text.substr(at + 1);
}

// Like gt::caught, for functions that call the interpreter.
__attribute__((noinline, cold)) inline uintptr_t caught() noexcept {
  try {
    try {
      throw;
    } catch (const GoPanic&) {
      throw;
    } catch (const torch::jit::JITException& e) {
      const auto text = turned(e.what());
      const auto name = e.getPythonClassName().value_or("");
      const auto is = [&](std::string_view n) {
        return name.size() >= n.size() && !name.compare(name.size() - n.size(), n.size(), n);
      };
      TORCH_CHECK_INDEX(!is("IndexError") && !is("KeyError"), text);
      TORCH_CHECK_VALUE(!is("ValueError"), text);
      TORCH_CHECK_TYPE(!is("TypeError"), text);
      TORCH_CHECK_NOT_IMPLEMENTED(!is("NotImplementedError"), text);
      throw std::runtime_error(text);
    } catch (const c10::Error& e) {  // newer versions throw the interpreter's errors as c10::Error
      const std::string text = e.what_without_backtrace();
      if (typeid(e) != typeid(c10::Error) || text.compare(0, preface.size(), preface) != 0) throw;
      throw std::runtime_error(turned(text));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      std::string text = e.what();
      text.erase(0, text.find_first_not_of("\n "));  // the compiler's errors start with an empty line
      throw std::runtime_error(turned(text));
    }
  } catch (...) {
    return gt::caught();
  }
}

}  // namespace gt::jit
