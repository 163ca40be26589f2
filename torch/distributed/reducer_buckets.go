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
	var bytes []int64
	err := r.buckets(func(t *torch.Tensor, _ int64) { bytes = append(bytes, t.NBytes()) })
	return bytes, err
}

func (r *Reducer) buckets(fn func(t *torch.Tensor, params int64)) error {
	if err := r.checkNotClosed(); err != nil {
		return err
	}
	var buffers []abi.Tensor
	var counts []int64
	for n, have := 0, 1; n < have; {
		n = have
		cgotorch.FreeMany(buffers)
		if err := callReducer(r.relay.op, func(cx abi.Ctx) (st native.Status) {
			buffers, counts, have, st = native.Buckets(cx, r.handles.reducer, n)
			return st
		}); err != nil {
			return err
		}
	}
	torch.Scope(func() {
		raw := torch.BeginRaw(r.relay.op)
		raw.End()
		for i, t := range raw.WrapAll(buffers) {
			fn(t, counts[i])
		}
	})
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
	for n, have := 0, 1; n < have; {
		n = have
		var st native.Status
		if at, bytes, have, st = r.Places(n); st.Err != 0 {
			return statusError(b.op, st)
		}
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
