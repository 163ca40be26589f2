// Package tensors describes the tensors on the list of internal/native/live. The
// descriptions do not keep tensors reachable or open.
package tensors

import (
	"cmp"
	"slices"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/lines"
	"github.com/gotorch/gotorch/torch"
)

// Tensor describes an open tensor. memory.LiveTensor documents the fields that both types
// have.
type Tensor struct {
	ID           uint64
	HasGraph     bool // whether it was computed from a leaf that requires gradients
	RequiresGrad bool
	Scoped       bool
	Shape        torch.Shape
	DType        torch.DType
	Device       torch.Device
	Made         time.Time
	Bytes        int64 // 0 if an older tensor on the list has the same storage
	ElementBytes int64
	Storage      uintptr
	Weight       float64
	Hooks        int
	Site, Origin trace.ID // the stacks that created the tensor and its storage
}

// List returns the open tensors for which want returns true, oldest first. An entry passed
// to the function is valid only during that call.
func List(want func(*live.Entry) bool) []Tensor {
	var out []Tensor
	live.Each(func(e *live.Entry) {
		if want(e) {
			out = append(out, describe(e))
		}
	})
	slices.SortFunc(out, func(a, b Tensor) int { return cmp.Compare(a.ID, b.ID) })
	seen := map[uintptr]bool{}
	for i := range out {
		switch s := out[i].Storage; {
		case s == 0:
		case seen[s]:
			out[i].Bytes = 0
		default:
			seen[s] = true
		}
	}
	return out
}

// ByLine groups tensors by the line that created them.
func ByLine(ts []Tensor) []groups.Group {
	return groups.Sum(ts,
		func(t Tensor) string { return lines.OfView(t.Site, t.Origin) },
		func(t Tensor) (count, bytes float64) { return t.Weight, t.Weight * float64(t.Bytes) })
}

// describe reads a tensor's metadata. The caller must keep the tensor's handle valid.
func describe(e *live.Entry) Tensor {
	info := cgotorch.TensorInfo(e.Handle)
	t := Tensor{
		ID: e.ID, HasGraph: info.HasGradFn, RequiresGrad: info.RequiresGrad, Scoped: e.Scoped(),
		DType: torch.DTypeOf(info.DType), Device: torch.DeviceOf(info.Device),
		Made: e.Made, Weight: e.Weight(), Hooks: e.Hooks(), Site: e.Site,
	}
	if !info.IsNested {
		t.Shape = cgotorch.Sizes(e.Handle)
	}
	t.ElementBytes = info.Numel * t.DType.Size()
	t.Bytes, t.Storage = storageOf(e.Handle)
	t.Origin = e.Origin(t.Storage)
	switch {
	case t.Device == torch.Meta:
		t.Bytes, t.Storage = 0, 0 // no memory stands behind the size
	case t.Storage == 0:
		t.Bytes = t.ElementBytes
	}
	return t
}

func storageOf(h abi.Tensor) (bytes int64, id uintptr) {
	s, st := cgotorch.Storage(h)
	if st != 0 {
		cgotorch.FreeStatus(st)
		return 0, 0
	}
	return s.Bytes, s.Storage
}
