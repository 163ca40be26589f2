package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// poolOptions holds the options common to the pooling layers with windows.
type poolOptions struct {
	opt.Window
	n         int
	kernel    []int64
	isList    bool // the program gave the kernel size as a slice, not as an int
	hasStride bool // the program gave a stride
	ceil      bool
	as        Registration
}

// start reads the kernel size, which is also the default stride.
func (p *poolOptions) start(op string, n int, kernelSize any) {
	p.n, p.kernel, p.isList = n, opt.ReadSize(op, "kernelSize", kernelSize, n), opt.IsList(kernelSize)
	copy(p.Stride[:], p.kernel)
	p.StrideList = p.isList
	p.Dilation.Set(n, 1)
}

// read handles the options common to the pooling layers.
func (p *poolOptions) read(op string, o any) {
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
			p.hasStride = true
		}
	}
}

func (p *poolOptions) finish(self Module) {
	self.ModuleBase().startLayer(self)
	p.as.register(self)
}

func (p *poolOptions) strides() []int64   { return slices.Clone(p.Stride[:p.n]) }
func (p *poolOptions) paddings() []int64  { return slices.Clone(p.Padding[:p.n]) }
func (p *poolOptions) dilations() []int64 { return slices.Clone(p.Dilation[:p.n]) }

func (p *poolOptions) lists() listFlags {
	return listFlags{p.isList, p.StrideList, p.PaddingList, p.DilationList}
}

// listFlags records which sizes were given as lists, because Python prints them as lists.
type listFlags struct{ kernel, stride, padding, dilation bool }

// PoolBase holds the fields common to max pooling, average pooling and max unpooling
// layers. You may assign to these settings and to the settings of each layer: Forward and
// String use the new values. Each torch.Shape has one number per spatial dimension.
type PoolBase struct {
	Base
	KernelSize, Stride, Padding torch.Shape
	lists                       listFlags
}

// setOptions stores the settings and registers the pooling layer self.
func (b *PoolBase) setOptions(self Module, p *poolOptions) {
	b.KernelSize, b.Stride, b.Padding, b.lists = p.kernel, p.strides(), p.paddings(), p.lists()
	p.finish(self)
}

// describeWindows formats the sizes of the windows as they were given, or as lists if
// all is true.
func (b *PoolBase) describeWindows(all bool) string {
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s",
		formatSizes(b.KernelSize, all || b.lists.kernel), formatSizes(b.Stride, all || b.lists.stride),
		formatSizes(b.Padding, all || b.lists.padding))
}

// formatSizes formats sizes as PyTorch does: one number or a list, as the program passed
// them.
func formatSizes(v []int64, list bool) string {
	if !list && len(v) > 0 && slices.Max(v) == slices.Min(v) && v[0] != SizeNone {
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

// callWithIndices is callLayer for a pooling layer that also returns indices.
func callWithIndices(m Module, x *torch.Tensor,
	fn func(x *torch.Tensor) (values, indices *torch.Tensor),
) (values, indices *torch.Tensor) {
	out := callLayerN(m, []*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		v, i := fn(in[0])
		return []*torch.Tensor{v, i}
	})
	return out[0], out[1]
}
