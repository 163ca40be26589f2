package schedule

import (
	"fmt"
	"math"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// OneCycleLR raises the rates to a maximum and then lowers them to values far below their
// initial values. Meanwhile the momentum moves in the opposite direction.
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

// NewOneCycleLR makes a OneCycleLR that raises the rates to maxLR. It also sets InitialLR
// of every group. Call Step after each batch. Its options are [TotalSteps], or [Epochs]
// and [StepsPerEpoch], one of which is required, [PctStart], [AnnealStrategy],
// [CycleMomentum], [BaseMomentum] or [BaseMomentums], [MaxMomentum] or [MaxMomentums],
// [DivFactor], [FinalDivFactor], [ThreePhase] and [LastEpoch].
//
// With LastEpoch, the settings in the groups must match the arguments; otherwise
// NewOneCycleLR panics with ErrValue. Python ignores the arguments in this case. It also
// panics with ErrValue for both TotalSteps and Epochs or StepsPerEpoch, and for a
// momentum if CycleMomentum is false.
//
// It panics with ErrValue if PctStart leaves only one step for the rising part, in which
// the rate cannot rise. It also panics with ErrValue for an optimizer without momentum or
// betas unless CycleMomentum is false. One more Step after the end of the cycle keeps the
// last rate; PyTorch computes a rate beyond the end. Further calls panic with ErrValue.
// Follows torch.optim.lr_scheduler.OneCycleLR.
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
	switch {
	case s.cycleMomentum:
		mustHaveMomentum(op, opt)
	case o.momentaGiven:
		panic(torch.NewError(op, torch.ErrValue, "base_momentum, max_momentum", "CycleMomentum is false"))
	}
	mustBeLastEpoch("NewOneCycleLR", opt, o.last)
	o.define(op, opt, maxLRs)
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
	s.rate, s.momentum, s.mustFit = s.stepRate, s.stepMomentum, s.mustHaveStep
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
	momentaGiven                bool
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
			v.momentaGiven = true
		case BaseMomentums:
			v.baseMomentums = perGroup(op, "base_momentum", opt, o)
			v.momentaGiven = true
		case MaxMomentum:
			v.maxMomentums = repeatPerGroup(opt, float64(o))
			v.momentaGiven = true
		case MaxMomentums:
			v.maxMomentums = perGroup(op, "max_momentum", opt, o)
			v.momentaGiven = true
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
	case o.total > 0 && (o.epochs > 0 || o.perEpoch > 0):
		panic(torch.NewError(op, torch.ErrValue, "opts",
			"expected either TotalSteps, or Epochs and StepsPerEpoch, got both"))
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

// define stores the learning rates and momenta of the cycle in the parameter groups, as
// PyTorch does. A scheduler that continues from an epoch uses the values already in the
// groups, and define panics if they differ from the arguments.
func (o *oneCycleOptions) define(op string, opt optim.Optimizer, maxLRs []float64) {
	for i, g := range opt.ParamGroups() {
		first := maxLRs[i] / o.divFactor
		all := []optim.Option{
			optim.InitialLR(first), groupSetting{"max_lr", maxLRs[i]}, groupSetting{"min_lr", first / o.finalDivFactor},
		}
		if o.cycleMomentum {
			all = append(all, groupSetting{"max_momentum", o.maxMomentums[i]},
				groupSetting{"base_momentum", o.baseMomentums[i]})
		}
		if o.last == -1 {
			g.Define(all...)
			continue
		}
		for _, want := range all {
			name, v := want.Setting()
			if have, ok := g.Get(name); ok && have != v {
				panic(torch.NewError(op, torch.ErrValue, name,
					fmt.Sprintf("the arguments give %v, but group %d, which resumes its cycle, has %v", v, i, have)))
			}
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

// mustHaveStep panics if a group lacks the settings of the cycle, or if the cycle has ended.
func (s *OneCycleLR) mustHaveStep() {
	s.mustHaveSetting("max_lr")
	if s.cycleMomentum {
		s.mustHaveSetting("max_momentum")
	}
	if s.lastEpoch >= s.totalSteps {
		panic(torch.NewError("OneCycleLR.Step", torch.ErrValue, "total_steps",
			fmt.Sprintf("this is step %d of %d", s.lastEpoch+1, s.totalSteps)))
	}
}

// now returns the current phase, and the completed fraction of it.
func (s *OneCycleLR) now() (p phase, pct float64) {
	start, now := 0.0, float64(s.lastEpoch)
	i := 0
	for ; i < len(s.phases)-1 && now > s.phases[i].end; i++ {
		start = s.phases[i].end
	}
	p = s.phases[i]
	return p, min((now-start)/(p.end-start), 1)
}

// stepRate returns the current rate of a group.
func (s *OneCycleLR) stepRate(g *optim.ParamGroup, _ int) float64 {
	p, pct := s.now()
	return s.anneal(g.Float(p.from), g.Float(p.to), pct)
}

// stepMomentum returns the current momentum of a group.
func (s *OneCycleLR) stepMomentum(g *optim.ParamGroup, _ int) (m float64, ok bool) {
	if !s.cycleMomentum {
		return 0, false
	}
	p, pct := s.now()
	return s.anneal(g.Float(p.fromMomentum), g.Float(p.toMomentum), pct), true
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
