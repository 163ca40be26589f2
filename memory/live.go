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

// TrackTensors sets which new tensors are put on a list, each with the stack on which it
// was created. [LiveTensors] and the profile show the list. TrackTensors returns the
// previous rate. Rate 1 lists every tensor. Rate 0, the default, lists none. Rate n lists
// on average one tensor per n bytes of tensor storage, as runtime.MemProfileRate does for
// Go's heap. A negative rate counts as 0.
//
// Existing tensors are not added to the list. Listed tensors stay on it until they are
// freed. Rate 1 costs less than half a microsecond per tensor; rate 0 costs nothing.
func TrackTensors(rate int) int { return int(live.SetRate(int64(rate))) }

// TensorKind is the role of a tensor in autograd.
type TensorKind string

// The kinds of tensor.
const (
	KindTensor    TensorKind = "tensor"    // does not require gradients
	KindParameter TensorKind = "parameter" // a leaf that requires gradients
	KindResult    TensorKind = "result"    // computed from such a leaf; keeps its graph alive
)

// Owner is what frees a tensor that the program does not close.
type Owner string

// The owners.
const (
	OwnedByScope     Owner = "scope"
	OwnedByCollector Owner = "collector"
)

// LiveTensor describes an open *torch.Tensor on the list of [TrackTensors]. It
// does not keep the tensor open or reachable.
type LiveTensor struct {
	ID     uint64 // increases with each tensor that is created
	Kind   TensorKind
	Shape  torch.Shape // nil for nested tensors, which have no single shape
	DType  torch.DType
	Device torch.Device
	Owner  Owner
	Made   time.Time

	// Bytes is the size of the storage that the tensor keeps alive. If several listed
	// tensors share a storage, such as a tensor and its views, Bytes is 0 for all but the
	// oldest of them.
	Bytes int64
	// ElementBytes is the size of the tensor's own elements.
	ElementBytes int64
	// Storage identifies the storage; 0 if there is none (sparse and meta
	// tensors).
	Storage uintptr
	// Weight is the number of tensors that this one represents. It is 1 unless TrackTensors
	// takes samples.
	Weight float64
	// Hooks is the number of hooks registered on the tensor. Hooks keep alive everything
	// that they refer to; see docs/leaks.md.
	Hooks int

	site, origin trace.ID
}

// Age returns how long ago the tensor was created.
func (t LiveTensor) Age() time.Duration { return time.Since(t.Made) }

// Stack returns the calls that created the tensor, innermost first, including
// calls in this library. If a goroutine of the library created it, such as a
// loader's worker, the calls that created the loader follow.
func (t LiveTensor) Stack() []runtime.Frame { return trace.Frames(t.site) }

// Line returns the line of the program that created the tensor, as "file.go:12
// package.Function". It is the innermost call outside this library and outside
// Go's standard library.
func (t LiveTensor) Line() string { return lines.Of(t.site) }

// StorageLine returns the line of the program that created the first listed tensor with the
// same storage. For a view it is the line that created the view's base, even if the base is
// closed. For other tensors it equals Line.
func (t LiveTensor) StorageLine() string { return lines.Of(t.origin) }

// lines returns the result of Line, followed by the result of StorageLine if it differs.
func (t LiveTensor) lines() string { return lines.OfView(t.site, t.origin) }

// String returns the tensor as one line for a report.
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

// LiveTensors returns the open tensors on the list of [TrackTensors], oldest first. The
// list includes unreachable tensors that have not been collected yet; call [Collect] first
// to exclude them.
//
// Tensors that only libtorch refers to, such as gradients and tensors saved by a graph, are
// not listed. [Graph] shows the tensors that a graph keeps alive, and [Snapshot] shows
// every block of memory.
func LiveTensors() []LiveTensor {
	return liveTensorsOf(tensors.List(func(*live.Entry) bool { return true }))
}

// liveTensor converts t to the public type.
func liveTensor(t tensors.Tensor) LiveTensor {
	out := LiveTensor{
		ID: t.ID, Kind: KindTensor, Shape: t.Shape, DType: t.DType, Device: t.Device, Owner: OwnedByCollector,
		Made:  t.Made,
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
