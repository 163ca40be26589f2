#define _GNU_SOURCE  // recursive mutexes
#include "foreign.h"

#include <pthread.h>
#include <stdlib.h>

#ifdef __APPLE__
static pthread_mutex_t interpreter = PTHREAD_RECURSIVE_MUTEX_INITIALIZER;
#else
static pthread_mutex_t interpreter = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#endif

void foreign_lock(void) { pthread_mutex_lock(&interpreter); }
void foreign_unlock(void) { pthread_mutex_unlock(&interpreter); }

typedef struct {
  foreign_array* array;
  void* data;
  int64_t dims[2 * FOREIGN_MAX_DIMS];
} context;

static void gone(context* c) {
  if (c->array->locks) foreign_lock();
  __atomic_add_fetch(&c->array->deleted, 1, __ATOMIC_SEQ_CST);
  if (c->array->locks) foreign_unlock();
  free(c->data);
  free(c);
}

static void delete_legacy(DLManagedTensor* m) {
  gone(m->manager_ctx);
  free(m);
}

static void delete_versioned(DLManagedTensorVersioned* m) {
  gone(m->manager_ctx);
  free(m);
}

foreign_array* foreign_new(int8_t versioned, int8_t locks, int64_t nbytes) {
  foreign_array* a = calloc(1, sizeof *a);
  context* c = calloc(1, sizeof *c);
  void* m = calloc(1, versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor));
  void* data = calloc(1, nbytes ? nbytes : 1);
  if (!a || !c || !m || !data) {
    free(a), free(c), free(m), free(data);
    return NULL;
  }
  a->versioned = versioned;
  a->locks = locks;
  c->array = a;
  c->data = data;
  if (versioned) {
    a->managed.versioned = m;
    a->managed.versioned->version = (DLPackVersion){1, 0};
    a->managed.versioned->manager_ctx = c;
    a->managed.versioned->deleter = delete_versioned;
  } else {
    a->managed.legacy = m;
    a->managed.legacy->manager_ctx = c;
    a->managed.legacy->deleter = delete_legacy;
  }
  DLTensor* t = foreign_tensor(a);
  t->data = data;
  t->device.device_type = kDLCPU;
  t->shape = c->dims;
  t->strides = c->dims + FOREIGN_MAX_DIMS;
  return a;
}

void foreign_free(foreign_array* a) { free(a); }

DLTensor* foreign_tensor(foreign_array* a) {
  return a->versioned ? &a->managed.versioned->dl_tensor : &a->managed.legacy->dl_tensor;
}

int64_t foreign_deleted(foreign_array* a) { return __atomic_load_n(&a->deleted, __ATOMIC_SEQ_CST); }

static void* call_legacy(void* p) {
  DLManagedTensor* m = p;
  m->deleter(m);
  return NULL;
}

static void* call_versioned(void* p) {
  DLManagedTensorVersioned* m = p;
  m->deleter(m);
  return NULL;
}

void foreign_delete_elsewhere(void* managed, int8_t versioned) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, versioned ? call_versioned : call_legacy, managed)) abort();
  pthread_join(thread, NULL);
}
