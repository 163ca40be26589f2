package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// loader is one LoadStateDict: it looks for all that is wrong before it copies.
type loader struct {
	given    map[string]*torch.Tensor
	copies   []loading
	problems []string
	kinds    []error
}

type loading struct{ to, from *torch.Tensor }

// problemKinds are the kinds of what can be wrong, the one that counts first.
var problemKinds = []error{torch.ErrValue, torch.ErrClosed, torch.ErrShape}

func (l *loader) problem(kind error, format string, args ...any) {
	l.kinds = append(l.kinds, kind)
	l.problems = append(l.problems, fmt.Sprintf(format, args...))
}

func (l *loader) names(missing, unexpected []string) {
	if len(missing) > 0 {
		l.problem(torch.ErrValue, "missing names: [%s]", strings.Join(missing, ", "))
	}
	if len(unexpected) > 0 {
		l.problem(torch.ErrValue, "unknown names: [%s]", strings.Join(unexpected, ", "))
	}
}

func (l *loader) check(own StateDict) {
	var sizes []string
	for _, n := range own {
		t, ok := l.given[n.Name]
		switch {
		case !ok:
		case t.IsClosed():
			l.problem(torch.ErrClosed, "the tensor for %s is nil or closed", n.Name)
		case n.Tensor.IsClosed():
			l.problem(torch.ErrClosed, "%s of this module is closed", n.Name)
		case !t.Shape().Equal(n.Tensor.Shape()):
			sizes = append(sizes, fmt.Sprintf("%s is %v here and %v in the state dict", n.Name, n.Tensor.Shape(), t.Shape()))
		default:
			l.pair(n, t)
		}
	}
	if len(sizes) > 0 {
		l.problem(torch.ErrShape, "sizes differ: %s", strings.Join(sizes, ", "))
	}
}

// pair looks for what libtorch would refuse halfway.
func (l *loader) pair(own NamedTensor, t *torch.Tensor) {
	switch to := own.Tensor; {
	case t.Device() == torch.Meta && to.Device() != torch.Meta:
		l.problem(torch.ErrValue, "the tensor for %s is on the meta device and has no values", own.Name)
	case t.Layout() != to.Layout():
		l.problem(torch.ErrValue, "the tensor for %s is %v, the module's is %v", own.Name, t.Layout(), to.Layout())
	case overlaps(to):
		l.problem(torch.ErrValue, "%s of this module is an expanded tensor, whose elements share memory: use Clone", own.Name)
	case isInference(to) && !torch.IsInferenceMode():
		l.problem(torch.ErrValue, "%s of this module was made in inference mode, outside of which it cannot be written to: use Clone", own.Name)
	default:
		l.copies = append(l.copies, loading{to, t})
	}
}

// overlaps reports whether several elements of t are one number in memory, as far
// as libtorch itself looks.
func overlaps(t *torch.Tensor) bool {
	if t.Layout() != torch.Strided || t.Numel() == 0 {
		return false
	}
	strides := t.Stride()
	for i, n := range t.Shape() {
		if n > 1 && strides[i] == 0 {
			return true
		}
	}
	return false
}

func isInference(t *torch.Tensor) bool {
	const op = "IsInference(self)"
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	is, st := aten.IsInference(r.Ctx, h)
	r.Status(st)
	return is
}

// copy does what needs memory first, so that nothing of the module has changed if
// there is none.
func (l *loader) copy() {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, c := range l.copies {
				l.copies[i].from = staged(c.to, c.from)
			}
			for _, c := range l.copies {
				copyInto(c.to, c.from)
			}
		})
	})
}

// staged returns src, or a copy of it where the way to dst would be through
// another tensor or where both lie in the same memory.
func staged(dst, src *torch.Tensor) *torch.Tensor {
	switch {
	case src == dst || src.Device() == torch.Meta || src.Layout() != torch.Strided:
	case src.Device() != dst.Device():
		if src.DType() != dst.DType() {
			src = src.To(dst.DType())
		}
		return src.Contiguous()
	case src.SharesStorage(dst) && (src.StorageOffset() != dst.StorageOffset() || !slices.Equal(src.Stride(), dst.Stride())):
		return src.Clone()
	}
	return src
}

// copyInto overwrites dst outside the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op, dst, src)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false))
}
