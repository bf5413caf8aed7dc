#include <map>
#include <string>

namespace cache {

class Store {
 public:
  const std::string* find(const std::string& key) const {
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      return nullptr;
    }
    return &found->second;
  }

  std::string* find(const std::string& key) {
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      return nullptr;
    }
    return &found->second;
  }

  void put(std::string key, std::string value) {
    entries_[std::move(key)] = std::move(value);
  }

 private:
  std::map<std::string, std::string> entries_;
};

}  // namespace cache
