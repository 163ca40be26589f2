// Allocates, checks, passes on and frees blocks of all sizes on many threads, and then
// checks every statistic.
//
//   stress [seconds] [threads]
//
// scripts/test_alloc.sh builds it both plain and with sanitizers.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "../alloc_core.hpp"
#include "../history.hpp"

// Without libtorch there are no operators, so every thread has its own stack number.
namespace gt::history {
Place place() noexcept {
  thread_local char here;
  return {uint32_t(reinterpret_cast<uintptr_t>(&here) >> 6) | 1, 0, true};
}
void watch_operators(bool) noexcept {}
}  // namespace gt::history

namespace {

#define CHECK(cond)                                                        \
  do {                                                                     \
    if (!(cond)) {                                                         \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #cond); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

using gt::alloc::allocate;
using gt::alloc::deallocate;

struct Item {
  unsigned char* p;
  size_t n;
  unsigned char tag;
};

// Marks the first and the last byte of a block and one byte in each page.
// That is cheap, and is enough to detect that a block has two owners.
void mark(const Item& it) {
  for (size_t i = 0; i < it.n; i += 4096) it.p[i] = it.tag;
  it.p[it.n - 1] = it.tag;
}
void verify(const Item& it) {
  for (size_t i = 0; i < it.n; i += 4096) CHECK(it.p[i] == it.tag);
  CHECK(it.p[it.n - 1] == it.tag);
}

// Blocks that were allocated by one thread and are freed by another.
struct Exchange {
  std::mutex mu;
  std::vector<Item> items;
} exchange[16];

std::atomic<int64_t> live{0}, made{0}, freed{0}, made_bytes{0};
std::atomic<int64_t> failed{0};

size_t pick(std::mt19937_64& rng) {
  switch (rng() % 64) {
    case 0: return 1 + rng() % (8 << 20);
    case 1: case 2: return 1 + rng() % (1 << 20);
    case 3: case 4: case 5: case 6: return 1 + rng() % (64 << 10);
    case 7: case 8: case 9: case 10: case 11: case 12: return 1 + rng() % 4096;
    default: return 1 + rng() % 256;
  }
}

void release(Item it) {
  verify(it);
  CHECK(gt::alloc::requested_size(it.p) == it.n);
  CHECK(deallocate(it.p) == it.n);
  live -= int64_t(it.n);
  freed++;
}

void work(unsigned seed, std::chrono::steady_clock::time_point until) {
  std::mt19937_64 rng(seed);
  std::vector<Item> mine;
  gt_mem_stat seen{};
  while (std::chrono::steady_clock::now() < until) {
    for (int k = 0; k < 200; k++) {
      const auto r = rng() % 100;
      if (r < 45 && mine.size() < 400) {
        Item it{nullptr, pick(rng), static_cast<unsigned char>(rng())};
        it.p = static_cast<unsigned char*>(allocate(it.n));
        if (!it.p) {
          failed++;
          continue;
        }
        CHECK(reinterpret_cast<uintptr_t>(it.p) % 64 == 0);
        live += int64_t(it.n);
        made++;
        made_bytes += int64_t(it.n);
        mark(it);
        mine.push_back(it);
      } else if (r < 70 && !mine.empty()) {
        const size_t i = rng() % mine.size();
        std::swap(mine[i], mine.back());
        release(mine.back());
        mine.pop_back();
      } else if (r < 85 && !mine.empty()) {
        Exchange& e = exchange[rng() % 16];
        std::lock_guard g(e.mu);
        if (e.items.size() < 200) {
          e.items.push_back(mine.back());
          mine.pop_back();
        }
      } else {
        Exchange& e = exchange[rng() % 16];
        Item it{};
        {
          std::lock_guard g(e.mu);
          if (e.items.empty()) continue;
          it = e.items.back();
          e.items.pop_back();
        }
        release(it);
      }
    }
    if (rng() % 4000 == 0) gt_mem_empty_cache();
    if (rng() % 1000 == 0) gt_mem_trim(0);
    if (rng() % 50 == 0) {
      gt_mem_stats s;
      gt_mem_get_stats(&s);
      CHECK(s.requested_bytes[0].current <= s.requested_bytes[0].peak);
      CHECK(s.allocated_bytes[0].current >= s.requested_bytes[0].current);
      CHECK(s.reserved_bytes[0].current >= s.allocated_bytes[0].current);
      // Sums and current values must be from the same moment.
      CHECK(s.allocation[1].allocated >= seen.allocated && s.allocation[1].freed >= seen.freed);
      seen = s.allocation[1];
    }
  }
  for (auto& it : mine) release(it);
}

void drain() {
  for (auto& e : exchange) {
    for (auto& it : e.items) release(it);
    e.items.clear();
  }
}

void check_quiet() {
  gt_mem_stats s;
  gt_mem_get_stats(&s);
  CHECK(s.requested_bytes[0].current == live);
  CHECK(s.allocation[0].allocated == made);
  CHECK(s.allocation[0].freed == freed);
  CHECK(s.allocation[0].current == made - freed);
  CHECK(s.requested_bytes[0].allocated == made_bytes);
  for (const gt_mem_stat* k : {s.allocation, s.segment, s.active, s.inactive_split, s.allocated_bytes,
                               s.reserved_bytes, s.active_bytes, s.inactive_split_bytes, s.requested_bytes}) {
    for (int i = 0; i < 3; i++) {
      CHECK(k[i].current == k[i].allocated - k[i].freed);
      CHECK(k[i].current >= 0 && k[i].current <= k[i].peak);
    }
    CHECK(k[0].current == k[1].current + k[2].current);
    CHECK(k[0].peak <= k[1].peak + k[2].peak);
  }
}

int64_t page_kb() { return sysconf(_SC_PAGESIZE) >> 10; }

int64_t resident_kb() {
  long pages = 0, total = 0;
  FILE* f = std::fopen("/proc/self/statm", "r");
  if (!f || std::fscanf(f, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (f) std::fclose(f);
  return pages * page_kb();
}

// Checks the statistics after allocations of one thread, for which the numbers are known.
void test_numbers() {
  gt_mem_stats s;
  void* a = allocate(100);
  void* b = allocate(3 << 20);
  gt_mem_get_stats(&s);
  CHECK(s.requested_bytes[0].current == 100 + (3 << 20));
  CHECK(s.requested_bytes[1].current == 100);
  CHECK(s.allocated_bytes[1].current == 128);
  CHECK(s.reserved_bytes[1].current == 2 << 20);
  CHECK(s.reserved_bytes[2].current == 20 << 20);
  CHECK(s.allocated_bytes[2].current == 3 << 20);
  CHECK(s.inactive_split_bytes[2].current == 17 << 20);
  CHECK(s.inactive_split[2].current == 1);
  const int64_t w = gt_mem_window_open();
  void* c = allocate(1000);
  deallocate(c);
  deallocate(b);
  gt_mem_window win;
  CHECK(gt_mem_window_read(w, &win, 1));
  CHECK(win.start_requested == 100 + (3 << 20));
  CHECK(win.peak_requested == 1100 + (3 << 20));
  CHECK(win.end_requested == 100);
  CHECK(win.allocations == 1 && win.allocated_bytes == 1000);
  CHECK(!gt_mem_window_read(w, &win, 1));
  deallocate(a);
  gt_mem_get_stats(&s);
  CHECK(s.requested_bytes[0].peak == 1100 + (3 << 20));
  CHECK(s.inactive_split[2].current == 0);
  gt_mem_reset_peak();
  gt_mem_empty_cache();
  gt_mem_get_stats(&s);
  CHECK(s.reserved_bytes[0].current == 0);
  CHECK(s.inactive_split[0].current == 0);
  CHECK(s.requested_bytes[0].peak == 0);
  CHECK(s.num_device_alloc == 2 && s.num_device_free == 2);
  gt_mem_reset_accumulated();
  gt_mem_get_stats(&s);
  CHECK(s.allocation[0].allocated == 0 && s.allocation[0].freed == 0);
  CHECK(s.inactive_split_bytes[0].allocated == 0 && s.num_device_alloc == 0);
}

// Checks that absurd requests and requests above a limit fail, and that the allocator remains usable.
void test_refusals() {
  CHECK(!allocate(size_t{1} << 60));
  CHECK(!allocate(SIZE_MAX));
  CHECK(!allocate(SIZE_MAX - 4095));
  CHECK(gt_mem_set_limit(64 << 20) == 0);
  void* a = allocate(40 << 20);
  CHECK(a);
  CHECK(gt_mem_set_limit(1 << 20) == 40 << 20);
  CHECK(gt_mem_get_limit() == 64 << 20);
  CHECK(!allocate(30 << 20));
  deallocate(a);
  a = allocate(60 << 20);  // succeeds only if the cached 40 MiB are returned first
  CHECK(a);
  deallocate(a);
  gt_mem_stats s;
  gt_mem_get_stats(&s);
  CHECK(s.num_ooms == 4);
  CHECK(s.num_alloc_retries == 5);
  gt_mem_set_limit(0);
  gt_mem_empty_cache();
  gt_mem_reset_accumulated();
}

// Checks that a trim discards the free slots of used spans and of a thread's cache.
void test_trim() {
  constexpr int kBlocks = 4096;
  constexpr size_t kBytes = 16 << 10;
  std::vector<void*> blocks;
  for (int i = 0; i < kBlocks; i++) {
    blocks.push_back(allocate(kBytes));
    std::memset(blocks.back(), 1, kBytes);
  }
  const int64_t full = resident_kb();
  for (int i = 0; i < kBlocks; i++) {
    if (i % 16) deallocate(blocks[i]);
  }
  gt_mem_trim(10'000);  // does nothing: no memory was unused for 10 s
  CHECK(resident_kb() > full - (8 << 10));
  gt_mem_trim(0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // One block in 16 keeps its page, or two pages if pages are larger than blocks, because
  // a block may cross a page boundary.
  const int64_t whole = int64_t{kBlocks} * kBytes >> 10, group = 16 * kBytes >> 10;
  const int64_t kept = page_kb() > int64_t{kBytes >> 10} ? 2 * page_kb() : kBytes >> 10;
  CHECK(resident_kb() < full - whole * (group - kept) / group * 4 / 5);
#endif
  for (int i = 0; i < kBlocks; i += 16) {
    CHECK(*static_cast<char*>(blocks[i]) == 1);
    deallocate(blocks[i]);
  }
  gt_mem_empty_cache();
  gt_mem_reset_accumulated();
}

}  // namespace

// Allocates a block and records it in the history, as libtorch's allocator does.
void* recorded_allocate(size_t n) {
  void* p = allocate(n);
  if (p && gt::history::on()) gt::history::allocated(p, n);
  return p;
}
size_t recorded_deallocate(void* p) {
  if (gt::history::on()) gt::history::freed(p, gt::alloc::requested_size(p));
  return deallocate(p);
}

// Checks that blocks cover their segments, and that allocations and frees of an address alternate.
// Other threads may run.
void check_view(bool quiet) {
  gt_heap_view v;
  CHECK(gt_heap_view_take(&v, 1));
  int64_t allocated = 0, reserved = 0;
  for (int64_t i = 0; i < v.n_segments; i++) {
    const gt_segment& s = v.segments[i];
    uint64_t at = s.addr;
    int64_t used = 0;
    for (int64_t k = s.first_block; k < s.first_block + s.blocks; k++) {
      const gt_block& b = v.blocks[k];
      CHECK(b.addr == at && b.size > 0 && b.requested <= b.size && (b.requested > 0) == (b.used != 0));
      at += uint64_t(b.size);
      if (b.used) used += b.size;
      if (quiet && b.used) CHECK(b.stack != 0);
    }
    CHECK(at == s.addr + uint64_t(s.size) && used == s.allocated);
    allocated += used;
    reserved += s.size;
  }
  if (quiet) {
    gt_mem_stats s;
    gt_mem_get_stats(&s);
    CHECK(allocated == s.allocated_bytes[0].current && reserved == s.reserved_bytes[0].current);
    std::unordered_map<uint64_t, bool> alive;
    for (int64_t i = 0; i < v.n_events && !v.lost; i++) {
      const gt_event& e = v.events[i];
      if (e.action != GT_EVENT_ALLOC && e.action != GT_EVENT_FREE) continue;
      bool& a = alive[e.addr];
      CHECK(a == (e.action == GT_EVENT_FREE));
      a = !a;
    }
  }
  gt_heap_view_free(&v);
}

// Lets threads allocate blocks and free the blocks of other threads, while everything is
// recorded and snapshots are taken.
void test_history(int threads) {
  gt_mem_empty_cache();
  gt_history_start(GT_HISTORY_ALL, GT_CONTEXT_ALL, 0, 1);
  std::vector<std::thread> ts;
  std::atomic<int> busy{threads};
  for (int i = 0; i < threads; i++) {
    ts.emplace_back([&, i] {
      std::mt19937_64 rng{unsigned(i)};
      std::vector<void*> mine;
      for (int k = 0; k < 20000; k++) {
        if (mine.size() < 200 && (mine.empty() || rng() % 2)) {
          mine.push_back(recorded_allocate(1 + rng() % (rng() % 8 ? 2000 : 200000)));
          CHECK(mine.back());
        } else {
          std::swap(mine[rng() % mine.size()], mine.back());
          recorded_deallocate(mine.back());
          mine.pop_back();
        }
      }
      for (void* p : mine) recorded_deallocate(p);
      busy--;
    });
  }
  while (busy) check_view(false);
  for (auto& t : ts) t.join();
  void* p = recorded_allocate(100);
  check_view(true);
  gt_site sites[4];
  CHECK(gt_history_sites(sites, 4) == 1 && sites[0].bytes == 100 && sites[0].count == 1);
  recorded_deallocate(p);
  CHECK(gt_history_sites(sites, 4) == 0);
  gt_history_stop();
  gt_mem_empty_cache();
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 8;
  test_numbers();
  test_refusals();
  test_trim();
  int64_t resident[2] = {0, 0};
  // Two rounds, each with new threads. The second round must not need more memory than the first.
  for (int round = 0; round < 2; round++) {
    const auto until =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds / 2));
    std::vector<std::thread> ts;
    for (int i = 0; i < threads; i++) ts.emplace_back(work, unsigned(round * 100 + i), until);
    for (auto& t : ts) t.join();
    check_quiet();
    drain();
    check_quiet();
    CHECK(live == 0);
    gt_mem_empty_cache();
    gt_mem_stats s;
    gt_mem_get_stats(&s);
    CHECK(s.reserved_bytes[0].current == 0);
    CHECK(s.inactive_split[0].current == 0 && s.inactive_split_bytes[0].current == 0);
    resident[round] = resident_kb();
    std::printf("round %d: %lld allocations, peak %.1f MiB requested, %.1f MiB reserved, %.1f MiB resident after\n",
                round, static_cast<long long>(made.load()), double(s.requested_bytes[0].peak) / (1 << 20),
                double(s.reserved_bytes[0].peak) / (1 << 20), double(resident[round]) / 1024);
  }
  CHECK(failed == 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(resident[1] <= resident[0] + (4 << 10));
#endif
  test_history(threads);
  std::puts("ok");
}
