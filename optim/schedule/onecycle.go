package schedule

import (
	"fmt"
	"math"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// OneCycleLR raises the rates to a maximum and then lowers them far below the start,
// while the momentum moves in the opposite direction.
type OneCycleLR struct {
	base
	totalSteps    int64
	phases        phases
	strategy      string
	cycleMomentum bool // cycle the momentum
	usesBetas     bool // the momentum is the first of betas
}

// groupSetting is a setting that the scheduler stores in a group, as PyTorch does.
type groupSetting struct {
	name  string
	value float64
}

func (n groupSetting) Setting() (string, any) { return n.name, n.value }

// NewOneCycleLR makes a OneCycleLR that rises to maxLR and sets InitialLR of every
// group. Call Step after each batch. Its options are [TotalSteps], or [Epochs] and
// [StepsPerEpoch], one of which is required, [PctStart], [AnnealStrategy],
// [CycleMomentum], [BaseMomentum] or [BaseMomentums], [MaxMomentum] or
// [MaxMomentums], [DivFactor], [FinalDivFactor], [ThreePhase] and [LastEpoch].
//
// It panics with ErrValue if PctStart leaves only one step for the rising part, which
// then has no slope, and for an optimizer without momentum or betas unless
// CycleMomentum is false. One more Step after the last keeps the rate, where
// PyTorch's rate goes past the end; further calls panic with ErrValue.
// Follows torch.optim.lr_scheduler.OneCycleLR.
func NewOneCycleLR(opt optim.Optimizer, maxLR float64, opts ...OneCycleOption) *OneCycleLR {
	const op = "NewOneCycleLR"
	mustBeOptimizer(op, opt)
	return newOneCycleLR(op, opt, repeatPerGroup(opt, maxLR), opts)
}

// NewOneCycleLRList makes a OneCycleLR that rises to a separate rate for each group.
// It panics as [NewOneCycleLR] does, and unless there are as many rates as groups.
// Follows torch.optim.lr_scheduler.OneCycleLR with a list.
func NewOneCycleLRList(opt optim.Optimizer, maxLRs []float64, opts ...OneCycleOption) *OneCycleLR {
	const op = "NewOneCycleLRList"
	mustBeOptimizer(op, opt)
	return newOneCycleLR(op, opt, perGroup(op, "max_lr", opt, maxLRs), opts)
}

func newOneCycleLR(op string, opt optim.Optimizer, maxLRs []float64, opts []OneCycleOption) *OneCycleLR {
	s := &OneCycleLR{strategy: string(AnnealStrategyCos), cycleMomentum: true}
	total, epochs, perEpoch := TotalSteps(-1), Epochs(-1), StepsPerEpoch(-1)
	pctStart, three := 0.3, false
	fast, slow, div, finalDiv, last := repeatPerGroup(opt, 0.85), repeatPerGroup(opt, 0.95), 25.0, 1e4, LastEpoch(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case TotalSteps:
			mustBePositive(op, "total_steps", int64(o))
			total = o
		case Epochs:
			mustBePositive(op, "epochs", int64(o))
			epochs = o
		case StepsPerEpoch:
			mustBePositive(op, "steps_per_epoch", int64(o))
			perEpoch = o
		case PctStart:
			pctStart = float64(o)
		case AnnealStrategy:
			s.strategy = string(o)
		case CycleMomentum:
			s.cycleMomentum = bool(o)
		case BaseMomentum:
			fast = repeatPerGroup(opt, float64(o))
		case BaseMomentums:
			fast = perGroup(op, "base_momentum", opt, o)
		case MaxMomentum:
			slow = repeatPerGroup(opt, float64(o))
		case MaxMomentums:
			slow = perGroup(op, "max_momentum", opt, o)
		case DivFactor:
			div = float64(o)
		case FinalDivFactor:
			finalDiv = float64(o)
		case ThreePhase:
			three = bool(o)
		case LastEpoch:
			last = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	switch {
	case total > 0:
		s.totalSteps = int64(total)
	case epochs > 0 && perEpoch > 0:
		if int64(epochs) > math.MaxInt64/int64(perEpoch) {
			panic(torch.NewError(op, torch.ErrValue, "epochs",
				fmt.Sprintf("%d epochs of %d steps are too many to count", epochs, perEpoch)))
		}
		s.totalSteps = int64(epochs) * int64(perEpoch)
	default:
		panic(torch.NewError(op, torch.ErrValue, "opts", "expected TotalSteps, or Epochs and StepsPerEpoch"))
	}
	mustBeWithin(op, "pct_start", pctStart, 0, 1)
	if pctStart*float64(s.totalSteps) == 1 {
		panic(torch.NewError(op, torch.ErrValue, "pct_start",
			fmt.Sprintf("%v of %d steps is a single one; the rate needs more, or less, to rise", pctStart, s.totalSteps)))
	}
	mustBeStrategy(op, s.strategy)
	s.setOptimizer("OneCycleLR", opt)
	if s.cycleMomentum {
		mustHaveMomentum(op, opt)
	}
	mustBeLastEpoch("NewOneCycleLR", opt, last)
	if last == -1 {
		for i, g := range opt.ParamGroups() {
			first := maxLRs[i] / div
			g.Define(optim.InitialLR(first), groupSetting{"max_lr", maxLRs[i]}, groupSetting{"min_lr", first / finalDiv})
			if s.cycleMomentum {
				g.Define(groupSetting{"max_momentum", slow[i]}, groupSetting{"base_momentum", fast[i]})
			}
		}
	}
	s.phases = newPhases(s.totalSteps, pctStart, three)
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
	s.start("OneCycleLR", opt, last)
	return s
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

// stepRate returns the rate of this step. It also sets the group's momentum.
func (s *OneCycleLR) stepRate(g *optim.ParamGroup, group int) float64 {
	mustHaveSetting("OneCycleLR", "max_lr", g, group)
	if s.lastEpoch > s.totalSteps {
		panic(torch.NewError("OneCycleLR.Step", torch.ErrValue, "total_steps",
			fmt.Sprintf("this is step %d of %d", s.lastEpoch, s.totalSteps)))
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
