package parametrize

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// ParametrizationList is the module that computes a parametrized tensor. It holds the
// parametrizations and the originals: the tensors to which the first parametrization is applied.
// The originals are named "original", or "original0", "original1" and so on if the first
// parametrization is a [Splitter]. [Register] makes the list. Follows
// torch.nn.utils.parametrize.ParametrizationList.
type ParametrizationList struct {
	*nn.ModuleList
	count  int // the number of originals; 0 for a single one named "original"
	unsafe bool
}

// Originals returns the originals: the tensors to which the first parametrization is applied. The
// list owns them.
func (l *ParametrizationList) Originals() []*torch.Tensor {
	if l.count == 0 {
		return []*torch.Tensor{l.original("original")}
	}
	ts := make([]*torch.Tensor, l.count)
	for i := range ts {
		ts[i] = l.original("original" + strconv.Itoa(i))
	}
	return ts
}

func (l *ParametrizationList) original(name string) *torch.Tensor {
	if t := l.GetParameter(name); t != nil {
		return t
	}
	return l.GetBuffer(name)
}

// Forward computes the tensor. If a parametrization panics, Forward passes the panic on.
func (l *ParametrizationList) Forward() *torch.Tensor {
	return l.CallN(nil, func([]*torch.Tensor) []*torch.Tensor {
		originals := l.Originals()
		var x *torch.Tensor
		if l.count == 0 {
			x = l.At(0).(nn.Layer).Forward(originals[0])
		} else {
			x = l.At(0).(Splitter).Forward(originals...)
		}
		for i := 1; i < l.Len(); i++ {
			x = l.At(i).(nn.Layer).Forward(x)
		}
		return []*torch.Tensor{x}
	})[0]
}

// registerOriginal registers an original as a parameter or a buffer. grad says whether a
// parameter requires gradients.
func (l *ParametrizationList) registerOriginal(name string, t *torch.Tensor, parameter, grad bool) {
	if parameter {
		l.RegisterParameter(name, t)
		t.SetRequiresGrad(grad)
	} else {
		l.RegisterBuffer(name, t)
	}
}

// invert applies the inverses of the parametrizations to w. If a parametrization has no
// RightInverse, invert panics if all is true, and otherwise skips it.
func (l *ParametrizationList) invert(op string, w *torch.Tensor, all bool) []*torch.Tensor {
	ts := []*torch.Tensor{w}
	for i := l.Len() - 1; i >= 0; i-- {
		switch p := l.At(i).(type) {
		case Splitter:
			ts = p.RightInverse(ts[0])
		case Inverter:
			err := torch.Try(func() { ts = []*torch.Tensor{p.RightInverse(ts[0])} })
			if err != nil && (all || !errors.Is(err, torch.ErrNotImplemented)) {
				panic(err)
			}
		default:
			if all {
				panic(torch.NewError(op, torch.ErrNotImplemented, "m",
					fmt.Sprintf("%s has no RightInverse", l.At(i).ModuleBase().TypeName())))
			}
		}
	}
	for _, t := range ts {
		t.HandleFor(op+"(RightInverse)", 0)
	}
	return ts
}
