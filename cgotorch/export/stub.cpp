// A stand-in for libtorch.so, which libraries of operators are linked with. It has no code of
// its own: in PyTorch it only refers to libtorch_cpu.so and the like. gotorch links these and
// does not install it.
#ifdef GOTORCH_TOGETHER

#ifdef __linux__
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace gt::exported {
namespace {

#ifdef __linux__

// The image of a shared library without symbols, whose name is libtorch.so.
struct Stub {
  Elf64_Ehdr head{};
  Elf64_Phdr parts[2]{};
  Elf64_Dyn dynamic[6]{};
  Elf64_Sym symbol{};
  char text[16] = "\0libtorch.so";

  Stub() {
#if defined(__x86_64__)
    constexpr auto machine = EM_X86_64;
#else
    constexpr auto machine = EM_AARCH64;
#endif
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_DYN;
    head.e_machine = machine;
    head.e_version = EV_CURRENT;
    head.e_phoff = offsetof(Stub, parts);
    head.e_ehsize = sizeof(Elf64_Ehdr);
    head.e_phentsize = sizeof(Elf64_Phdr);
    head.e_phnum = 2;
    parts[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, sizeof(Stub), sizeof(Stub), 0x10000};
    constexpr auto at = offsetof(Stub, dynamic);
    parts[1] = {PT_DYNAMIC, PF_R | PF_W, at, at, at, sizeof dynamic, sizeof dynamic, 8};
    dynamic[0] = {DT_SONAME, {1}};
    dynamic[1] = {DT_STRTAB, {offsetof(Stub, text)}};
    dynamic[2] = {DT_STRSZ, {sizeof text}};
    dynamic[3] = {DT_SYMTAB, {offsetof(Stub, symbol)}};
    dynamic[4] = {DT_SYMENT, {sizeof(Elf64_Sym)}};
    dynamic[5] = {DT_NULL, {0}};
  }
};

// Loads the stand-in, so that the loader finds a library of that name. Without it, loading a
// library says what is missing.
void load_stub() {
  const Stub stub;
  const int fd = memfd_create("libtorch.so", MFD_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, &stub, sizeof stub) == static_cast<ssize_t>(sizeof stub)) {
    dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
  close(fd);
}

#else

void load_stub() {}

#endif

// Makes libtorch.so available to libraries: the real one, if it is loaded already.
void provide_libtorch() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!dlopen("libtorch.so", RTLD_NOW | RTLD_NOLOAD)) load_stub();
  });
}

}  // namespace
}  // namespace gt::exported

#endif
