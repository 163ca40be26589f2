package schedule

import (
	"fmt"
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// CosineAnnealingLR lowers the rates along half a cosine.
type CosineAnnealingLR struct{ base }

// NewCosineAnnealingLR makes a CosineAnnealingLR that reaches EtaMin after tMax
// epochs and then rises again along the cosine. Its options are [EtaMin] and
// [LastEpoch]. It panics as [NewStepLR] does, and with ErrValue for a tMax below 1.
// Follows torch.optim.lr_scheduler.CosineAnnealingLR.
func NewCosineAnnealingLR(opt optim.Optimizer, tMax int, opts ...CosineAnnealingOption) *CosineAnnealingLR {
	const op = "NewCosineAnnealingLR"
	half := int64(tMax)
	mustBePositive(op, "T_max", half)
	eta, last := options.Read2(op, opts, EtaMin(0), LastEpoch(-1))
	low := float64(eta)
	s := new(CosineAnnealingLR)
	s.fields = []field{{"T_max", &half}, {"eta_min", &low}}
	s.record.positive = []string{"T_max"}
	turns := func(epoch int64) bool { // whether the rates begin to rise again
		since := epoch - 1 - half
		return since%half == 0 && since/half%2 == 0 // 2*half may overflow
	}
	s.mustFit = func() {
		if turns(s.lastEpoch+1) && !s.initial {
			s.mustHaveBaseLRs()
		}
	}
	s.rate = func(g *optim.ParamGroup, i int) float64 {
		t, e := float64(half), float64(s.lastEpoch)
		switch {
		case s.initial:
			return g.LR()
		case turns(s.lastEpoch):
			return g.LR() + (s.baseLRs[i]-low)*(1-native.Cos(math.Pi/t))/2
		}
		return float64((1+native.Cos(math.Pi*e/t))/(1+native.Cos(math.Pi*(e-1)/t))*(g.LR()-low)) + low
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return low + (s.baseLRs[i]-low)*(1+native.Cos(math.Pi*float64(s.lastEpoch)/float64(half)))/2
	}
	s.start("CosineAnnealingLR", opt, last)
	return s
}

// CosineAnnealingWarmRestarts lowers the rates along half a cosine, and restarts after each period.
type CosineAnnealingWarmRestarts struct {
	base
	firstPeriod, periodMult, period int64
	position                        float64 // number of epochs since the period began, which may be a fraction
}

// NewCosineAnnealingWarmRestarts makes a CosineAnnealingWarmRestarts. The first
// period has t0 epochs, and each later period is [TMult] times as long as the
// previous one. Its other options are [EtaMin] and [LastEpoch]. It panics as
// [NewStepLR] does, and with ErrValue for a t0 or a TMult below 1.
// Follows torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.
func NewCosineAnnealingWarmRestarts(opt optim.Optimizer, t0 int,
	opts ...WarmRestartsOption,
) *CosineAnnealingWarmRestarts {
	const op = "NewCosineAnnealingWarmRestarts"
	mustBePositive(op, "T_0", int64(t0))
	eta, mult, last := options.Read3(op, opts, EtaMin(0), TMult(1), LastEpoch(-1))
	low := float64(eta)
	mustBePositive(op, "T_mult", int64(mult))
	s := &CosineAnnealingWarmRestarts{
		firstPeriod: int64(t0), periodMult: int64(mult), period: int64(t0), position: float64(last),
	}
	s.fields = []field{
		{"T_0", &s.firstPeriod},
		{"T_mult", &s.periodMult},
		{"eta_min", &low},
		{"T_i", &s.period},
		{"T_cur", &s.position},
	}
	s.record.positive = []string{"T_0", "T_mult", "T_i"}
	s.mustFit = s.mustHaveBaseLRs
	s.advance = func() (revert func()) {
		position, period := s.position, s.period
		revert = func() { s.position, s.period = position, period }
		if s.lastEpoch == 0 {
			s.position, s.period = 0, s.firstPeriod
			return revert
		}
		if s.position++; s.position >= float64(s.period) {
			s.position = math.Mod(s.position, float64(s.period))
			// If the length of the period overflows, limit it: no program reaches the end of such a
			// period.
			s.period = min(s.period, math.MaxInt64/s.periodMult) * s.periodMult
		}
		return revert
	}
	s.rate = func(_ *optim.ParamGroup, i int) float64 {
		return low + (s.baseLRs[i]-low)*(1+native.Cos(math.Pi*s.position/float64(s.period)))/2
	}
	// Do not warn about the order of steps: Python's scheduler overrides step and does not warn.
	s.anyOrder = true
	s.start("CosineAnnealingWarmRestarts", opt, last)
	return s
}

func (s *CosineAnnealingWarmRestarts) allowAnyOrder(bool) {}

// Step goes to the next epoch, or to the given epoch, which may be a fraction. After batch i, call
// Step(epoch + float64(i)/float64(batches)). It panics with ErrValue for an epoch that is negative
// or not finite, for more than one epoch, and for more or fewer groups than the scheduler has rates.
func (s *CosineAnnealingWarmRestarts) Step(epochs ...float64) {
	mustBeMade("Step", s != nil && s.opt != nil)
	switch {
	case len(epochs) == 0:
		s.base.Step()
		return
	case len(epochs) > 1 || !(epochs[0] >= 0 && epochs[0] < 1<<62):
		panic(torch.NewError("CosineAnnealingWarmRestarts.Step", torch.ErrValue, "epoch",
			fmt.Sprintf("expected one finite number that is not negative, got %v", epochs)))
	}
	epoch, t0, mult := epochs[0], float64(s.firstPeriod), float64(s.periodMult)
	s.mustFitStep()
	before, position, period, done := s.lastEpoch, s.position, s.period, false
	defer func() {
		if !done {
			s.lastEpoch, s.position, s.period = before, position, period
		}
	}()
	switch {
	case epoch < t0:
		s.period, s.position = s.firstPeriod, epoch
	case s.periodMult == 1:
		s.position = math.Mod(epoch, t0)
	default:
		n := math.Trunc(native.Log(epoch/t0*(mult-1)+1) / native.Log(mult))
		s.position = epoch - t0*(native.Pow(mult, n)-1)/(mult-1)
		s.period = int64(t0 * native.Pow(mult, n))
	}
	s.lastEpoch = int64(epoch)
	s.setRates(s.rate)
	done = true
}
