// Reads and writes TorchScript archives.
#ifdef GOTORCH_TOGETHER

#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

#include <unistd.h>

#include <cerrno>

namespace gt::jit {
namespace {

// The bytes of an archive, either in memory or in a file that is read on demand. Reading
// does not change the file's position.
class Bytes : public caffe2::serialize::ReadAdapterInterface {
 public:
  Bytes(int fd, const void* data, int64_t size) : fd_(fd), data_(static_cast<const char*>(data)), size_(size) {}

  size_t size() const override { return size_; }

  size_t read(uint64_t pos, void* buf, size_t n, const char* what) const override {
    TORCH_CHECK(pos <= size_ && n <= size_ - pos, "the archive ends too early, in ", what);
    if (data_) {
      std::memcpy(buf, data_ + pos, n);
      return n;
    }
    for (size_t got = 0; got < n;) {
      const auto r = pread(fd_, static_cast<char*>(buf) + got, std::min(n - got, size_t(1) << 30), pos + got);
      if (r < 0 && errno == EINTR) continue;
      TORCH_CHECK(r > 0, "the archive cannot be read, in ", what, ": ", r ? std::strerror(errno) : "it ends too early");
      got += r;
    }
    return n;
  }

 private:
  int fd_;
  const char* data_;
  uint64_t size_;
};

std::vector<std::string> names(const char* text, int64_t n) {
  std::vector<std::string> out;
  for (int64_t at = 0; at < n;) {
    out.emplace_back(text + at);
    at += out.back().size() + 1;
  }
  return out;
}

gt_jit_module give(torch::jit::Module m) { return reinterpret_cast<gt_jit_module>(new Held(std::move(m))); }

const torch::jit::Module& module(gt_jit_module m) { return reinterpret_cast<Held*>(m)->module; }

}  // namespace
}  // namespace gt::jit

extern "C" {

uintptr_t gt_jit_load(gt_ctx cx, int fd, const void* data, int64_t size, int32_t device, gt_jit_module* out) {
  try {
    gt::enter(cx);
    torch::jit::ExtraFilesMap none;
    std::optional<c10::Device> to;
    if (device != -1) to = gt::jit::device(device);
    *out = gt::jit::give(torch::jit::load(std::make_shared<gt::jit::Bytes>(fd, data, size), to, none, false));
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_save(gt_ctx cx, gt_jit_module m, const char* text, const int64_t* lengths, int64_t n_extra,
                      gt_jit_out* out) {
  try {
    gt::enter(cx);
    torch::jit::ExtraFilesMap extra;
    for (int64_t i = 0; i < n_extra; i++) {
      std::string name(text, lengths[2 * i]);
      text += lengths[2 * i];
      extra.emplace(std::move(name), std::string(text, lengths[2 * i + 1]));
      text += lengths[2 * i + 1];
    }
    std::string all;
    torch::jit::ExportModule(
        gt::jit::module(m),
        [&](const void* p, size_t n) -> size_t {
          all.append(static_cast<const char*>(p), n);
          return n;
        },
        extra);
    auto* bytes = static_cast<uint64_t*>(std::malloc(all.size() + 1));
    if (!bytes) throw std::bad_alloc();
    std::memcpy(bytes, all.data(), all.size());
    *out = {0, bytes, static_cast<int64_t>(all.size()), nullptr, 0};
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_freeze(gt_ctx cx, gt_jit_module m, const char* keep, int64_t n, int numerics, gt_jit_module* out) {
  try {
    gt::enter(cx);
    *out = gt::jit::give(torch::jit::freeze(gt::jit::module(m), gt::jit::names(keep, n), numerics));
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_optimize(gt_ctx cx, gt_jit_module m, const char* methods, int64_t n, gt_jit_module* out) {
  try {
    gt::enter(cx);
    const auto others = gt::jit::names(methods, n);
    auto copy = gt::jit::module(m);
    // Freeze first, as Python does, because libtorch keeps only forward.
    if (copy.hasattr("training")) copy = torch::jit::freeze(copy, others);
    *out = gt::jit::give(torch::jit::optimize_for_inference(copy, others));
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

uintptr_t gt_jit_copy(gt_ctx cx, gt_jit_module m, gt_jit_module* out) {
  try {
    gt::enter(cx);
    *out = gt::jit::give(gt::jit::module(m).deepcopy());
    return 0;
  } catch (...) {
    return gt::jit::caught();
  }
}

}  // extern "C"

#endif
