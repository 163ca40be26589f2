// Package claims measures whether common rules of thumb about PyTorch's memory are true.
// Each claim has a range in which the measured points must lie. The points and the range
// determine the verdict.
package claims

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/gotorch/gotorch/memory"
)

// A Claim is a rule of thumb and how to test it.
type Claim struct {
	Name     string // a stable name, such as "claim.empty_cache_ms"
	Says     string // the rule of thumb as a sentence
	Measured string // what the judged points measure
	Unit     string // unit of the judged points
	Range    Range  // range of the points if the claim holds
	measure  func(*sheet)
}

// Range is the range of values that a claim allows, including both ends. A High of +Inf
// means no upper bound.
type Range struct{ Low, High float64 }

// Contains reports whether v lies in the range.
func (r Range) Contains(v float64) bool { return v >= r.Low && v <= r.High }

// String returns the range for the table.
func (r Range) String() string {
	switch {
	case r.Low == r.High:
		return fmt.Sprintf("%g", r.Low)
	case math.IsInf(r.High, 1):
		return fmt.Sprintf(">= %g", r.Low)
	case math.IsInf(r.Low, -1):
		return fmt.Sprintf("<= %g", r.High)
	}
	return fmt.Sprintf("%g to %g", r.Low, r.High)
}

// Verdict says whether the measurement confirms a claim.
type Verdict string

// Verdicts.
const (
	Holds       Verdict = "holds"         // all judged points are in the range
	HoldsInPart Verdict = "holds in part" // some judged points are in the range
	Fails       Verdict = "does not hold" // at no judged point
)

// Point is one measured value.
type Point struct {
	What  string
	Value float64
	Unit  string
	// Range is the range that Value must lie in. It is nil for a value that is only
	// reported.
	Range *Range
}

// Result is a claim with its points.
type Result struct {
	Claim    Claim
	Headline int // index of the judged point whose value is reported for the claim
	Points   []Point
}

// Verdict compares each judged point with its range.
func (r Result) Verdict() Verdict {
	judged, within := 0, 0
	for _, p := range r.Points {
		if p.Range == nil {
			continue
		}
		judged++
		if p.Range.Contains(p.Value) {
			within++
		}
	}
	switch within {
	case 0:
		return Fails
	case judged:
		return Holds
	}
	return HoldsInPart
}

// Value returns the value of the point with the given description, and whether such a
// point exists.
func (r Result) Value(what string) (float64, bool) {
	for _, p := range r.Points {
		if p.What == what {
			return p.Value, true
		}
	}
	return 0, false
}

// MarshalJSON writes {name, claim, measured, unit, low, high, verdict, detail}. measured
// is the value of the headline, a missing bound is null, and detail lists all points.
func (r Result) MarshalJSON() ([]byte, error) {
	type point struct {
		What  string   `json:"what"`
		Value float64  `json:"value"`
		Unit  string   `json:"unit"`
		Low   *float64 `json:"low,omitempty"`
		High  *float64 `json:"high,omitempty"`
	}
	head := r.Points[r.Headline]
	detail := make([]point, len(r.Points))
	for i, p := range r.Points {
		detail[i] = point{What: p.What, Value: p.Value, Unit: p.Unit}
		if p.Range != nil {
			detail[i].Low, detail[i].High = finite(p.Range.Low), finite(p.Range.High)
		}
	}
	return json.Marshal(struct {
		Name     string   `json:"name"`
		Claim    string   `json:"claim"`
		Measured float64  `json:"measured"`
		Unit     string   `json:"unit"`
		Low      *float64 `json:"low"`
		High     *float64 `json:"high"`
		Verdict  Verdict  `json:"verdict"`
		Detail   []point  `json:"detail"`
	}{
		r.Claim.Name, r.Claim.Says, head.Value, head.Unit,
		finite(head.Range.Low), finite(head.Range.High), r.Verdict(), detail,
	})
}

func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// All returns the claims in the order of the table.
func All() []Claim {
	return []Claim{
		emptyCache, clearEachIteration, explicitCleanup, peakReduction, detachFrees,
		collect, inPlaceMemory, outBuffer, deleteOutputs,
	}
}

// Options select what to measure and for how long.
type Options struct {
	// Run selects claims by name; nil selects all.
	Run *regexp.Regexp
	// Rounds is the number of rounds in which the variants take turns; 0 means 7.
	Rounds int
	// Quick shortens loops and uses smaller tensors, to check that everything runs. Its
	// times are not meaningful, but byte counts keep their ratios.
	Quick bool
	// Log receives a line for each claim.
	Log io.Writer
}

// Run measures the selected claims. It panics if an operator panics.
func Run(o Options) []Result {
	if o.Rounds == 0 {
		o.Rounds = 7
	}
	if o.Quick {
		o.Rounds = min(o.Rounds, 2)
	}
	var all []Result
	for _, c := range All() {
		if o.Run != nil && !o.Run.MatchString(c.Name) {
			continue
		}
		fmt.Fprintln(o.Log, c.Name)
		// Otherwise memory left over from the previous claim would count as cached or
		// live.
		memory.Clear()
		s := &sheet{claim: c, rounds: o.Rounds, quick: o.Quick, headline: -1}
		c.measure(s)
		all = append(all, Result{Claim: c, Headline: s.headline, Points: s.points})
	}
	memory.Clear()
	return all
}
