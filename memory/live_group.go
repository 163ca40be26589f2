package memory

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/trace"
	"github.com/gotorch/gotorch/torch"
)

// GroupKey says how GroupTensors groups tensors: it returns the name of a
// tensor's group.
type GroupKey func(LiveTensor) string

// ByLine groups tensors by the line of the program that made them. Where a view's
// memory came from another line the group names both.
func ByLine(t LiveTensor) string { return t.lines() }

// ByKind groups tensors by what they are to autograd.
func ByKind(t LiveTensor) string { return string(t.Kind) }

// ByType groups tensors by kind, dtype and shape: the "most common types".
func ByType(t LiveTensor) string { return fmt.Sprintf("%s %v %v", t.Kind, t.DType, t.Shape) }

// ByShape groups tensors by their shape.
func ByShape(t LiveTensor) string { return fmt.Sprint(t.Shape) }

// ByDType groups tensors by element type.
func ByDType(t LiveTensor) string { return fmt.Sprint(t.DType) }

// ByDevice groups tensors by device.
func ByDevice(t LiveTensor) string { return t.Device.String() }

// ByOwner groups tensors by who frees them.
func ByOwner(t LiveTensor) string { return string(t.Owner) }

// TensorGroup is a group of tensors with the same key.
type TensorGroup struct {
	Key   string
	Count int64 // of tensors; an estimate if they are samples
	Bytes int64 // of storage that they keep alive; an estimate if they are samples
}

// String is one line for a report.
func (g TensorGroup) String() string {
	return fmt.Sprintf("%s in %d tensors: %s", size(g.Bytes), g.Count, g.Key)
}

// GroupTensors groups tensors by a key; the groups with the most bytes come
// first. It panics with torch.ErrNil for a nil key.
func GroupTensors(ts []LiveTensor, by GroupKey) []TensorGroup {
	if by == nil {
		panic(torch.NilFunc("memory.GroupTensors", "by"))
	}
	type sum struct{ count, bytes float64 }
	sums := map[string]*sum{}
	for _, t := range ts {
		k := by(t)
		s := sums[k]
		if s == nil {
			s = &sum{}
			sums[k] = s
		}
		s.count += t.Weight
		s.bytes += t.Weight * float64(t.Bytes)
	}
	out := make([]TensorGroup, 0, len(sums))
	for k, s := range sums {
		out = append(out, TensorGroup{k, int64(math.Round(s.count)), int64(math.Round(s.bytes))})
	}
	slices.SortFunc(out, func(a, b TensorGroup) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// unknownLine stands for a stack without a line of the program's own.
const unknownLine = "(unknown line)"

// siteLines keeps the line of each stack, since a report asks for the same few
// again and again.
var siteLines sync.Map // trace.ID -> string

func siteLine(id trace.ID) string {
	if s, ok := siteLines.Load(id); ok {
		return s.(string)
	}
	line := unknownLine
	if f, ok := trace.Site(trace.Frames(id)); ok {
		line = frameLine(f)
	}
	siteLines.Store(id, line)
	return line
}

// frameLine names a call by its file, line and function, without the folders:
// the function says which package it is.
func frameLine(f runtime.Frame) string {
	fn := f.Function
	if i := strings.LastIndexByte(fn, '/'); i >= 0 {
		fn = fn[i+1:]
	}
	return fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, fn)
}
