package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// PoissonNLLLoss is F.PoissonNLLLoss as a module. Follows torch.nn.PoissonNLLLoss.
type PoissonNLLLoss struct {
	Base
	LogInput  bool
	Full      bool
	Eps       float64
	Reduction Reduction
}

// NewPoissonNLLLoss makes a PoissonNLLLoss. [LogInput] is true by default and [Eps]
// is 1e-8. It panics with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.PoissonNLLLoss.
func NewPoissonNLLLoss(opts ...PoissonNLLLossOption) *PoissonNLLLoss {
	const op = "NewPoissonNLLLoss"
	s := readLoss(op, lossOptions{log: true, eps: 1e-8}, opts)
	l := &PoissonNLLLoss{LogInput: s.log, Full: s.full, Eps: s.eps, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of rates, or their logarithms, and counts, which broadcast.
// It panics as F.PoissonNLLLoss does.
func (l *PoissonNLLLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.PoissonNLLLoss(x, y, F.LogInput(l.LogInput), F.Full(l.Full), F.Eps(l.Eps), l.Reduction)
	})
}

// GaussianNLLLoss is F.GaussianNLLLoss as a module. Follows torch.nn.GaussianNLLLoss.
type GaussianNLLLoss struct {
	Base
	Full      bool
	Eps       float64
	Reduction Reduction
}

// NewGaussianNLLLoss makes a GaussianNLLLoss. [Eps] is 1e-6 by default. It panics
// with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.GaussianNLLLoss.
func NewGaussianNLLLoss(opts ...GaussianNLLLossOption) *GaussianNLLLoss {
	const op = "NewGaussianNLLLoss"
	s := readLoss(op, lossOptions{eps: 1e-6}, opts)
	l := &GaussianNLLLoss{Full: s.full, Eps: s.eps, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of means, targets and variances. It panics as
// F.GaussianNLLLoss does.
func (l *GaussianNLLLoss) Forward(input, target, variance *torch.Tensor) *torch.Tensor {
	return callLayer3(l, input, target, variance, func(x, y, v *torch.Tensor) *torch.Tensor {
		return F.GaussianNLLLoss(x, y, v, F.Full(l.Full), F.Eps(l.Eps), l.Reduction)
	})
}

// ForwardScalar is Forward with one variance for all elements. It panics as
// F.GaussianNLLLossScalar does.
func (l *GaussianNLLLoss) ForwardScalar(input, target *torch.Tensor, variance float64) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.GaussianNLLLossScalar(x, y, variance, F.Full(l.Full), F.Eps(l.Eps), l.Reduction)
	})
}

// CTCLoss is F.CTCLoss as a module. Follows torch.nn.CTCLoss.
type CTCLoss struct {
	Base
	Blank        int64
	ZeroInfinity bool
	Reduction    Reduction
}

// NewCTCLoss makes a CTCLoss. [Blank] is 0 by default and [ZeroInfinity] false. It
// panics with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.CTCLoss.
func NewCTCLoss(opts ...CTCLossOption) *CTCLoss {
	const op = "NewCTCLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &CTCLoss{Blank: s.blank, ZeroInfinity: s.zero, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of log probabilities of shape (T, N, C) or (T, C) and of
// targets, padded or concatenated. Each of the lengths is a tensor or a slice of
// integers. Hooks receive nil in place of a slice. It panics as F.CTCLoss does.
func (l *CTCLoss) Forward(logProbs, targets *torch.Tensor, inputLengths, targetLengths any) *torch.Tensor {
	in := []*torch.Tensor{logProbs, targets, nil, nil}
	in[2], _ = inputLengths.(*torch.Tensor)
	in[3], _ = targetLengths.(*torch.Tensor)
	return callLayerN(l, in, func(in []*torch.Tensor) []*torch.Tensor {
		ins, outs := inputLengths, targetLengths
		if in[2] != nil {
			ins = in[2]
		}
		if in[3] != nil {
			outs = in[3]
		}
		return []*torch.Tensor{F.CTCLoss(in[0], in[1], ins, outs, F.Blank(l.Blank), F.ZeroInfinity(l.ZeroInfinity),
			l.Reduction)}
	})[0]
}
