package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A loss is a module as any other: its Forward takes an input and a target, runs
// the hooks, and its weights are buffers. The functions of package functional do
// the same without an object.

// lossOptions are the options of all losses, read.
type lossOptions struct {
	weight, posWeight *torch.Tensor
	ignore            int64
	smoothing         float64
	number            float64 // Beta or Delta
	logTarget         bool
	reduction         Reduction
	as                Registration
}

// read reads one option; which of them there can be is for the compiler.
func (l *lossOptions) read(op string, o any) {
	switch o := o.(type) {
	case opt.Weight:
		l.weight = o.Tensor()
	case opt.PosWeight:
		l.posWeight = o.Tensor()
	case IgnoreIndex:
		l.ignore = int64(o)
	case LabelSmoothing:
		l.smoothing = float64(o)
	case Beta:
		l.number = float64(o)
	case Delta:
		l.number = float64(o)
	case LogTarget:
		l.logTarget = bool(o)
	case Reduction:
		l.reduction = o
	case Registration:
		l.as = o
	default:
		panic(opt.Unknown(op, o))
	}
}

// finish checks the reduction and registers the weights, whose fields may be nil,
// and the loss.
func (l *lossOptions) finish(self Module, op string, weight, posWeight **torch.Tensor) {
	_, kl := self.(*KLDivLoss)
	switch r := l.reduction; {
	case r == ReductionMean || r == ReductionSum || r == ReductionNone || r == ReductionBatchMean && kl:
	default:
		panic(torch.NewError(op, torch.ErrValue, "Reduction", fmt.Sprintf("%q does not apply to this loss", string(r))))
	}
	b := self.ModuleBase()
	b.start(self)
	if weight != nil {
		b.buffer("weight", weight, l.weight)
	}
	if posWeight != nil {
		b.buffer("pos_weight", posWeight, l.posWeight)
	}
	l.as.register(self)
	l.weight, l.posWeight, l.as = nil, nil, Registration{}
}
