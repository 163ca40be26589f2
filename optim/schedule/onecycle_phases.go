package schedule

import (
	"math"

	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/pyvalue"
)

// phase is a part of the cycle. In it, the rate moves from one value to another. The
// fields from and to contain the names of the group settings with these values, such as
// "initial_lr" and "max_lr".
type phase struct {
	end                      float64
	from, to                 string
	fromMomentum, toMomentum string
}

// phases are the two or three phases of a cycle.
type phases []phase

func newPhases(total int64, pctStart float64, three bool) phases {
	steps := float64(pctStart * float64(total))
	end := float64(total - 1)
	if three {
		return phases{
			{steps - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"},
			{float64(2*pctStart*float64(total)) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"},
			{end, "initial_lr", "min_lr", "max_momentum", "max_momentum"},
		}
	}
	return phases{
		{steps - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"},
		{end, "max_lr", "min_lr", "base_momentum", "max_momentum"},
	}
}

func (p phases) ends() []float64 {
	out := make([]float64, len(p))
	for i, one := range p {
		out[i] = one.end
	}
	return out
}

// Keys of a phase in Python's dict.
const (
	keyEnd          = "end_step"
	keyFrom         = "start_lr"
	keyTo           = "end_lr"
	keyFromMomentum = "start_momentum"
	keyToMomentum   = "end_momentum"
)

// dicts returns the phases in the form of Python's dict.
func (p phases) dicts() []StateDict {
	out := make([]StateDict, len(p))
	for i, one := range p {
		out[i] = StateDict{
			keyEnd: one.end, keyFrom: one.from, keyTo: one.to,
			keyFromMomentum: one.fromMomentum, keyToMomentum: one.toMomentum,
		}
	}
	return out
}

// phasesOf converts the result of dicts, or Python's list, to phases.
func phasesOf(v any) (phases, bool) {
	items, ok := pyvalue.Items(v)
	if !ok || len(items) < 2 || len(items) > 3 {
		return nil, false
	}
	out := make(phases, len(items))
	for i, item := range items {
		src, ok := item.(pyvalue.Source)
		if !ok || options.IsNil(src) {
			return nil, false
		}
		of, _, ok := pyvalue.Named(src)
		if !ok || len(of) != 5 {
			return nil, false
		}
		p := &out[i]
		if p.end, ok = pyvalue.Float(of[keyEnd]); !ok || math.IsNaN(p.end) || math.IsInf(p.end, 0) {
			return nil, false
		}
		for key, to := range map[string]*string{keyFrom: &p.from, keyTo: &p.to} {
			if *to, _ = of[key].(string); *to != "initial_lr" && *to != "max_lr" && *to != "min_lr" {
				return nil, false
			}
		}
		for key, to := range map[string]*string{keyFromMomentum: &p.fromMomentum, keyToMomentum: &p.toMomentum} {
			if *to, _ = of[key].(string); *to != "max_momentum" && *to != "base_momentum" {
				return nil, false
			}
		}
	}
	return out, true
}
