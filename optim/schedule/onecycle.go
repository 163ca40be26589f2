package schedule

import (
	"fmt"
	"math"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// OneCycleLR raises the rates to a maximum and then lowers them to values far below those that they
// started from. Meanwhile the momentum moves in the opposite direction.
type OneCycleLR struct {
	base
	totalSteps    int64
	phases        phases
	strategy      string
	cycleMomentum bool // the scheduler also changes the momentum
	usesBetas     bool // the optimizer has betas: beta1 is its momentum
}

// groupSetting is a setting that the scheduler stores in a group, as PyTorch does.
type groupSetting struct {
	name  string
	value float64
}

func (n groupSetting) Setting() (string, any) { return n.name, n.value }

// NewOneCycleLR makes a OneCycleLR that raises the rates to maxLR. It also sets InitialLR of every
// group. Call Step after each batch. Its options are [TotalSteps], or [Epochs] and [StepsPerEpoch],
// one of which is required, [PctStart], [AnnealStrategy], [CycleMomentum], [BaseMomentum] or
// [BaseMomentums], [MaxMomentum] or [MaxMomentums], [DivFactor], [FinalDivFactor], [ThreePhase] and
// [LastEpoch].
//
// It panics with ErrValue if PctStart leaves only one step for the rising part, in which the rate
// cannot rise. It also panics with ErrValue for an optimizer without momentum or betas unless
// CycleMomentum is false. One more Step after the end of the cycle keeps the last rate; PyTorch
// computes a rate beyond the end. Further calls panic with ErrValue. Follows
// torch.optim.lr_scheduler.OneCycleLR.
func NewOneCycleLR(opt optim.Optimizer, maxLR float64, opts ...OneCycleOption) *OneCycleLR {
	const op = "NewOneCycleLR"
	mustBeOptimizer(op, opt)
	return newOneCycleLR(op, opt, repeatPerGroup(opt, maxLR), opts)
}

// NewOneCycleLRList makes a OneCycleLR with a maximum rate for each group. It panics as
// [NewOneCycleLR] does, and if the number of rates is not the number of groups. Follows
// torch.optim.lr_scheduler.OneCycleLR with a list.
func NewOneCycleLRList(opt optim.Optimizer, maxLRs []float64, opts ...OneCycleOption) *OneCycleLR {
	const op = "NewOneCycleLRList"
	mustBeOptimizer(op, opt)
	return newOneCycleLR(op, opt, perGroup(op, "max_lr", opt, maxLRs), opts)
}

func newOneCycleLR(op string, opt optim.Optimizer, maxLRs []float64, opts []OneCycleOption) *OneCycleLR {
	o := readOneCycle(op, opt, opts)
	s := &OneCycleLR{strategy: o.strategy, cycleMomentum: o.cycleMomentum, totalSteps: o.numSteps(op)}
	mustBeWithin(op, "pct_start", o.pctStart, 0, 1)
	if o.pctStart*float64(s.totalSteps) == 1 {
		panic(torch.NewError(op, torch.ErrValue, "pct_start",
			fmt.Sprintf("%v of %d steps is a single step, in which the rate cannot rise", o.pctStart,
				s.totalSteps)))
	}
	mustBeStrategy(op, s.strategy)
	s.setOptimizer("OneCycleLR", opt)
	if s.cycleMomentum {
		mustHaveMomentum(op, opt)
	}
	mustBeLastEpoch("NewOneCycleLR", opt, o.last)
	if o.last == -1 {
		o.define(opt, maxLRs)
	}
	s.phases = newPhases(s.totalSteps, o.pctStart, o.threePhase)
	s.fields = []field{
		{"total_steps", &s.totalSteps},
		{"_schedule_phases", &s.phases},
		{"_anneal_func_type", &s.strategy},
		{"cycle_momentum", &s.cycleMomentum},
	}
	if s.cycleMomentum {
		_, s.usesBetas = opt.ParamGroups()[0].Get("betas")
		s.newerEntries = []string{"use_beta1"}
		s.fields = append(s.fields, field{"use_beta1", &s.usesBetas})
	}
	s.record.positive = []string{"total_steps"}
	s.validWords = map[string][]string{"_anneal_func_type": strategies}
	s.rate = s.stepRate
	s.start("OneCycleLR", opt, o.last)
	return s
}

// oneCycleOptions holds the options of NewOneCycleLR.
type oneCycleOptions struct {
	total                       TotalSteps    // -1: not given
	epochs                      Epochs        // -1: not given
	perEpoch                    StepsPerEpoch // -1: not given
	pctStart                    float64
	strategy                    string
	cycleMomentum, threePhase   bool
	baseMomentums, maxMomentums []float64 // one value for each group
	divFactor, finalDivFactor   float64
	last                        LastEpoch
}

func readOneCycle(op string, opt optim.Optimizer, opts []OneCycleOption) oneCycleOptions {
	v := oneCycleOptions{
		total: -1, epochs: -1, perEpoch: -1, pctStart: 0.3, strategy: string(AnnealStrategyCos), cycleMomentum: true,
		baseMomentums: repeatPerGroup(opt, 0.85), maxMomentums: repeatPerGroup(opt, 0.95), divFactor: 25,
		finalDivFactor: 1e4, last: -1,
	}
	for _, o := range opts {
		switch o := o.(type) {
		case TotalSteps:
			mustBePositive(op, "total_steps", int64(o))
			v.total = o
		case Epochs:
			mustBePositive(op, "epochs", int64(o))
			v.epochs = o
		case StepsPerEpoch:
			mustBePositive(op, "steps_per_epoch", int64(o))
			v.perEpoch = o
		case PctStart:
			v.pctStart = float64(o)
		case AnnealStrategy:
			v.strategy = string(o)
		case CycleMomentum:
			v.cycleMomentum = bool(o)
		case BaseMomentum:
			v.baseMomentums = repeatPerGroup(opt, float64(o))
		case BaseMomentums:
			v.baseMomentums = perGroup(op, "base_momentum", opt, o)
		case MaxMomentum:
			v.maxMomentums = repeatPerGroup(opt, float64(o))
		case MaxMomentums:
			v.maxMomentums = perGroup(op, "max_momentum", opt, o)
		case DivFactor:
			v.divFactor = float64(o)
		case FinalDivFactor:
			v.finalDivFactor = float64(o)
		case ThreePhase:
			v.threePhase = bool(o)
		case LastEpoch:
			v.last = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return v
}

// numSteps returns the number of steps of the cycle.
func (o *oneCycleOptions) numSteps(op string) int64 {
	switch {
	case o.total > 0:
		return int64(o.total)
	case o.epochs > 0 && o.perEpoch > 0:
		if int64(o.epochs) > math.MaxInt64/int64(o.perEpoch) {
			panic(torch.NewError(op, torch.ErrValue, "epochs",
				fmt.Sprintf("%d epochs of %d steps are too many to count", o.epochs, o.perEpoch)))
		}
		return int64(o.epochs) * int64(o.perEpoch)
	default:
		panic(torch.NewError(op, torch.ErrValue, "opts", "expected TotalSteps, or Epochs and StepsPerEpoch"))
	}
}

// define stores the rates and momenta of the cycle in the groups, as PyTorch does.
func (o *oneCycleOptions) define(opt optim.Optimizer, maxLRs []float64) {
	for i, g := range opt.ParamGroups() {
		first := maxLRs[i] / o.divFactor
		g.Define(optim.InitialLR(first), groupSetting{"max_lr", maxLRs[i]},
			groupSetting{"min_lr", first / o.finalDivFactor})
		if o.cycleMomentum {
			g.Define(groupSetting{"max_momentum", o.maxMomentums[i]}, groupSetting{"base_momentum", o.baseMomentums[i]})
		}
	}
}

// mustHaveMomentum panics unless each group has a momentum or betas.
func mustHaveMomentum(op string, opt optim.Optimizer) {
	for _, g := range opt.ParamGroups() {
		_, betas := g.Get("betas")
		_, momentum := g.Get("momentum")
		if !betas && !momentum {
			panic(torch.NewError(op, torch.ErrValue, "cycle_momentum", "the optimizer has neither momentum nor betas"))
		}
	}
}

var strategies = []string{string(AnnealStrategyCos), string(AnnealStrategyLinear)}

func mustBeStrategy(op, strategy string) {
	if !slices.Contains(strategies, strategy) {
		panic(torch.NewError(op, torch.ErrValue, "anneal_strategy",
			fmt.Sprintf("expected cos or linear, got %q", strategy)))
	}
}

// stepRate returns the current rate of a group. It also sets the group's momentum.
func (s *OneCycleLR) stepRate(g *optim.ParamGroup, group int) float64 {
	mustHaveSetting("OneCycleLR", "max_lr", g, group)
	if s.lastEpoch > s.totalSteps {
		panic(torch.NewError("OneCycleLR.Step", torch.ErrValue, "total_steps",
			fmt.Sprintf("step %d is after the last of %d steps", s.lastEpoch, s.totalSteps)))
	}
	start, now := 0.0, float64(s.lastEpoch)
	i := 0
	for ; i < len(s.phases)-1 && now > s.phases[i].end; i++ {
		start = s.phases[i].end
	}
	p := s.phases[i]
	pct := min((now-start)/(p.end-start), 1)
	if s.cycleMomentum {
		m := s.anneal(g.Float(p.fromMomentum), g.Float(p.toMomentum), pct)
		setMomentum(g, m)
	}
	return s.anneal(g.Float(p.from), g.Float(p.to), pct)
}

func (s *OneCycleLR) anneal(from, to, pct float64) float64 {
	if AnnealStrategy(s.strategy) == AnnealStrategyLinear {
		return float64((to-from)*pct) + from
	}
	return to + float64((from-to)/2*(native.Cos(math.Pi*pct)+1))
}

// String prints the scheduler with its settings.
func (s *OneCycleLR) String() string {
	if s == nil {
		return "<nil>"
	}
	words := s.settings()
	if len(s.phases) == 0 {
		return s.stringOf(words)
	}
	return s.stringOf(append([]string{"phases=" + pyReprList(s.phases.ends()), "anneal_strategy=" + pyRepr(s.strategy)},
		words...))
}
