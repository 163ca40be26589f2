package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// pooling is what the poolings with windows share.
type pooling struct {
	opt.Window
	n       int
	kernel  []int64
	list    bool // the kernel was given as a list
	strided bool // the stride was given
	ceil    bool
	as      Registration
}

// start reads the kernel, which is the stride by default.
func (p *pooling) start(op string, n int, kernelSize any) {
	p.n, p.kernel, p.list = n, opt.ReadSize(op, "kernelSize", kernelSize, n), opt.IsList(kernelSize)
	copy(p.Stride[:], p.kernel)
	p.StrideList = p.list
	p.Dilation.Set(n, 1)
}

// read is the last case of a pooling's reader of options.
func (p *pooling) read(op string, o any) {
	switch o := o.(type) {
	case CeilMode:
		p.ceil = bool(o)
	case Registration:
		p.as = o
	default:
		if !p.Window.Take(op, p.n, o) {
			panic(opt.Unknown(op, o))
		}
		switch o.(type) {
		case Stride, Strides:
			p.strided = true
		}
	}
}

// finish registers the pooling self, which prints as extra.
func (p *pooling) finish(self Module, extra string) {
	b := self.ModuleBase()
	b.start(self)
	b.SetExtraRepr(extra)
	p.as.register(self)
}

func (p *pooling) strides() []int64   { return slices.Clone(p.Stride[:p.n]) }
func (p *pooling) paddings() []int64  { return slices.Clone(p.Padding[:p.n]) }
func (p *pooling) dilations() []int64 { return slices.Clone(p.Dilation[:p.n]) }

// windows shows the sizes of the windows as they were given, or as lists.
func (p *pooling) windows(lists bool) string {
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s",
		given(p.kernel, lists || p.list), given(p.Stride[:p.n], lists || p.StrideList), given(p.Padding[:p.n], lists || p.PaddingList))
}

// given shows sizes as PyTorch does, which prints what the program passed: one
// number, or a list.
func given(v []int64, list bool) string {
	if !list {
		return fmt.Sprint(v[0])
	}
	if !slices.Contains(v, SizeNone) {
		return torch.Shape(v).String()
	}
	s := "("
	for i, n := range v {
		if i > 0 {
			s += ", "
		}
		if n == SizeNone {
			s += "None"
		} else {
			s += fmt.Sprint(n)
		}
	}
	if len(v) == 1 {
		s += ","
	}
	return s + ")"
}

// withIndices is leaf for a pooling that returns indices too.
func withIndices(m Module, x *torch.Tensor, fn func(x *torch.Tensor) (values, indices *torch.Tensor)) (values, indices *torch.Tensor) {
	out := callN(m, []*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		v, i := fn(in[0])
		return []*torch.Tensor{v, i}
	})
	return out[0], out[1]
}
