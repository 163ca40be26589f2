package distributed

import (
	"fmt"
	"slices"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// describe returns the dtypes, shapes, layouts and strides of tensors, which must be equal on all
// ranks.
func describe(ts ...*torch.Tensor) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == 4 && len(ts) > 5 {
			fmt.Fprintf(&b, "and %d more", len(ts)-i)
			rest := describe(ts[i:]...)
			fmt.Fprintf(&b, " (%x)", fingerprint(rest))
			break
		}
		fmt.Fprintf(&b, "%v %v", t.DType(), t.Shape())
		if t.Layout() != torch.Strided {
			fmt.Fprintf(&b, " %v", t.Layout())
			if t.Layout() == torch.SparseCOO {
				fmt.Fprintf(&b, " of %d sparse dimensions", t.SparseDim())
			}
		} else if !t.IsContiguous() {
			fmt.Fprintf(&b, " strides %v", t.Stride())
		}
	}
	return b.String()
}

// checkUsable returns an error for a tensor that is nil or closed, or that cannot be sent as one
// block of memory.
func checkUsable(op, arg string, ts ...*torch.Tensor) error {
	for i, t := range ts {
		name := arg
		if len(ts) > 1 {
			name = fmt.Sprintf("%s[%d]", arg, i)
		}
		switch {
		case t == nil:
			return argumentError(op, torch.ErrNil, name, "is nil")
		case t.IsClosed():
			return argumentError(op, torch.ErrClosed, name, "used after Close")
		case t.Device().Type() != torch.CPU.Type() && !t.Device().IsCUDA():
			return argumentError(op, torch.ErrDevice, name, "expected a tensor on the CPU or on CUDA, got one on %v",
				t.Device())
		case t.Layout() == torch.Strided && !isDense(t):
			return argumentError(op, torch.ErrValue, name,
				"is a part of a larger tensor (shape %v, strides %v); use Contiguous to copy it", t.Shape(), t.Stride())
		case t.IsConj() || t.IsNeg():
			return argumentError(op, torch.ErrValue, name,
				"has an unresolved conjugate or negation; use ResolveConj and ResolveNeg")
		}
	}
	return nil
}

// checkContiguous returns an error for a tensor that is not contiguous.
func checkContiguous(op, arg string, t *torch.Tensor) error {
	if !t.IsContiguous() {
		return argumentError(op, torch.ErrValue, arg, "is not contiguous (shape %v, strides %v)", t.Shape(), t.Stride())
	}
	return nil
}

// isDense reports whether a tensor's elements fill a block of memory without overlapping.
func isDense(t *torch.Tensor) bool {
	if t.IsContiguous() {
		return true
	}
	shape, strides := t.Shape(), t.Stride()
	order := make([]int, 0, len(shape))
	for i, n := range shape {
		if n != 1 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return int(strides[a] - strides[b]) })
	want := int64(1)
	for _, i := range order {
		if strides[i] != want {
			return false
		}
		want *= shape[i]
	}
	return true
}

// checkAlike returns an error unless all tensors have the shape and dtype of the first.
func checkAlike(op, arg string, like *torch.Tensor, ts []*torch.Tensor) error {
	for i, t := range ts {
		name := fmt.Sprintf("%s[%d]", arg, i)
		switch {
		case t.DType() != like.DType():
			return argumentError(op, torch.ErrDType, name, "expected %v, got %v", like.DType(), t.DType())
		case !slices.Equal(t.Shape(), like.Shape()):
			return argumentError(op, torch.ErrShape, name, "expected shape %v, got %v", like.Shape(), t.Shape())
		case !t.IsContiguous() || !like.IsContiguous():
			if !slices.Equal(t.Stride(), like.Stride()) {
				return argumentError(op, torch.ErrValue, name, "expected strides %v, got %v", like.Stride(), t.Stride())
			}
		}
	}
	return nil
}

// checkOnePerRank returns an error unless n, the length of the list arg, is the number of ranks.
func (g *ProcessGroup) checkOnePerRank(op, arg string, n int) error {
	if n != len(g.ranks) {
		return argumentError(op, torch.ErrValue, arg, "expected a tensor for each of %d ranks, got %d", len(g.ranks), n)
	}
	return nil
}

// groupRank converts a global rank to a rank in the group.
func (g *ProcessGroup) groupRank(op, arg string, rank int) (int, error) {
	r := slices.Index(g.ranks, rank)
	if r < 0 {
		return 0, argumentError(op, torch.ErrValue, arg, "the group has no rank %d; it has %s", rank,
			formatRanks(g.ranks))
	}
	return r, nil
}

// checkReducible returns an error if the reduction does not support a tensor's dtype.
func checkReducible(op string, r ReduceOp, ts ...*torch.Tensor) error {
	for _, t := range ts {
		d := t.DType()
		switch {
		case d.IsComplex() && r != Sum && r != Avg:
			return argumentError(op, torch.ErrDType, "ReduceOp", "%v does not support %v", r, d)
		case r >= BAnd && (d.IsFloatingPoint() || d.IsComplex()):
			return argumentError(op, torch.ErrDType, "ReduceOp", "%v is for integers, got %v", r, d)
		case r == Avg && !d.IsFloatingPoint() && !d.IsComplex():
			return argumentError(op, torch.ErrDType, "ReduceOp", "%v is for floating-point numbers, got %v", r, d)
		}
	}
	return nil
}

// glooTypes are the dtypes that Gloo's collectives support. Sends and receives only copy bytes, so
// they support all dtypes.
var glooTypes = []torch.DType{
	torch.Bool, torch.Uint8, torch.Int8, torch.Int32, torch.Int64, torch.Float16, torch.BFloat16, torch.Float32,
	torch.Float64,
}

// checkGlooCall returns an error if Gloo does not support a tensor's dtype. Without this check Gloo
// would fail and end the group.
func (g *ProcessGroup) checkGlooCall(c *call) error {
	switch c.Op {
	case native.Send, native.Recv, native.RecvAny, native.Barrier:
		return nil
	}
	if g.ncclDevice(c) >= 0 {
		return nil // NCCL runs this call, so Gloo's limits do not apply
	}
	arg := "x"
	switch syncName(shortOp(c.op)) {
	case "ReduceScatter", "ReduceScatterTensor":
		arg = "out"
	case "AllToAll":
		arg = "ins"
	}
	for _, t := range slices.Concat(c.outs, c.ins) {
		if err := checkGlooType(c.op, arg, t.DType()); err != nil {
			return err
		}
	}
	return nil
}

// checkGlooType returns an error for a dtype that Gloo does not support.
func checkGlooType(op, arg string, d torch.DType) error {
	if slices.Contains(glooTypes, d) {
		return nil
	}
	names := make([]string, len(glooTypes))
	for i, t := range glooTypes {
		names[i] = t.String()
	}
	return argumentError(op, torch.ErrDType, arg,
		"with Gloo %s supports %s and complex numbers, got %v; Send and Recv support all dtypes",
		syncName(shortOp(op)), strings.Join(names, ", "), d)
}

// firstError returns the first error that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
