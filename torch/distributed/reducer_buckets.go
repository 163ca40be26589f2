package distributed

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	inmemory "github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// Buckets returns the size of each bucket in bytes.
func (r *Reducer) Buckets() ([]int64, error) {
	if err := r.checkNotClosed(); err != nil {
		return nil, err
	}
	var buffers []abi.Tensor
	if err := readAll(func(n int) (have int, err error) {
		cgotorch.FreeMany(buffers) // those of the call before, which were too few
		err = callReducer(r.relay.op, func(cx abi.Ctx) (st native.Status) {
			buffers, have, st = native.Buckets(cx, r.handles.reducer, n)
			return st
		})
		return have, err
	}); err != nil {
		return nil, err
	}
	var bytes []int64
	torch.Scope(func() {
		raw := torch.BeginRaw(r.relay.op)
		raw.End() // raw makes no call: it only gives the buffers to the scope
		for _, t := range raw.WrapAll(buffers) {
			bytes = append(bytes, t.NBytes())
		}
	})
	return bytes, nil
}

// readAll calls read until all elements have been read. read reads at most n elements and
// returns how many there are.
func readAll(read func(n int) (have int, err error)) error {
	for n, have := 0, 1; n < have; {
		n = have
		var err error
		if have, err = read(n); err != nil {
			return err
		}
	}
	return nil
}

// bucketNames gives the memory of buckets a name in memory summaries and snapshots, as long as the
// buckets exist.
type bucketNames struct {
	op      string
	mu      sync.Mutex
	removes []func()
}

// set names the current buckets and removes earlier names.
func (b *bucketNames) set(r native.Reducer) error {
	b.remove()
	var at []uintptr
	var bytes []int64
	if err := readAll(func(n int) (have int, err error) {
		var st native.Status
		at, bytes, have, st = r.Places(n)
		return have, statusError(b.op, st)
	}); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range at {
		b.removes = append(b.removes, inmemory.Add(fmt.Sprintf("bucket %d of %s", i, b.op), "Buckets", at[i], bytes[i]))
	}
	return nil
}

func (b *bucketNames) remove() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, remove := range b.removes {
		remove()
	}
	b.removes = nil
}
