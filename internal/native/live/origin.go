package live

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// origin is where a storage came from: the stack of the first listed tensor over
// it. A view that outlives its base keeps the base's memory, and the line that
// made the view is not the one that allocated it. An origin is there while a
// listed tensor has the storage, and so outlasts the tensor that it is of.
type origin struct {
	storage uintptr
	site    trace.ID
	users   int // listed tensors over it
}

type originShard struct {
	mu sync.Mutex
	of map[uintptr]*origin
}

var origins [shards]originShard

func originShardOf(storage uintptr) *originShard { return &origins[storage>>6%shards] }

// originOf returns the origin of a new tensor's storage, and the tensor is a user
// of it. It returns nil for no storage.
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

// leave ends a tensor's use of the origin. It comes before the tensor's handle is
// freed, so no new storage can have the number meanwhile.
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

// Moved tells that the tensor has got another storage.
func (e *Entry) Moved() {
	if e == nil {
		return
	}
	storage, _ := storageOf(e.Handle)
	s := &registry.shards[e.ID%shards]
	s.mu.Lock() // somebody may be reading the list
	defer s.mu.Unlock()
	e.origin.leave()
	e.origin = originOf(storage, e.Site)
}

// Origin returns the stack of the first listed tensor over a storage, the one
// that the entry's tensor has now: an operator may have given it another.
func (e *Entry) Origin(storage uintptr) trace.ID {
	if e.origin != nil && e.origin.storage == storage {
		return e.origin.site
	}
	return e.Site
}
