// A libtorch header (ATen/functorch/Interpreter.h) includes the JSON library nlohmann, which
// libtorch does not install. Some inline functions of the header use the library to write a
// layer as text. Nothing here calls them, so this file only declares what they need.
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
