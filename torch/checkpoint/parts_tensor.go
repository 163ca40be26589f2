package checkpoint

import (
	"slices"

	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type tensorPart struct{ t *torch.Tensor }

func (p tensorPart) save() (any, error) { return p.t, nil }

func (p tensorPart) load(v any) error {
	t, ok := v.(*torch.Tensor)
	if !ok {
		return formError("a tensor", v)
	}
	return dictPart{{Tensor: p.t}}.load(dictOfTensors(nn.StateDict{{Tensor: t}}))
}

func (tensorPart) rank() int { return 1 }

// dictPart is a dict of tensors that are loaded in place.
type dictPart nn.StateDict

func (p dictPart) save() (any, error) {
	d := dictOfTensors(nn.StateDict(p))
	if d.Len() != len(p) {
		seen := map[string]bool{}
		for _, n := range p {
			if seen[n.Name] {
				return nil, plainErrorf(torch.ErrValue, "", "two tensors are named %.100q; a file can have only one",
					n.Name)
			}
			seen[n.Name] = true
		}
	}
	return d, nil
}

func (p dictPart) load(v any) error {
	sd, err := tensorsOf(v)
	if err != nil {
		return err
	}
	from := sd.Map()
	for _, n := range p {
		switch t := from[n.Name]; {
		case t == nil && n.Tensor == nil:
		case t == nil || n.Tensor == nil:
			return plainErrorf(torch.ErrMismatch, "", "tensor %.100q is missing in the file or in the state", n.Name)
		case t.DType() != n.Tensor.DType() || !slices.Equal(t.Shape(), n.Tensor.Shape()):
			return plainErrorf(torch.ErrMismatch, "", "tensor %.100q is %v %v in the file, expected %v %v", n.Name,
				t.DType(), t.Shape(), n.Tensor.DType(), n.Tensor.Shape())
		case t.Layout() != n.Tensor.Layout():
			return plainErrorf(torch.ErrMismatch, "", "tensor %.100q is %v in the file, expected %v", n.Name,
				t.Layout(), n.Tensor.Layout())
		case !isWritable(n.Tensor):
			return plainErrorf(torch.ErrValue, "",
				"tensor %.100q is expanded, or was made in inference mode, and cannot "+
					"be written to; use Clone", n.Name)
		}
	}
	if len(from) != len(nn.StateDict(p).Map()) {
		return plainErrorf(torch.ErrMismatch, "", "the file has %d tensors, expected %d", len(from), len(p))
	}
	return torch.Try(func() {
		torch.NoGrad(func() {
			for _, n := range p {
				if n.Tensor != nil {
					n.Tensor.Copy_(from[n.Name])
				}
			}
		})
	})
}

func (dictPart) rank() int { return 1 }

// isWritable reports whether libtorch can write to a tensor. Callers check this before they
// change any tensor.
func isWritable(t *torch.Tensor) bool {
	return (!t.IsInference() || torch.IsInferenceMode()) && !operand.Overlaps(t)
}
