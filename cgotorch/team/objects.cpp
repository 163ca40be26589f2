//go:build linux

#include "objects.hpp"

#include "settings.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace gt::team {

namespace {

struct Object {
  uintptr_t begin, end;
  bool ours;
  bool has(uintptr_t address) const { return begin <= address && address < end; }
};

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

// Whether the team defines the OpenMP function with this name.
bool defined_here(const char* name) {
  Dl_info theirs, mine;
  void* found = dlsym(RTLD_DEFAULT, name);
  return found && dladdr(found, &theirs) && dladdr(reinterpret_cast<void*>(&read_settings), &mine) &&
         theirs.dli_fbase == mine.dli_fbase;
}

// A loaded program or library, as dl_iterate_phdr reports it. Its imports are looked up later,
// because dlsym takes a lock: a thread that opens a library holds that lock while it waits for
// dl_iterate_phdr.
struct Listed {
  Object object{UINTPTR_MAX, 0, false};
  bool readable = false;
  std::vector<std::string> imports;  // names of the OpenMP functions that it imports
  Object described() const {
    Object o = object;
    o.ours = readable &&
             std::all_of(imports.begin(), imports.end(), [](const std::string& n) { return defined_here(n.c_str()); });
    return o;
  }
};

// Lists the OpenMP functions that a library imports. In its symbol table, imported
// symbols precede the symbols of the hash table. Without a hash table, the imports cannot
// be read.
void read_imports(const dl_phdr_info* info, const ElfW(Dyn) * dynamic, Listed* out) {
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* hash = nullptr;
  const auto address = [info](ElfW(Addr) p) { return p < info->dlpi_addr ? p + info->dlpi_addr : p; };
  for (; dynamic->d_tag != DT_NULL; dynamic++) {
    const ElfW(Addr) p = address(dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(p);
    if (dynamic->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(p);
    if (dynamic->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const uint32_t*>(p);
  }
  if (!symbols || !names || !hash || hash[1] <= 1) return;
  out->readable = true;
  for (uint32_t i = 1; i < hash[1]; i++) {
    const char* name = names + symbols[i].st_name;
    if (symbols[i].st_shndx != SHN_UNDEF) continue;
    if (starts_with(name, "GOMP_") || starts_with(name, "omp_")) out->imports.emplace_back(name);
  }
}

Listed listed(const dl_phdr_info* info) {
  Listed l;
  Object& o = l.object;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (p.p_type != PT_LOAD) continue;
    o.begin = std::min(o.begin, begin);
    o.end = std::max(o.end, begin + p.p_memsz);
  }
  if (dynamic) read_imports(info, dynamic, &l);
  return l;
}

// The libraries that are never closed. know_objects writes the list once.
std::vector<Object>& lasting() {
  static auto* objects = new std::vector<Object>;
  return *objects;
}

// Libraries that were opened later and may be closed again. changes is the number of
// times that the set of loaded libraries had changed when they were listed.
struct Later {
  std::mutex mutex;
  unsigned long long changes = 0;
  std::vector<Object> objects;
};
Later& later() {
  static auto* l = new Later;
  return *l;
}

unsigned long long changes() {
  unsigned long long n = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* n) {
        *static_cast<unsigned long long*>(n) = info->dlpi_adds + info->dlpi_subs;
        return 1;
      },
      &n);
  return n;
}

bool ours_later(uintptr_t fn) {
  Later& l = later();
  std::lock_guard<std::mutex> lock(l.mutex);
  const auto now = changes();
  if (now != l.changes) l.objects.clear();
  l.changes = now;
  for (const Object& o : l.objects)
    if (o.has(fn)) return o.ours;
  struct Search {
    uintptr_t fn;
    Listed found;
  } search{fn, {{fn, fn + 1, false}, false, {}}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* s = static_cast<Search*>(data);
        Listed l = listed(info);
        if (!l.object.has(s->fn)) return 0;
        s->found = std::move(l);
        return 1;
      },
      &search);
  l.objects.push_back(search.found.described());
  return l.objects.back().ours;
}

}  // namespace

void know_objects() {
  std::vector<Listed> all;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& all = *static_cast<std::vector<Listed>*>(data);
        // libtorch comes first, because most regions are in it.
        all.insert(std::strstr(info->dlpi_name, "torch_cpu") ? all.begin() : all.end(), listed(info));
        return 0;
      },
      &all);
  for (const Listed& l : all) lasting().push_back(l.described());
}

void before_fork() { later().mutex.lock(); }
void after_fork() { later().mutex.unlock(); }

bool is_ours(gt_share* fn) {
  if (!settings().on) return false;
  const auto address = reinterpret_cast<uintptr_t>(fn);
  for (const Object& o : lasting())
    if (o.has(address)) return o.ours;
  return ours_later(address);
}

}  // namespace gt::team
