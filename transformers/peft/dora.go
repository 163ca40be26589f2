package peft

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// rows returns the base weight with a row for each output feature.
func (l *Layer) rows() *torch.Tensor {
	w := weightOf(l.BaseLayer)
	if l.kind == kindConv1D {
		return w.T()
	}
	return w
}

// weightNorm returns the norm of each row of the base weight with an adapter's update.
func (l *Layer) weightNorm(name string) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		var y *torch.Tensor
		torch.NoGrad(func() {
			w := l.rows()
			if !isHalf(w.DType()) {
				y = l.normOf(w, weightOf(l.LoRAB.At(name)).MatMul(weightOf(l.LoRAA.At(name))), l.scaling[name])
				return
			}
			a, b := weightOf(l.LoRAA.At(name)).To(w.DType()), weightOf(l.LoRAB.At(name)).To(w.DType())
			y = l.normOf(w, b.MatMul(a), l.scaling[name]).Float()
		})
		return y
	})
}

// normOf returns the norm of each row of w + scale*update.
func (l *Layer) normOf(w, update *torch.Tensor, scale float64) *torch.Tensor {
	return w.Add(update.MulScalar(scale)).Norm(torch.Dim(1))
}

// updatedDoRA is updated for an adapter whose magnitudes are trained.
func (l *Layer) updatedDoRA(name string, x, y *torch.Tensor, drop nn.Layer) *torch.Tensor {
	a, b := l.LoRAA.At(name).(nn.Layer), l.LoRAB.At(name).(nn.Layer)
	base := y
	if _, none := drop.(*nn.Identity); !none && l.Training() {
		x, base = drop.Forward(x), nil
	}
	w := l.rows().To(x.DType())
	var norm *torch.Tensor
	torch.NoGrad(func() {
		eye := torch.Eye(weightOf(a).Size(1), x.DType(), x.Device())
		norm = l.normOf(w, b.Forward(a.Forward(eye)).T(), l.scaling[name])
	})
	scale := l.LoRAMagnitudeVector.At(name).(*magnitude).Weight.Div(norm).View(1, -1)
	update := b.Forward(a.Forward(x))
	switch bias := biasOf(l.BaseLayer); {
	case base == nil:
		base = F.Linear(x, w, nil)
	case bias != nil:
		base = base.Sub(bias)
	}
	return y.Add(scale.SubScalar(1).Mul(base).Add(scale.Mul(update).MulScalar(l.scaling[name])))
}
