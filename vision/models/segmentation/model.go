package segmentation

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Output contains the scores of each class for each pixel, of shape (N, classes, H, W). It is
// torchvision's dict with the keys "out" and "aux".
type Output struct {
	Out *torch.Tensor
	Aux *torch.Tensor // the scores of the second classifier; nil without [AuxLoss]
}

// Close frees the tensors, without waiting for their scope. It always returns nil.
func (o Output) Close() error {
	_ = o.Out.Close()
	_ = o.Aux.Close()
	return nil
}

// A Model is one of the models of this package.
type Model interface {
	nn.Module
	// Forward takes normalized images of shape (N, 3, H, W).
	Forward(x *torch.Tensor) Output
}

// run computes the results of a model with one or two classifiers. A second classifier gets the
// second result of the backbone.
func run(b *nn.Base, x *torch.Tensor, backbone *IntermediateLayerGetter, classifiers ...nn.Layer) Output {
	out := b.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		features := backbone.Forward(in[0])
		size := sizeOf(in[0])
		var out []*torch.Tensor
		for i, c := range classifiers {
			if c != nil {
				out = append(out, resized(own.Instead(features[i], c.Forward(features[i])), size))
			}
		}
		return out
	})
	o := Output{Out: out[0]}
	if len(out) > 1 {
		o.Aux = out[1]
	}
	return o
}

// sizeOf returns the height and the width of images.
func sizeOf(x *torch.Tensor) F.Sizes {
	shape := x.Shape()
	return F.Sizes(shape[len(shape)-2:])
}

// resized returns x with the given height and width, and frees x.
func resized(x *torch.Tensor, size F.Sizes) *torch.Tensor {
	return own.Instead(x, F.Interpolate(x, size, F.ModeBilinear, F.AlignCorners(false)))
}
