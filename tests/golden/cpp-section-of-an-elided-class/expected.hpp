#pragma once

#include <string>

namespace dump {

class Visitor {
 public:
  explicit Visitor(Writer* writer) : writer_(writer) {}

 private:
  void attributes(const Member& member);

  /// The database that names are looked up in.
  Types& sources(std::size_t limit) const {
    return items_ ? *items_ : types_;
  }

  Writer* writer_;
  Types* items_ = nullptr;
};

}  // namespace dump
