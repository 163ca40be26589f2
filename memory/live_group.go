package memory

import (
	"fmt"

	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// GroupKey returns the name of the group to which [GroupTensors] adds a tensor.
type GroupKey func(LiveTensor) string

// ByLine groups tensors by the line of the program that created them. If a different line
// created a view's memory, the group names both lines.
func ByLine(t LiveTensor) string { return t.lines() }

// ByKind groups tensors by their role in autograd.
func ByKind(t LiveTensor) string { return string(t.Kind) }

// ByType groups tensors by kind, dtype and shape.
func ByType(t LiveTensor) string { return fmt.Sprintf("%s %v %v", t.Kind, t.DType, t.Shape) }

// ByShape groups tensors by their shape.
func ByShape(t LiveTensor) string { return fmt.Sprint(t.Shape) }

// ByDType groups tensors by dtype.
func ByDType(t LiveTensor) string { return fmt.Sprint(t.DType) }

// ByDevice groups tensors by device.
func ByDevice(t LiveTensor) string { return t.Device.String() }

// ByOwner groups tensors by their owner.
func ByOwner(t LiveTensor) string { return string(t.Owner) }

// TensorGroup is a group of tensors with the same key.
type TensorGroup struct {
	Key string
	// Count is the number of tensors. It is an estimate if TrackTensors takes samples.
	Count int64
	// Bytes is the size of the storages that the tensors keep alive, in bytes. Like
	// Count, it is an estimate if TrackTensors takes samples.
	Bytes int64
}

// String returns the group as one line for a report.
func (g TensorGroup) String() string {
	return fmt.Sprintf("%s in %d tensors: %s", units.Size(g.Bytes), g.Count, g.Key)
}

// GroupTensors groups tensors by a key. The groups with the most bytes come first.
// It panics with torch.ErrNil if by is nil.
func GroupTensors(ts []LiveTensor, by GroupKey) []TensorGroup {
	if by == nil {
		panic(torch.NilFunc("memory.GroupTensors", "by"))
	}
	sums := groups.Sum(ts, by, func(t LiveTensor) (count, bytes float64) {
		return t.Weight, t.Weight * float64(t.Bytes)
	})
	out := make([]TensorGroup, len(sums))
	for i, g := range sums {
		out[i] = TensorGroup(g)
	}
	return out
}
