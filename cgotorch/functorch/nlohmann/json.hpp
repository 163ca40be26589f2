// A libtorch header (ATen/functorch/Interpreter.h) includes the JSON library nlohmann,
// which is not installed with libtorch. Inline functions in that header use the library
// to write a layer as text. gotorch does not call these functions, so this file only
// declares the names that they use.
#pragma once

#include <string>

namespace nlohmann {

struct json {
  json();
  template <class T>
  explicit json(const T& value);
  template <class T>
  T get() const;
  std::string dump() const;
  static json parse(const std::string& text);
};

}  // namespace nlohmann
