package live

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// origin is the stack on which the first listed tensor of a storage, and with it the
// storage, was created. A view that outlives its base keeps the base's memory, but the
// view's own stack did not allocate it. An origin exists as long as a listed tensor uses
// the storage, so it may outlast the first tensor.
type origin struct {
	storage uintptr
	site    trace.ID
	users   int // number of listed tensors that use this storage
}

type originShard struct {
	mu sync.Mutex
	of map[uintptr]*origin
}

var origins [shards]originShard

func originShardOf(storage uintptr) *originShard { return &origins[storage>>6%shards] }

// originOf returns the origin of a new tensor's storage and adds the tensor to the
// origin's users. It returns nil if there is no storage.
func originOf(storage uintptr, site trace.ID) *origin {
	if storage == 0 {
		return nil
	}
	s := originShardOf(storage)
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.of[storage]
	if o == nil {
		if s.of == nil {
			s.of = map[uintptr]*origin{}
		}
		o = &origin{storage: storage, site: site}
		s.of[storage] = o
	}
	o.users++
	return o
}

// leave removes a tensor from the origin's users. It must be called before the tensor's
// handle is freed, so that no new storage can have the same address.
func (o *origin) leave() {
	if o == nil {
		return
	}
	s := originShardOf(o.storage)
	s.mu.Lock()
	defer s.mu.Unlock()
	o.users--
	if o.users == 0 {
		delete(s.of, o.storage)
	}
}

// Moved records that the tensor now has a different storage.
func (e *Entry) Moved() {
	if e == nil {
		return
	}
	storage, _ := storageOf(e.Handle)
	s := &registry.shards[e.ID%shards]
	s.mu.Lock() // locked, because another goroutine may be reading the list
	defer s.mu.Unlock()
	e.origin.leave()
	e.origin = originOf(storage, e.Site)
}

// Origin returns the stack of the first listed tensor with the given storage. storage
// must be the current storage of the entry's tensor; an operator may have replaced the
// storage that the tensor had at its creation.
func (e *Entry) Origin(storage uintptr) trace.ID {
	if e.origin != nil && e.origin.storage == storage {
		return e.origin.site
	}
	return e.Site
}
