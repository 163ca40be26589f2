package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A loss is an ordinary module: its Forward takes an input and a target and runs the
// hooks, and its weights are buffers. Package functional has the same losses as
// functions.

// lossOptions holds the parsed options of all losses.
type lossOptions struct {
	weight, posWeight *torch.Tensor
	ignore            int64
	smoothing         float64
	number            float64 // Beta or Delta
	margin, p, eps    float64
	swap, full        bool
	log, logTarget    bool // LogInput, LogTarget
	blank             int64
	zero              bool // ZeroInfinity
	distance          DistanceFunction
	reduction         Reduction
	as                Registration
}

// readLoss applies opts to l, which holds the default options of a loss, and returns the
// result.
func readLoss[O any](op string, l lossOptions, opts []O) lossOptions {
	l.reduction = ReductionMean
	for _, o := range opts {
		l.read(op, o)
	}
	return l
}

// read reads one option. The compiler checks which options a loss accepts.
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
	case Margin:
		l.margin = float64(o)
	case P:
		l.p = float64(o)
	case Eps:
		l.eps = float64(o)
	case Swap:
		l.swap = bool(o)
	case Full:
		l.full = bool(o)
	case LogInput:
		l.log = bool(o)
	case LogTarget:
		l.logTarget = bool(o)
	case Blank:
		l.blank = int64(o)
	case ZeroInfinity:
		l.zero = bool(o)
	case DistanceFunction:
		l.distance = o
	case Reduction:
		l.reduction = o
	case Registration:
		l.as = o
	default:
		panic(opt.Unknown(op, o))
	}
}

// finish checks the reduction and registers the loss and its weights. weight and
// posWeight point to fields of the loss, or are nil for a loss without them.
func (l *lossOptions) finish(self Module, op string, weight, posWeight **torch.Tensor) {
	_, kl := self.(*KLDivLoss)
	switch r := l.reduction; {
	case r == ReductionMean || r == ReductionSum || r == ReductionNone || r == ReductionBatchMean && kl:
	default:
		panic(torch.NewError(op, torch.ErrValue, "Reduction", fmt.Sprintf("%q does not apply to this loss", string(r))))
	}
	b := self.ModuleBase()
	b.startLayer(self)
	if weight != nil {
		b.buffer("weight", weight, l.weight)
	}
	if posWeight != nil {
		b.buffer("pos_weight", posWeight, l.posWeight)
	}
	l.as.register(self)
	l.weight, l.posWeight, l.as = nil, nil, Registration{}
}
