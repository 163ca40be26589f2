//go:build linux

// Computes a sum in a parallel region, with constructs that need several threads.
extern "C" __attribute__((visibility("default"))) long shared_sum(long n, int threads) {
  long sum = 0, rounds = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 3)
    for (long i = 0; i < n; i++) sum += i;
#pragma omp barrier
#pragma omp single
    rounds++;
  }
  return sum + rounds;
}
