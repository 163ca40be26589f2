package viz_test

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
)

// training is the snapshot of a synthetic training loop. It contains parameters,
// activations of each step, gradients that the backward pass allocates, a metric that leaks
// a block per step, and one out-of-memory error.
type training struct {
	steps, layers int
	leak          int64 // bytes that the metric keeps in each step

	s     memory.SnapshotData
	trace []memory.TraceEntry
	next  uint64
	time  int64
	free  map[int64][]uint64
	held  map[uint64]memory.TraceEntry
	order []uint64
	limit uint64
}

const (
	base        = uint64(0x7f0a40000000)
	segmentSize = 64 << 20
)

func goCall(name, file string, line int) memory.Frame {
	return memory.Frame{Name: name, Filename: "/home/main/" + file, Line: line}
}

var library = []memory.Frame{
	goCall("github.com/gotorch/gotorch/torch.(*Tensor).MatMul", "gotorch/torch/linalg.go", 88),
}

func stackOf(layer int) []memory.Frame {
	return append(append([]memory.Frame{}, library...),
		goCall("github.com/gotorch/gotorch/nn.(*Linear).Forward", "gotorch/nn/linear.go", 61),
		goCall(fmt.Sprintf("example.com/model.(*Block%d).Forward", layer), "model/block.go", 20+layer),
		goCall("main.train", "main.go", 57), goCall("main.main", "main.go", 21))
}

func (t *training) add(action string, addr uint64, size int64, frames []memory.Frame, forward memory.ForwardStack) {
	t.time += 7
	t.trace = append(t.trace, memory.TraceEntry{
		Action: action, Addr: addr, Size: size, TimeUs: 1700000000000000 + t.time, Frames: frames,
		ForwardFrames: forward,
	})
}

func (t *training) alloc(size int64, frames []memory.Frame, forward memory.ForwardStack) uint64 {
	var addr uint64
	if f := t.free[size]; len(f) > 0 {
		addr = f[len(f)-1]
		t.free[size] = f[:len(f)-1]
	} else {
		if t.next+uint64(size) > t.limit {
			t.next = t.limit
			t.limit += segmentSize
			t.add(memory.ActionSegmentAlloc, t.next, segmentSize, frames, nil)
		}
		addr = t.next
		t.next += uint64(size)
	}
	t.add(memory.ActionAlloc, addr, size, frames, forward)
	t.held[addr] = t.trace[len(t.trace)-1]
	t.order = append(t.order, addr)
	return addr
}

func (t *training) release(addr uint64, frames []memory.Frame) {
	size := t.held[addr].Size
	t.add(memory.ActionFreeRequested, addr, size, frames, nil)
	t.add(memory.ActionFreeCompleted, addr, size, frames, nil)
	delete(t.held, addr)
	t.free[size] = append(t.free[size], addr)
}

func (t *training) snapshot() *memory.SnapshotData {
	t.free, t.held = map[int64][]uint64{}, map[uint64]memory.TraceEntry{}
	t.trace = make([]memory.TraceEntry, 0, t.steps*(9*t.layers+2)+2*t.layers+1000)
	t.next, t.limit = base, base
	setup := []memory.Frame{
		goCall("github.com/gotorch/gotorch/torch.Empty", "gotorch/torch/create.go", 30),
		goCall("github.com/gotorch/gotorch/nn.NewLinear", "gotorch/nn/linear.go", 40),
		goCall("main.main", "main.go", 12),
	}
	input := append([]memory.Frame{setup[0]}, goCall("main.main", "main.go", 14),
		goCall("runtime.main", "proc.go", 290))
	done := []memory.Frame{goCall("main.train", "main.go", 64), goCall("main.main", "main.go", 21)}
	metric := []memory.Frame{
		library[0], goCall("example.com/metrics.(*History).Add", "metrics/history.go", 33),
		goCall("main.train", "main.go", 60),
	}
	backward := []memory.Frame{goCall("github.com/gotorch/gotorch/torch.(*Tensor).Backward",
		"gotorch/torch/autograd.go", 50), done[0], done[1]}
	stacks := make([][]memory.Frame, t.layers)
	sizes := make([]int64, t.layers)
	for l := range stacks {
		stacks[l], sizes[l] = stackOf(l), int64(1+(l*5)%7)<<18
		t.alloc(sizes[l]*2, setup, nil)
	}
	t.alloc(1<<20, input, nil)
	for step := range t.steps {
		begin := t.time
		addrs := make([]uint64, t.layers)
		for l := range addrs {
			addrs[l] = t.alloc(sizes[l], stacks[l], nil)
			scratch := t.alloc(300_000, stacks[l], nil)
			t.release(scratch, stacks[l])
		}
		for l := t.layers - 1; l >= 0; l-- {
			grad := t.alloc(sizes[l]*2, backward, stacks[l])
			t.release(addrs[l], backward)
			t.release(grad, done)
		}
		if t.leak > 0 {
			t.alloc(t.leak, metric, nil)
		}
		if step == t.steps*3/4 {
			t.add(memory.ActionOOM, 0, 1<<36, stacks[0], nil)
			t.trace[len(t.trace)-1].DeviceFree = 5 << 20
		}
		if t.steps <= 100 {
			t.s.ExternalAnnotations = append(t.s.ExternalAnnotations,
				memory.Annotation{
					Name: fmt.Sprintf("step %d", step), Stage: memory.StageStart,
					TimeUs: 1700000000000000 + begin,
				},
				memory.Annotation{
					Name: fmt.Sprintf("step %d", step), Stage: memory.StageEnd,
					TimeUs: 1700000000000000 + t.time,
				})
		}
	}
	t.finish()
	return &t.s
}

// finish adds the segments, with the blocks that are in use at the end of the trace.
func (t *training) finish() {
	for at := base; at < t.limit; at += segmentSize {
		t.s.Segments = append(t.s.Segments, memory.Segment{
			Address: at, TotalSize: segmentSize,
			SegmentType: memory.SegmentLarge,
		})
	}
	for _, addr := range t.order {
		e, ok := t.held[addr]
		if !ok {
			continue
		}
		delete(t.held, addr)
		seg := &t.s.Segments[(addr-base)/segmentSize]
		seg.AllocatedSize += e.Size
		seg.Blocks = append(seg.Blocks, memory.Block{
			Address: addr, Size: (e.Size + 511) &^ 511, RequestedSize: e.Size, State: memory.BlockAllocated,
			Frames: e.Frames, ForwardFrames: e.ForwardFrames, TimeUs: e.TimeUs,
		})
	}
	t.s.Devices = []string{"cpu"}
	t.s.DeviceTraces = [][]memory.TraceEntry{t.trace}
	t.s.AllocatorSettings = map[string]any{"backend": "caching"}
}
