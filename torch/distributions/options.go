package distributions

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An Option is an option of every constructor: [ValidateArgs].
//
//gotorch:options ValidateArgs
type Option interface{ option() }

// A ProbsOption is an option of distributions with probabilities or log odds: exactly one
// of [Probs] and [Logits], and [ValidateArgs].
//
//gotorch:options ValidateArgs ParamOption
type ProbsOption interface{ probsOption() }

// A ContinuousBernoulliOption is an option of [NewContinuousBernoulli]: exactly one of
// [Probs] and [Logits], [Lims], and [ValidateArgs].
//
//gotorch:options ValidateArgs ParamOption LimsOption
type ContinuousBernoulliOption interface{ continuousBernoulliOption() }

// A SampleOption sets the number of samples: [SampleShape].
//
//gotorch:options SampleShape
type SampleOption interface{ sampleOption() }

// An EnumerateOption configures EnumerateSupport: [Expand].
//
//gotorch:options Expand
type EnumerateOption interface{ enumerateOption() }

// ValidateArgs controls whether the constructor checks the parameters, and whether
// LogProb and CDF check their values. validate_args in Python. The default is set by
// [SetDefaultValidateArgs], initially true. A check waits for the device.
type ValidateArgs bool

// SampleShape is the shape of the samples to draw, before the dimensions of the
// distribution: d.Sample(distributions.SampleShape{3}). sample_shape in Python. The
// default is one sample, without a dimension.
type SampleShape []int64

// Expand controls whether EnumerateSupport repeats the values over the batch. The default
// is true. expand in Python.
type Expand bool

// A ParamOption is the result of [Probs] or [Logits].
type ParamOption struct {
	logits bool
	value  any
}

// Probs are probabilities: a tensor, or any Go number unless the distribution is over
// categories. A nil value leaves the option out. probs in Python.
func Probs(p any) ParamOption { return ParamOption{value: p} }

// Logits are log odds, or for distributions over categories log probabilities up to a
// constant: a tensor, or any Go number unless the distribution is over categories. A nil
// value leaves the option out. logits in Python.
func Logits(l any) ParamOption { return ParamOption{logits: true, value: l} }

// A LimsOption is the result of [Lims].
type LimsOption struct{ low, high float64 }

// Lims is the range around 1/2 in which a [ContinuousBernoulli] uses Taylor series,
// because its formulas lose precision by cancellation there. lims in Python. The default
// is (0.499, 0.501).
func Lims(low, high float64) LimsOption { return LimsOption{low, high} }

// uncheckedDefault is true if the default of ValidateArgs is false.
var uncheckedDefault atomic.Bool

// SetDefaultValidateArgs sets the default of [ValidateArgs] for distributions that are
// made later in this process, and returns the previous default. The default is initially
// true. Follows torch.distributions.Distribution.set_default_validate_args.
func SetDefaultValidateArgs(on bool) (before bool) {
	return !uncheckedDefault.Swap(!on)
}

// settings are the options of a constructor.
type settings struct {
	validate      bool
	probs, logits any // at most one is not nil
	lims          LimsOption
}

func defaults() settings {
	return settings{validate: !uncheckedDefault.Load(), lims: LimsOption{0.499, 0.501}}
}

func (s *settings) param(p ParamOption) {
	v := p.value
	if opt.IsNil(v) {
		v = nil
	}
	if p.logits {
		s.logits = v
	} else {
		s.probs = v
	}
}

// exactlyOne panics with ErrValue unless exactly one of probs and logits was passed. It
// returns the name and the value of that option.
func (s *settings) exactlyOne(op string) (name string, value any) {
	switch {
	case (s.probs == nil) == (s.logits == nil):
		panic(&torch.Error{Op: op, Kind: torch.ErrValue, Message: "expected exactly one of the options Probs and " +
			"Logits, got " + map[bool]string{true: "neither", false: "both"}[s.probs == nil]})
	case s.logits != nil:
		return "logits", s.logits
	}
	return "probs", s.probs
}

func readOptions(op string, opts []Option) settings {
	s := defaults()
	for _, o := range opts {
		switch o := o.(type) {
		case ValidateArgs:
			s.validate = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}

func readProbsOptions(op string, opts []ProbsOption) settings {
	s := defaults()
	for _, o := range opts {
		switch o := o.(type) {
		case ValidateArgs:
			s.validate = bool(o)
		case ParamOption:
			s.param(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}

func readContinuousBernoulliOptions(op string, opts []ContinuousBernoulliOption) settings {
	s := defaults()
	for _, o := range opts {
		switch o := o.(type) {
		case ValidateArgs:
			s.validate = bool(o)
		case ParamOption:
			s.param(o)
		case LimsOption:
			s.lims = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}

// sampleShape returns the sample shape from the options of Sample or RSample.
func sampleShape(op string, opts []SampleOption) torch.Shape {
	shape := append(torch.Shape(nil), opt.Read(op, opts, SampleShape(nil))...)
	for _, n := range shape {
		if n < 0 {
			panic(torch.NewError(op, torch.ErrValue, "SampleShape", fmt.Sprintf("expected no negative size, got %v",
				shape)))
		}
	}
	return shape
}

// expanding returns the value of Expand in the options of EnumerateSupport.
func expanding(op string, opts []EnumerateOption) bool {
	return bool(opt.Read(op, opts, Expand(true)))
}
