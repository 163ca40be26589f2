package memory

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// MemPool is a separate part of a CUDA device's memory. What is allocated
// inside UsePool lies in regions that hold nothing else, so short-lived and
// long-lived tensors do not fragment each other's regions.
// Follows torch.cuda.MemPool.
type MemPool struct {
	mu     sync.Mutex
	raw    cuda.Pool
	device int
	inUse  bool
	closed bool
}

// NewMemPool returns an empty pool of a CUDA device. Close gives the pool back.
// The error is of kind torch.ErrDevice if dev is not a CUDA device or is not
// there. Follows torch.cuda.MemPool.
func NewMemPool(dev torch.Device) (*MemPool, error) {
	const op = "NewMemPool"
	a, err := device.Of(op, dev)
	if err != nil {
		return nil, err
	}
	index, ok := device.CUDAIndex(a)
	if !ok {
		return nil, device.Error(op, torch.ErrDevice, fmt.Sprintf("%s has no memory pools, CUDA devices do", a.Device()))
	}
	raw, e := cuda.NewPool(index)
	if e != nil {
		return nil, device.CUDAError(op, e)
	}
	return &MemPool{raw: raw, device: index}, nil
}

// UsePool runs fn. Meanwhile the goroutine's allocations on the pool's device
// come from the pool, on whatever thread it runs. Goroutines that fn starts, and backward
// passes, allocate elsewhere, as threads do in Python. Calls for several pools may nest;
// of each device the innermost pool is used. Until fn returns, the device's cache cannot be emptied
// for other goroutines, see [EmptyCache]: not even for an operator of theirs that
// is out of memory. It panics with torch.ErrNil for a nil pool or fn, with
// torch.ErrClosed after Close, and with torch.ErrValue if the pool is already
// in use, here or on another goroutine. Follows torch.cuda.use_mem_pool.
func UsePool(p *MemPool, fn func()) {
	const op = "UsePool"
	if p == nil {
		panic(device.Error(op, torch.ErrNil, "the pool is nil"))
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

// enter takes the pool into use. libtorch would refuse a second use as well, but
// only after it has counted it, and then never give the pool back.
func (p *MemPool) enter(op string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		panic(device.Error(op, torch.ErrClosed, "the pool is closed"))
	case p.inUse:
		panic(device.Error(op, torch.ErrValue, "the pool is in use already"))
	}
	p.inUse = true
}

func (p *MemPool) leave() {
	p.mu.Lock()
	p.inUse = false
	p.mu.Unlock()
}

// ID returns the pool's number, which is Segment.SegmentPoolID in a snapshot.
func (p *MemPool) ID() [2]int64 {
	made("MemPool.ID", "NewMemPool", p != nil && p.raw != (cuda.Pool{}))
	return [2]int64{int64(p.raw.A), int64(p.raw.B)}
}

// Device returns the pool's device.
func (p *MemPool) Device() torch.Device {
	made("MemPool.Device", "NewMemPool", p != nil && p.raw != (cuda.Pool{}))
	return torch.CUDA.At(p.device)
}

// Close gives up the pool and returns its free memory to the driver. Until then
// a pool keeps everything it got. Tensors in it stay valid; their memory is
// returned by the first EmptyCache after they are freed. While UsePool runs,
// Close does nothing and returns an error of kind torch.ErrValue. Closing twice
// does nothing.
func (p *MemPool) Close() error {
	if p == nil {
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
