// Device memory and page-locked host memory.
#include "sim.h"

static sim_block* blocks;
static long requests;
static size_t used[SIM_DEVICES];

sim_block* sim_find(const void* p) {
  for (sim_block* b = blocks; b; b = b->next)
    if ((const char*)p >= b->p && (const char*)p < b->p + b->n) return b;
  return NULL;
}

sim_block* sim_add(char* p, size_t n, sim_kind kind, int device) {
  sim_block* b = calloc(1, sizeof *b);
  *b = (sim_block){.next = blocks, .p = p, .n = n, .kind = kind, .device = device};
  return blocks = b;
}

void sim_forget(sim_block* gone) {
  for (sim_block** at = &blocks; *at; at = &(*at)->next) {
    if (*at != gone) continue;
    *at = gone->next;
    while (gone->uses) {
      sim_use* u = gone->uses;
      gone->uses = u->next;
      free(u);
    }
    free(gone);
    return;
  }
}

void sim_touch(const void* p, size_t n, int stream, const sim_clock* now, bool write) {
  sim_block* b = sim_find(p);
  if (!b || !n) return;
  if (b->freed) sim_misuse("stream %d uses %p, which was freed", stream, p);
  const char *lo = p, *hi = lo + n;
  for (sim_use** at = &b->uses; *at;) {
    sim_use* u = *at;
    const bool known = now->at[u->stream] >= u->at;
    if (!known && u->stream != stream && (u->write || write) && u->lo < hi && lo < u->hi) {
      sim_misuse("streams %d and %d use %p at once and nothing orders them", u->stream, stream, p);
    }
    // What the host has waited for can conflict with nothing any more.
    if (sim_host.at[u->stream] >= u->at) {
      *at = u->next;
      free(u);
    } else {
      at = &u->next;
    }
  }
  sim_use* u = malloc(sizeof *u);
  *u = (sim_use){.next = b->uses, .lo = lo, .hi = hi, .stream = stream, .at = now->at[stream], .write = write};
  b->uses = u;
}

void sim_unuse(const char* lo, const char* hi) {
  sim_block* b = sim_find(lo);
  if (!b) return;
  for (sim_use** at = &b->uses; *at;) {
    sim_use* u = *at;
    if (u->lo < hi && lo < u->hi) {
      *at = u->next;
      free(u);
    } else {
      at = &u->next;
    }
  }
}

// Whether this request is one that is to fail.
static bool told_to_fail(long call) {
  const char* s = getenv("CUDASIM_OOM_AT");
  while (s && *s) {
    char* end;
    const long n = strtol(s, &end, 10);
    if (end == s) return false;
    if (*end == '-' ? call >= n : call == n) return true;
    s = *end ? end + 1 : end;
    if (*s == ',') s++;
  }
  return false;
}

bool sim_take(int device, size_t n) {
  if (told_to_fail(++requests) || used[device] + n > sim_bytes()) return false;
  used[device] += n;
  return true;
}

void sim_give(int device, size_t n) { used[device] -= n; }

cudaError_t cudaMalloc(void** p, size_t n) {
  SIM_LOCK();
  *p = NULL;
  const cudaError_t e = sim_alive();
  if (e) SIM_RETURN(e);
  if (!sim_take(sim_current, n)) SIM_RETURN(cudaErrorMemoryAllocation);
  char* m = aligned_alloc(2 << 20, (n + (2 << 20) - 1) / (2 << 20) * (2 << 20));
  if (!m) {
    sim_give(sim_current, n);
    SIM_RETURN(cudaErrorMemoryAllocation);
  }
  sim_add(m, n, SIM_DEVICE_MEMORY, sim_current);
  *p = m;
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaFree(void* p) {
  if (!p) return cudaSuccess;
  SIM_LOCK();
  sim_run_all();  // the driver waits for the device too
  sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != SIM_DEVICE_MEMORY) {
    sim_misuse("cudaFree of what cudaMalloc did not return");
    SIM_RETURN(cudaErrorInvalidValue);
  }
  sim_give(b->device, b->n);
  sim_forget(b);
  free(p);
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* f, size_t* t) {
  SIM_LOCK();
  *t = sim_bytes();
  *f = *t - used[sim_current];
  SIM_RETURN(sim_alive());
}

cudaError_t cudaHostAlloc(void** p, size_t n, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  char* m = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
  *p = m;
  if (!m) SIM_RETURN(cudaErrorMemoryAllocation);
  sim_add(m, n, SIM_PINNED, sim_current);
  SIM_RETURN(cudaSuccess);
}

static cudaError_t release_host(void* p, sim_kind kind, const char* what) {
  sim_block* b = sim_find(p);
  if (!b || b->p != p || b->kind != kind) {
    sim_misuse(what);
    return cudaErrorInvalidValue;
  }
  if (!sim_idle(b->p, b->p + b->n)) sim_misuse("page-locked memory freed while a copy was still to come");
  sim_run_all();
  sim_forget(b);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* p) {
  if (!p) return cudaSuccess;
  SIM_LOCK();
  const cudaError_t e = release_host(p, SIM_PINNED, "cudaFreeHost of what cudaHostAlloc did not return");
  if (!e) free(p);
  SIM_RETURN(e);
}

cudaError_t cudaHostRegister(void* p, size_t n, unsigned flags) {
  (void)flags;
  SIM_LOCK();
  if (sim_find(p)) SIM_RETURN(cudaErrorHostMemoryAlreadyRegistered);
  sim_add(p, n, SIM_REGISTERED, sim_current);
  SIM_RETURN(cudaSuccess);
}

cudaError_t cudaHostUnregister(void* p) {
  SIM_LOCK();
  SIM_RETURN(release_host(p, SIM_REGISTERED, "cudaHostUnregister of memory that is not registered"));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* a, const void* p) {
  SIM_LOCK();
  memset(a, 0, sizeof *a);
  a->type = cudaMemoryTypeUnregistered;
  a->device = -2;
  const sim_block* b = sim_find(p);
  if (b) {
    const bool host = b->kind == SIM_PINNED || b->kind == SIM_REGISTERED;
    a->type = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    a->device = b->device;
    a->devicePointer = (void*)p;
    a->hostPointer = host ? (void*)p : NULL;
  }
  SIM_RETURN(cudaSuccess);
}
