// libtorch's header of the layers (ATen/functorch/Interpreter.h) includes the JSON library
// of this name, which libtorch does not install: some of its inline functions write a layer
// as text. Nobody here calls them, so what they mention is declared and defined nowhere.
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
