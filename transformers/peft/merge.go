package peft

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// delta returns the update of the base weight by an adapter.
func (l *Layer) delta(name string) *torch.Tensor {
	scale := l.scaling[name]
	if l.kind == kindEmbedding {
		return l.LoRAEmbeddingB.At(name).MatMul(l.LoRAEmbeddingA.At(name)).T().MulScalar(scale)
	}
	a, b := weightOf(l.LoRAA.At(name)), weightOf(l.LoRAB.At(name))
	switch l.kind {
	case kindConv1D:
		return b.MatMul(a).T().MulScalar(scale)
	case kindConv2d:
		if w := weightOf(l.BaseLayer); w.Size(2) == 1 && w.Size(3) == 1 {
			return b.Squeeze(3).Squeeze(2).MatMul(a.Squeeze(3).Squeeze(2)).Unsqueeze(2).Unsqueeze(3).MulScalar(scale)
		}
		return F.Conv2d(a.Permute(1, 0, 2, 3), b, nil).Permute(1, 0, 2, 3).MulScalar(scale)
	}
	return b.MatMul(a).MulScalar(scale)
}

// mergeError reports why the adapters of a layer cannot be merged. users counts how many
// modules have a parameter.
func (l *Layer) mergeError(users map[*torch.Tensor]int, names []string) error {
	conv, isConv := l.BaseLayer.(*nn.Conv2d)
	w := weightOf(l.BaseLayer)
	doras := 0
	for _, name := range append(names, l.merged...) {
		if l.LoRAMagnitudeVector.Has(name) {
			doras++
		}
		if l.LoRAB.Has(name) && biasOf(l.LoRAB.At(name)) != nil && biasOf(l.BaseLayer) == nil {
			return fmt.Errorf("%w: the adapter %q has a bias, but the layer has none", torch.ErrUnsupported, name)
		}
	}
	switch {
	case w == nil:
		return fmt.Errorf("%w: the weight is quantised; call quant.Dequantize before adding adapters",
			torch.ErrUnsupported)
	case users[w] > 1:
		return fmt.Errorf("%w: another layer shares the weight", torch.ErrUnsupported)
	case isConv && conv.Groups > 1:
		return fmt.Errorf("%w: a convolution with groups", torch.ErrUnsupported)
	case doras > 0 && len(names)+len(l.merged) > 1:
		return fmt.Errorf("%w: a DoRA adapter together with another adapter", torch.ErrUnsupported)
	}
	return nil
}

// merge adds an adapter to the base weight.
func (l *Layer) merge(name string) {
	w := weightOf(l.BaseLayer)
	update := l.delta(name)
	if l.LoRAMagnitudeVector.Has(name) {
		rows := update
		if l.kind == kindConv1D {
			rows = update.T()
		}
		norm := l.normOf(l.rows(), rows, 1)
		l.norms[name] = norm.Float().Float32s()
		w.Copy_(l.factor(name, norm).Mul(w.Add(update)))
	} else {
		w.Add_(update)
	}
	if l.LoRAB.Has(name) && biasOf(l.LoRAB.At(name)) != nil {
		biasOf(l.BaseLayer).Add_(biasOf(l.LoRAB.At(name)).MulScalar(l.scaling[name]))
	}
	l.merged = append(l.merged, name)
}

// factor returns the factors that DoRA multiplies the rows of a weight by.
func (l *Layer) factor(name string, norm *torch.Tensor) *torch.Tensor {
	f := l.LoRAMagnitudeVector.At(name).(*magnitude).Weight.Div(norm).View(-1, 1)
	if l.kind == kindConv1D {
		return f.T()
	}
	return f
}

// unmerge undoes all merges.
func (l *Layer) unmerge() {
	w := weightOf(l.BaseLayer)
	for len(l.merged) > 0 {
		name := l.merged[len(l.merged)-1]
		update := l.delta(name)
		if norms, ok := l.norms[name]; ok {
			norm := torch.FromSlice(norms).To(w.DType(), w.Device())
			w.Copy_(w.Div(l.factor(name, norm)).Sub(update))
			delete(l.norms, name)
		} else {
			w.Sub_(update.To(w.DType()))
		}
		if l.LoRAB.Has(name) && biasOf(l.LoRAB.At(name)) != nil {
			biasOf(l.BaseLayer).Sub_(biasOf(l.LoRAB.At(name)).MulScalar(l.scaling[name]))
		}
		l.merged = l.merged[:len(l.merged)-1]
	}
}
