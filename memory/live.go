package memory

import (
	"fmt"
	"runtime"
	"time"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/lines"
	"github.com/gotorch/gotorch/memory/internal/tensors"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// TrackTensors sets which new tensors are listed, with the stack that made
// them, for LiveTensors and the profile. It returns the previous setting. The
// rate 0 lists none, which is the setting at the start, and 1 lists every
// tensor. The rate n takes one sample per n bytes of tensor storage on average,
// as runtime.MemProfileRate does for Go's heap. A negative rate counts as 0.
//
// Existing tensors are not added to the list. Listed tensors stay on it until
// they are freed. Rate 1 costs less than half a microsecond per tensor; rate 0
// costs nothing.
func TrackTensors(rate int) int { return int(live.SetRate(int64(rate))) }

// TensorKind says what a tensor is to autograd.
type TensorKind string

// The kinds of tensor.
const (
	KindTensor    TensorKind = "tensor"    // data without gradients
	KindParameter TensorKind = "parameter" // a leaf that gradients are recorded for
	KindResult    TensorKind = "result"    // computed from such a leaf: it keeps the graph behind it alive
)

// Owner says who frees a tensor if nobody closes it first.
type Owner string

// The owners.
const (
	OwnedByScope     Owner = "scope"
	OwnedByCollector Owner = "collector"
)

// LiveTensor describes an open *torch.Tensor on the list that TrackTensors
// keeps. It does not keep the tensor open or reachable.
type LiveTensor struct {
	ID     uint64 // in the order of creation
	Kind   TensorKind
	Shape  torch.Shape // nil for nested tensors, which have no single shape
	DType  torch.DType
	Device torch.Device
	Owner  Owner
	Made   time.Time

	// Bytes is the size of the storage that the tensor keeps alive. If several
	// listed tensors share a storage (views, second handles), it is counted for
	// the oldest, and the others have 0.
	Bytes int64
	// ElementBytes is the size of the elements that the tensor shows.
	ElementBytes int64
	// Storage identifies the storage; 0 if there is none (sparse and meta
	// tensors).
	Storage uintptr
	// Weight is how many tensors like this one it stands for: 1, unless
	// TrackTensors takes samples.
	Weight float64
	// Hooks is how many hooks the program has registered on the tensor and not
	// removed. They keep what they refer to, see docs/leaks.md.
	Hooks int

	site, origin trace.ID
}

// Age returns how long ago the tensor was made.
func (t LiveTensor) Age() time.Duration { return time.Since(t.Made) }

// Stack returns the calls that made the tensor, innermost first, including
// calls in this library. If a goroutine of the library made it, such as a worker
// of a loader, the calls that made the loader follow those of the goroutine.
func (t LiveTensor) Stack() []runtime.Frame { return trace.Frames(t.site) }

// Line returns the line of the program that made the tensor, as "file.go:12
// package.Function": the innermost call whose file belongs neither to this
// library nor to Go's own packages.
func (t LiveTensor) Line() string { return lines.Of(t.site) }

// StorageLine returns the line of the program that made the first listed tensor
// over the same storage. For a view that is the line of its base, closed or not;
// for other tensors it is Line.
func (t LiveTensor) StorageLine() string { return lines.Of(t.origin) }

// lines is Line and, if it is another, StorageLine.
func (t LiveTensor) lines() string { return lines.OfView(t.site, t.origin) }

// String is one line for a report.
func (t LiveTensor) String() string {
	text := fmt.Sprintf("%s %v %v on %v, %s, %s, owned by the %s, made at %s", t.Kind, t.DType, t.Shape, t.Device,
		units.Size(t.Bytes), t.Age().Round(time.Millisecond), t.Owner, t.lines())
	switch {
	case t.Hooks == 1:
		text += ", with a hook"
	case t.Hooks > 1:
		text += fmt.Sprintf(", with %d hooks", t.Hooks)
	}
	return text
}

// LiveTensors returns the listed tensors that are open, oldest first; see
// TrackTensors. They include garbage that the collector has not found yet; call
// Collect first if that matters.
//
// Tensors that only libtorch refers to, such as gradients and what a graph
// saved, are not in the list. Graph shows those of a graph, and Snapshot shows
// every block of memory.
func LiveTensors() []LiveTensor {
	return liveTensorsOf(tensors.List(func(*live.Entry) bool { return true }))
}

// liveTensor is what a room of this package knows, in public words.
func liveTensor(t tensors.Tensor) LiveTensor {
	out := LiveTensor{
		ID: t.ID, Kind: KindTensor, Shape: t.Shape, DType: t.DType, Device: t.Device, Owner: OwnedByCollector, Made: t.Made,
		Bytes: t.Bytes, ElementBytes: t.ElementBytes, Storage: t.Storage, Weight: t.Weight, Hooks: t.Hooks,
		site: t.Site, origin: t.Origin,
	}
	switch {
	case t.HasGraph:
		out.Kind = KindResult
	case t.RequiresGrad:
		out.Kind = KindParameter
	}
	if t.Scoped {
		out.Owner = OwnedByScope
	}
	return out
}

func liveTensorsOf(ts []tensors.Tensor) []LiveTensor {
	if len(ts) == 0 {
		return nil
	}
	out := make([]LiveTensor, len(ts))
	for i, t := range ts {
		out[i] = liveTensor(t)
	}
	return out
}
