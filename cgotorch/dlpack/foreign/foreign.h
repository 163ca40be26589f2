// Arrays of a foreign library, for tests.
#ifndef GOTORCH_FOREIGN_H
#define GOTORCH_FOREIGN_H

#include <ATen/dlpack.h>

enum { FOREIGN_MAX_DIMS = 64 };

// A foreign array. It still exists after its deleter has freed the DLPack struct and the
// elements.
typedef struct {
  int64_t deleted;  // how often the deleter was called
  int8_t versioned;
  int8_t locks;  // whether the deleter takes the lock, as Python's deleters do
  union {
    DLManagedTensor* legacy;
    DLManagedTensorVersioned* versioned;
  } managed;
} foreign_array;

// Returns an array of nbytes zero bytes, or null if out of memory. The deleter frees the
// bytes with the struct. Shape and strides have room for FOREIGN_MAX_DIMS numbers.
foreign_array* foreign_new(int8_t versioned, int8_t locks, int64_t nbytes);
void foreign_free(foreign_array* a);
DLTensor* foreign_tensor(foreign_array* a);
int64_t foreign_deleted(foreign_array* a);

// Calls the deleter of a gotorch struct on a new thread, and waits for it.
void foreign_delete_elsewhere(void* managed, int8_t versioned);

// Locks the library's lock. The lock is recursive.
void foreign_lock(void);
void foreign_unlock(void);

#endif
