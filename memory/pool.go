package memory

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// MemPool is a separate part of a CUDA device's memory. Allocations inside [UsePool] come
// from regions that no other allocation uses, so short-lived and long-lived tensors do not
// fragment each other's regions. In PyTorch: torch.cuda.MemPool.
type MemPool struct {
	mu     sync.Mutex
	raw    cuda.Pool
	device int
	inUse  bool
	closed bool
}

// NewMemPool returns an empty pool of a CUDA device. [MemPool.Close] frees it. If dev is
// not a CUDA device or does not exist, it returns an error of kind torch.ErrDevice.
func NewMemPool(dev torch.Device) (*MemPool, error) {
	const op = "NewMemPool"
	a, err := device.Of(op, dev)
	if err != nil {
		return nil, err
	}
	index, ok := device.CUDAIndex(a)
	if !ok {
		return nil, device.Error(op, torch.ErrDevice, fmt.Sprintf("%s has no memory pools; only CUDA devices have them",
			a.Device()))
	}
	raw, e := cuda.NewPool(index)
	if e != nil {
		return nil, device.CUDAError(op, e)
	}
	return &MemPool{raw: raw, device: index}, nil
}

// isMade reports whether NewMemPool made p.
func (p *MemPool) isMade() bool { return p != nil && p.raw != cuda.Pool{} }

// UsePool runs fn. Meanwhile the goroutine's allocations on the pool's device come from the
// pool. Goroutines that fn starts, and backward passes, do not use the pool, just as other
// threads do not in Python. Calls with several pools may nest; the innermost pool of each
// device is used. In PyTorch: torch.cuda.use_mem_pool.
//
// Until fn returns, other goroutines cannot empty the device's cache (see
// [EmptyCache]), not even when an operator runs out of memory.
//
// UsePool panics with torch.ErrNil if fn is nil or p was not made by NewMemPool, with
// torch.ErrClosed after Close, and with torch.ErrValue if the pool is already in use on any
// goroutine.
func UsePool(p *MemPool, fn func()) {
	const op = "UsePool"
	if !p.isMade() {
		panic(device.Error(op, torch.ErrNil, "the pool is nil or was not made by memory.NewMemPool"))
	}
	if fn == nil {
		panic(torch.NilFunc("memory.UsePool", "fn"))
	}
	p.enter(op)
	defer p.leave()
	m := modes.Current()
	use, err := p.raw.Use(p.device, m.Pool)
	device.MustCUDA(op, err)
	defer func() { device.MustCUDA(op, cuda.EndUse(use)) }()
	m.Pool = use
	modes.With("memory."+op, &m, fn)
}

// enter marks the pool as in use, or panics if it already is. libtorch would refuse a
// second use too, but only after counting it, and would then never free the pool.
func (p *MemPool) enter(op string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		panic(device.Error(op, torch.ErrClosed, "the pool is closed"))
	case p.inUse:
		panic(device.Error(op, torch.ErrValue, "the pool is already in use"))
	}
	p.inUse = true
}

func (p *MemPool) leave() {
	p.mu.Lock()
	p.inUse = false
	p.mu.Unlock()
}

// ID returns the pool's number. Snapshots contain it in Segment.SegmentPoolID.
func (p *MemPool) ID() [2]int64 {
	mustBeMade("MemPool.ID", "NewMemPool", p.isMade())
	return [2]int64{int64(p.raw.A), int64(p.raw.B)}
}

// Device returns the pool's device.
func (p *MemPool) Device() torch.Device {
	mustBeMade("MemPool.Device", "NewMemPool", p.isMade())
	return torch.CUDA.At(p.device)
}

// Close closes the pool and returns its free memory to the driver. Before Close the pool
// never returns memory. Tensors in the pool stay valid after Close. After they are freed,
// [EmptyCache] returns their memory. While [UsePool] runs, Close does nothing and returns
// an error of kind torch.ErrValue. A second Close does nothing.
func (p *MemPool) Close() error {
	if !p.isMade() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if p.inUse {
		return device.Error("MemPool.Close", torch.ErrValue, "the pool is in use")
	}
	p.closed = true
	return device.CUDAErrorOrNil("MemPool.Close", p.raw.Release(p.device))
}
