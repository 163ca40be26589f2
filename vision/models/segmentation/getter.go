package segmentation

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// IntermediateLayerGetter runs the children of a model one after the other and returns the results
// of some of them. Follows torchvision.models._utils.IntermediateLayerGetter.
type IntermediateLayerGetter struct {
	nn.Base
	layers []string // the names of the children whose results are returned
}

// NewIntermediateLayerGetter returns an IntermediateLayerGetter for the children of model with the
// given names. It takes the children of model, up to the last of these, and closes the rest: do
// not use model afterwards. It panics with ErrValue if model has no such child, or if a child up to
// there is not a Layer.
func NewIntermediateLayerGetter(model nn.Module, returnLayers ...string) *IntermediateLayerGetter {
	const op = "segmentation.NewIntermediateLayerGetter"
	children := model.ModuleBase().Children()
	last := -1
	for _, name := range returnLayers {
		at := slices.IndexFunc(children, func(c nn.NamedModule) bool { return c.Name == name })
		if at < 0 {
			panic(torch.NewError(op, torch.ErrValue, "returnLayers", fmt.Sprintf("the model has no child %q", name)))
		}
		last = max(last, at)
	}
	for _, c := range children[:last+1] {
		if _, ok := c.Module.(nn.Layer); !ok {
			panic(torch.NewError(op, torch.ErrValue, "model", fmt.Sprintf("the child %q is not a Layer", c.Name)))
		}
	}
	g := &IntermediateLayerGetter{layers: slices.Clone(returnLayers)}
	g.Init(g)
	for i, c := range children {
		if i <= last {
			g.Register(c.Name, c.Module)
		} else {
			_ = c.Module.Close()
		}
	}
	return g
}

// Forward returns the results of the children in the order of the names that
// [NewIntermediateLayerGetter] got.
func (g *IntermediateLayerGetter) Forward(x *torch.Tensor) []*torch.Tensor {
	return g.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		out := make([]*torch.Tensor, len(g.layers))
		x, isResult := in[0], true // the caller's tensor is not freed either
		for _, c := range g.Children() {
			next := c.Module.(nn.Layer).Forward(x)
			if !isResult {
				own.Instead(x, next)
			}
			isResult = false
			for i, name := range g.layers {
				if name == c.Name {
					out[i], isResult = next, true
				}
			}
			x = next
		}
		return out
	})
}
