// The existing memory, its latest uses, and the memory that each device has left.
#include "sim.h"

sim_clock sim_host;
static sim_block* blocks;
static long requests;
static size_t used[SIM_DEVICES];

sim_block* sim_find(const void* p) {
  for (sim_block* b = blocks; b; b = b->next)
    if ((const char*)p >= b->p && (const char*)p < b->p + b->n) return b;
  return NULL;
}

sim_block* sim_overlapping(const char* p, size_t n) {
  for (sim_block* b = blocks; b; b = b->next)
    if (p < b->p + b->n && b->p < p + n) return b;
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

void sim_touch_among(sim_use** uses, const void* p, size_t n, int stream, const sim_clock* now, bool write) {
  const char *lo = p, *hi = lo + n;
  for (sim_use** at = uses; *at;) {
    sim_use* u = *at;
    const bool known = now->at[u->stream] >= u->at;
    if (!known && u->stream != stream && (u->write || write) && u->lo < hi && lo < u->hi) {
      sim_misuse("streams %d and %d use %p at once and nothing orders them", u->stream, stream, p);
    }
    // Work that the host has waited for cannot conflict with later work.
    if (sim_host.at[u->stream] >= u->at) {
      *at = u->next;
      free(u);
    } else {
      at = &u->next;
    }
  }
  sim_use* u = malloc(sizeof *u);
  *u = (sim_use){.next = *uses, .lo = lo, .hi = hi, .stream = stream, .at = now->at[stream], .write = write};
  *uses = u;
}

void sim_touch(const void* p, size_t n, int stream, const sim_clock* now, bool write) {
  sim_block* b = sim_find(p);
  if (!b || !n) return;
  if (b->freed) sim_misuse("stream %d uses %p, which was freed", stream, p);
  sim_touch_among(&b->uses, p, n, stream, now, write);
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

// Whether the request with this number must fail.
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

size_t sim_used(int device) { return used[device]; }

// Parts of reserved address ranges that have memory mapped to them.
typedef struct span {
  struct span* next;
  const char *lo, *hi;
} span;

static span* spans;

void sim_open(const char* lo, const char* hi) {
  span* s = malloc(sizeof *s);
  *s = (span){.next = spans, .lo = lo, .hi = hi};
  spans = s;
}

void sim_shut(const char* lo) {
  for (span** at = &spans; *at; at = &(*at)->next) {
    if ((*at)->lo != lo) continue;
    span* s = *at;
    *at = s->next;
    free(s);
    return;
  }
}

bool sim_mapped(const void* p, size_t n) {
  const sim_block* range = sim_find(p);
  if (!range || range->kind != SIM_RANGE) return true;
  const char *at = p, *end = at + n;
  while (at < end) {
    const span* s = spans;
    while (s && !(s->lo <= at && at < s->hi)) s = s->next;
    if (!s) return false;
    at = s->hi;
  }
  return true;
}
