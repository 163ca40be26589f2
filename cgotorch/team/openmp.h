/* The part of OpenMP's runtime, by GNU's names, that the team defines. */
#ifndef GOTORCH_OPENMP_H
#define GOTORCH_OPENMP_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void gt_share(void* data);

void GOMP_parallel(gt_share* fn, void* data, unsigned n, unsigned flags);
void GOMP_barrier(void);
bool GOMP_single_start(void);

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void** name);
void GOMP_critical_name_end(void** name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

bool GOMP_loop_dynamic_start(long from, long to, long step, long chunk, long* begin, long* end);
bool GOMP_loop_dynamic_next(long* begin, long* end);
bool GOMP_loop_nonmonotonic_dynamic_start(long from, long to, long step, long chunk, long* begin, long* end);
bool GOMP_loop_nonmonotonic_dynamic_next(long* begin, long* end);
bool GOMP_loop_guided_start(long from, long to, long step, long chunk, long* begin, long* end);
bool GOMP_loop_guided_next(long* begin, long* end);
bool GOMP_loop_nonmonotonic_guided_start(long from, long to, long step, long chunk, long* begin, long* end);
bool GOMP_loop_nonmonotonic_guided_next(long* begin, long* end);
bool GOMP_loop_ordered_dynamic_start(long from, long to, long step, long chunk, long* begin, long* end);
bool GOMP_loop_ordered_dynamic_next(long* begin, long* end);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_parallel_loop_nonmonotonic_dynamic(gt_share* fn, void* data, unsigned n, long from, long to, long step,
                                             long chunk, unsigned flags);
void GOMP_parallel_loop_nonmonotonic_guided(gt_share* fn, void* data, unsigned n, long from, long to, long step,
                                            long chunk, unsigned flags);

unsigned GOMP_sections_start(unsigned n);
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
void GOMP_parallel_sections(gt_share* fn, void* data, unsigned n, unsigned sections, unsigned flags);

int omp_get_max_threads(void);
int omp_get_num_procs(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
void omp_set_num_threads(int n);

/* Not ours, only asked. */
int omp_get_proc_bind(void);
int omp_get_thread_limit(void);

#ifdef __cplusplus
}
#endif
#endif
