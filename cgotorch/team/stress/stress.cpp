// Runs random parallel regions with all OpenMP constructs, from many threads at once. For
// each seed it prints a number. All correct OpenMP runtimes print the same number.
//
//   stress [seeds] [callers]
#include <omp.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using Number = uint64_t;

Number mix(Number x) {
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9, x ^= x >> 27, x *= 0x94d049bb133111eb;
  return x ^ x >> 31;
}

struct Random {
  Number state;
  long below(long n) { return static_cast<long>((state = mix(state + 0x9e3779b97f4a7c15)) % static_cast<Number>(n)); }
};

// The work of iteration i: usually little, sometimes a lot.
Number work(Number seed, long i) {
  Number x = mix(seed + static_cast<Number>(i));
  for (long n = x % 64 == 0 ? 3000 : 10; n > 0; n--) x = mix(x);
  return x;
}

Number loops(Random& r, int threads) {
  const long n = r.below(400), chunk = 1 + r.below(9);
  const Number seed = r.state;
  std::vector<Number> out(static_cast<size_t>(n) + 1);
  Number ordered = seed, sum = 0;
  long last = -1;
  bool wrong = false;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, chunk) nowait
    for (long i = 0; i < n; i++) out[static_cast<size_t>(i)] = work(seed, i);
#pragma omp for schedule(guided, chunk) nowait
    for (long i = n; i > 0; i -= 3) sum += work(seed, -i);
#pragma omp for schedule(monotonic : guided)
    for (long i = 0; i < n; i += 2) sum += out.size() + static_cast<Number>(i);
#pragma omp for schedule(dynamic, chunk) ordered
    for (long i = 0; i < n; i++) {
      const Number x = work(seed, i);
      if (x % 8) {
#pragma omp ordered
        {
          ordered = mix(ordered ^ x);
          if (i <= last) wrong = true;
          last = i;
        }
      }
    }
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) sum += out[static_cast<size_t>(i)];
  }
  return wrong ? 0 : sum ^ ordered;
}

Number barriers(Random& r, int threads) {
  const int rounds = static_cast<int>(r.below(20));
  const Number seed = r.state;
  std::vector<Number> now(static_cast<size_t>(threads)), next(now);
  std::atomic<int> missing{0};
  int singles = 0, first = 0;
#pragma omp parallel num_threads(threads)
  {
    const auto me = static_cast<size_t>(omp_get_thread_num());
    const auto n = static_cast<size_t>(omp_get_num_threads());
    if (n != now.size()) missing++;
    now[me] = work(seed, static_cast<long>(me));
    for (int i = 0; i < rounds; i++) {
#pragma omp barrier
      next[me] = mix(now[me] + now[(me + 1) % n]);
#pragma omp barrier
      now[me] = next[me];
#pragma omp single nowait
      singles++;
#pragma omp single
      first += i;
    }
#pragma omp master
    singles += 1000;
  }
  Number sum = static_cast<Number>(singles * 1000 + first + missing * 7);
  for (const Number x : now) sum = mix(sum ^ x);
  return sum;
}

Number sections(Random& r, int threads) {
  const Number seed = r.state;
  Number a = 0, b = 0, c = 0, d = 0, e = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp sections nowait
    {
#pragma omp section
      a = work(seed, 1);
#pragma omp section
      b = work(seed, 2);
#pragma omp section
      c = work(seed, 3);
    }
#pragma omp sections
    {
#pragma omp section
      d = work(seed, 4);
    }
#pragma omp critical
    e += mix(e + 1);
  }
#pragma omp parallel sections num_threads(threads)
  {
#pragma omp section
    a ^= work(seed, 5);
#pragma omp section
    b ^= work(seed, 6);
  }
  return a + 3 * b + 5 * c + 7 * d + e;
}

Number exclusive(Random& r, int threads) {
  const Number seed = r.state;
  Number plain = 0, one = 0, two = 0;
  long double big = 0;  // long double, because no instruction adds to it atomically
#pragma omp parallel num_threads(threads)
  {
    for (long i = 0; i < 30; i++) {
#pragma omp critical
      plain += work(seed, i);
#pragma omp critical(first)
      one = mix(one + 1);
#pragma omp critical(second)
      two += 3;
#pragma omp atomic
      big += 1;
    }
  }
  return plain + one + mix(two) + static_cast<Number>(big);
}

// Opens nested regions, which get one thread. Each share sets its own thread count.
Number nested(Random& r, int threads) {
  const Number seed = r.state;
  Number sum = 0;
  omp_set_num_threads(threads);
#pragma omp parallel reduction(+ : sum)
  {
    sum += static_cast<Number>(omp_in_parallel() + 2 * omp_get_max_threads());
    omp_set_num_threads(1 + omp_get_thread_num() % 3);
#pragma omp parallel reduction(+ : sum)
    {
      sum += static_cast<Number>(100 * omp_get_num_threads() + 1000 * omp_get_thread_num());
#pragma omp for schedule(dynamic)
      for (long i = 0; i < 20; i++) sum += work(seed, i);
#pragma omp barrier
#pragma omp single
      sum += 5;
    }
    sum += static_cast<Number>(7 * omp_get_num_threads());
  }
  return sum + static_cast<Number>(omp_get_max_threads() + 50 * omp_in_parallel());
}

// Runs shares that wait for each other through flags that are unknown to the runtime.
Number flags(Random& r, int threads) {
  const Number seed = r.state;
  std::vector<std::atomic<Number>> flag(static_cast<size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const auto me = static_cast<size_t>(omp_get_thread_num()), n = static_cast<size_t>(threads);
    // Each share except the last waits for the next one.
    Number x = 1;
    if (me + 1 < n)
      while (!(x = flag[me + 1].load())) std::this_thread::yield();
    flag[me].store(mix(x + seed) | 1);
  }
  return flag[0].load();
}

Number region(Random& r) {
  static const int counts[] = {1, 2, 2, 3, 4, 8};
  const int threads = counts[r.below(6)];
  switch (r.below(8)) {
    case 0: return barriers(r, threads);
    case 1: return sections(r, threads);
    case 2: return exclusive(r, threads);
    case 3: return nested(r, threads);
    case 4: return flags(r, threads);
    default: return loops(r, threads);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long seeds = argc > 1 ? std::atol(argv[1]) : 100, callers = argc > 2 ? std::atol(argv[2]) : 8;
  std::vector<Number> sums(static_cast<size_t>(seeds));
  std::atomic<long> next{0};
  std::vector<std::thread> threads;
  for (long c = 0; c < callers; c++)
    threads.emplace_back([&] {
      for (long s; (s = next++) < seeds;) {
        Random r{mix(static_cast<Number>(s))};
        Number sum = 0;
        for (int i = 0; i < 20; i++) sum = mix(sum ^ region(r));
        sums[static_cast<size_t>(s)] = sum;
      }
    });
  for (auto& t : threads) t.join();
  for (const Number x : sums) std::printf("%016llx\n", static_cast<unsigned long long>(x));
}
