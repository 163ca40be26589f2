package c10d

// #include <stdlib.h>
// #include "c10d.h"
import "C"

import "strings"

// Store is a key-value store. The caller must free it.
type Store uintptr

// TCP contains the settings of a store over TCP. Times are in milliseconds.
type TCP struct {
	Host        string
	Port        int
	Server      bool
	Workers     int // -1 if unknown
	WaitWorkers bool
	Timeout     int64
	Listener    int // socket for the server, which then owns it; -1 for none
}

// NewTCPStore returns a store over TCP and its port. See [TCP] for how long it waits.
func NewTCPStore(o TCP) (Store, int, Status) {
	host, free := text(o.Host)
	defer free()
	var s C.gt_store
	var port C.int
	st := status(C.gt_store_tcp(host, C.int(o.Port), flag(o.Server), C.int64_t(o.Workers), flag(o.WaitWorkers),
		C.int64_t(o.Timeout), C.int(o.Listener), &s, &port))
	return Store(s), int(port), st
}

// NewFileStore returns a store in a file.
func NewFileStore(path string, workers int) (Store, Status) {
	p, free := text(path)
	defer free()
	var s C.gt_store
	st := status(C.gt_store_file(p, C.int64_t(workers), &s))
	return Store(s), st
}

// NewHashStore returns a store in this process's memory.
func NewHashStore() (Store, Status) {
	var s C.gt_store
	st := status(C.gt_store_hash(&s))
	return Store(s), st
}

// NewPrefixStore returns a store that adds prefix to each key and then uses another
// store. It keeps that store alive.
func NewPrefixStore(prefix string, of Store) (Store, Status) {
	p, free := text(prefix)
	defer free()
	var s C.gt_store
	st := status(C.gt_store_prefix(p, C.gt_store(of), &s))
	return Store(s), st
}

// Clone returns a new connection to the same store.
func (s Store) Clone() (Store, Status) {
	var c C.gt_store
	st := status(C.gt_store_clone(C.gt_store(s), &c))
	return Store(c), st
}

// Free frees a store that is not in use.
func (s Store) Free() { C.gt_store_free(C.gt_store(s)) }

// Set sets a key.
func (s Store) Set(key string, value []byte) Status {
	k, free := text(key)
	defer free()
	p, n := data(value)
	return status(C.gt_store_set(C.gt_store(s), k, p, n))
}

// Get waits for a key and returns its value.
func (s Store) Get(key string, timeout int64) ([]byte, Status) {
	k, free := text(key)
	defer free()
	var out C.gt_bytes
	st := status(C.gt_store_get(C.gt_store(s), k, C.int64_t(timeout), &out))
	return take(out), st
}

// Add adds n to the counter key and returns the sum.
func (s Store) Add(key string, n int64) (int64, Status) {
	k, free := text(key)
	defer free()
	var out C.int64_t
	st := status(C.gt_store_add(C.gt_store(s), k, C.int64_t(n), &out))
	return int64(out), st
}

// Append appends value to the value of key.
func (s Store) Append(key string, value []byte) Status {
	k, free := text(key)
	defer free()
	p, n := data(value)
	return status(C.gt_store_append(C.gt_store(s), k, p, n))
}

// CompareSet sets key to value if the key's current value is want. It returns the key's
// value afterwards.
func (s Store) CompareSet(key string, want, value []byte) ([]byte, Status) {
	k, free := text(key)
	defer free()
	w, nw := data(want)
	p, n := data(value)
	var out C.gt_bytes
	st := status(C.gt_store_compare_set(C.gt_store(s), k, w, nw, p, n, &out))
	return take(out), st
}

// Delete deletes a key and reports whether it existed.
func (s Store) Delete(key string) (bool, Status) {
	k, free := text(key)
	defer free()
	var out C.int
	st := status(C.gt_store_delete(C.gt_store(s), k, &out))
	return out != 0, st
}

// Check reports whether all keys exist.
func (s Store) Check(keys []string) (bool, Status) {
	all, free := list(keys)
	defer free()
	var out C.int
	st := status(C.gt_store_check(C.gt_store(s), &all[0], C.int64_t(len(keys)), &out))
	return out != 0, st
}

// NumKeys returns the number of keys.
func (s Store) NumKeys() (int64, Status) {
	var out C.int64_t
	st := status(C.gt_store_num_keys(C.gt_store(s), &out))
	return int64(out), st
}

// Wait waits for keys.
func (s Store) Wait(keys []string, timeout int64) Status {
	all, free := list(keys)
	defer free()
	return status(C.gt_store_wait(C.gt_store(s), &all[0], C.int64_t(len(keys)), C.int64_t(timeout)))
}

// List returns all keys. For a prefix store these are all keys of the underlying store.
func (s Store) List() ([]string, Status) {
	var out C.gt_bytes
	st := status(C.gt_store_list(C.gt_store(s), &out))
	keys := strings.Split(string(take(out)), "\x00")
	return keys[:len(keys)-1], st
}

// Push appends to a queue.
func (s Store) Push(queue string, value []byte) Status {
	q, free := text(queue)
	defer free()
	p, n := data(value)
	return status(C.gt_store_push(C.gt_store(s), q, p, n))
}

// Pop removes and returns the first element of a queue, if there is one.
func (s Store) Pop(queue string) ([]byte, bool, Status) {
	q, free := text(queue)
	defer free()
	var out C.gt_bytes
	var found C.int
	st := status(C.gt_store_pop(C.gt_store(s), q, &out, &found))
	return take(out), found != 0, st
}

// QueueLen returns the length of a queue.
func (s Store) QueueLen(queue string) (int64, Status) {
	q, free := text(queue)
	defer free()
	var out C.int64_t
	st := status(C.gt_store_queue_len(C.gt_store(s), q, &out))
	return int64(out), st
}
