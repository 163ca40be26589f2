package memory

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

// MemPool is a part of a CUDA device's memory that is kept apart: what is
// allocated inside UsePool lies in regions that hold nothing else, so short- and
// long-lived tensors do not split each other's regions. Follows
// torch.cuda.MemPool.
type MemPool struct {
	mu     sync.Mutex
	raw    cuda.Pool
	device int
	inUse  bool
	closed bool
}

// NewMemPool returns an empty pool of a CUDA device. It is an error of kind
// torch.ErrDevice if the device is no CUDA device or not there. Close gives the
// pool back.
func NewMemPool(dev torch.Device) (*MemPool, error) {
	const op = "NewMemPool"
	a, err := allocatorOf(op, dev)
	if err != nil {
		return nil, err
	}
	c, ok := a.(cudaAllocator)
	if !ok {
		return nil, deviceError(op, torch.ErrDevice, fmt.Sprintf("%s has no memory pools, CUDA devices do", a.device()))
	}
	raw, e := cuda.NewPool(c.index)
	if e != nil {
		return nil, cudaError(op, e)
	}
	return &MemPool{raw: raw, device: c.index}, nil
}

// UsePool runs fn with its goroutine's allocations on the pool's device made
// from the pool. Goroutines that fn starts, and a backward pass, allocate
// elsewhere, as threads do in Python. Calls for several pools nest, and the
// innermost counts. It panics with torch.ErrNil without a pool, with
// torch.ErrClosed after Close, and with torch.ErrValue while the pool is in use
// already, here or on another goroutine. Follows torch.cuda.use_mem_pool.
func UsePool(p *MemPool, fn func()) {
	const op = "UsePool"
	if p == nil {
		panic(deviceError(op, torch.ErrNil, "the pool is nil"))
	}
	p.enter(op)
	defer p.leave()
	// The allocator knows whose allocations are meant by the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mustCUDA(op, p.raw.Begin(p.device))
	defer func() { mustCUDA(op, p.raw.End(p.device)) }()
	fn()
}

// enter takes the pool into use. libtorch would refuse a second use as well, but
// only after it has counted it, and then never give the pool back.
func (p *MemPool) enter(op string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		panic(deviceError(op, torch.ErrClosed, "the pool is closed"))
	case p.inUse:
		panic(deviceError(op, torch.ErrValue, "the pool is in use already"))
	}
	p.inUse = true
}

func (p *MemPool) leave() {
	p.mu.Lock()
	p.inUse = false
	p.mu.Unlock()
}

// ID returns the pool's number, Segment.SegmentPoolID in a snapshot.
func (p *MemPool) ID() [2]int64 { return [2]int64{int64(p.raw.A), int64(p.raw.B)} }

// Device returns the pool's device.
func (p *MemPool) Device() torch.Device { return torch.CUDA(p.device) }

// Close gives the pool up and what it has free back to the driver; until then a
// pool keeps all that it got. Tensors in it stay valid; their memory goes back by
// the first EmptyCache after they are freed. It is an error of kind
// torch.ErrValue, and does nothing, while UsePool runs. Closing twice does
// nothing.
func (p *MemPool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if p.inUse {
		return deviceError("MemPool.Close", torch.ErrValue, "the pool is in use")
	}
	p.closed = true
	return errOrNil("MemPool.Close", p.raw.Release(p.device))
}
