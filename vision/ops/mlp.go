package ops

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// MLP is a Sequential of linear layers, each followed by a normalization, an activation
// and a dropout. The last linear layer is followed only by the dropout. Follows
// torchvision.ops.MLP.
type MLP struct{ *nn.Sequential }

// NewMLP returns an MLP whose input has inChannels features. hiddenChannels are the output
// sizes of its linear layers; the last of them is the output size of the MLP. It panics
// with ErrValue if hiddenChannels is empty, for negative sizes and for a probability
// outside 0 to 1, and with ErrNil for a nil option.
func NewMLP(inChannels int64, hiddenChannels []int64, opts ...MLPOption) *MLP {
	const op = "ops.NewMLP"
	var norm NormLayer
	activation, inplace, bias, dropout := ActivationLayer(relu), false, true, 0.0
	for _, o := range opts {
		switch o := o.(type) {
		case NormLayer:
			norm = o
		case ActivationLayer:
			activation = o
		case Inplace:
			inplace = bool(o)
		case Bias:
			bias = bool(o)
		case Dropout:
			dropout = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if len(hiddenChannels) == 0 || slices.Min(hiddenChannels) < 0 {
		panic(torch.NewError(op, torch.ErrValue, "hiddenChannels",
			fmt.Sprintf("expected at least one number, none negative, got %v", hiddenChannels)))
	}
	if !(dropout >= 0 && dropout <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "Dropout",
			fmt.Sprintf("expected a probability from 0 to 1, got %v", dropout)))
	}
	var layers []nn.Layer
	in, last := inChannels, len(hiddenChannels)-1
	for i, out := range hiddenChannels {
		layers = append(layers, nn.NewLinear(in, out, nn.Bias(bias)))
		if i < last && norm != nil {
			layers = append(layers, norm(out))
		}
		if i < last && activation != nil {
			layers = append(layers, activation(inplace))
		}
		layers = append(layers, nn.NewDropout(dropout, nn.Inplace(inplace)))
		in = out
	}
	l := &MLP{nn.NewSequential(layers...)}
	l.Init(l)
	return l
}

// In registers l as a submodule of parent under name, and returns l. It panics like
// nn.Base.Register.
func (l *MLP) In(parent nn.Module, name string) *MLP {
	parent.ModuleBase().Register(name, l)
	return l
}
