package harness

import (
	"path"
	"slices"
)

// Outcomes returns the rows of p for build/bench.json: the time per number if it is
// meaningful, and the peak native bytes with and without scopes.
func (p Pair) Outcomes() []Outcome {
	names := p.rows()
	row := func(name, unit string, ours, python float64) Outcome {
		return Outcome{
			Name: name, Unit: unit, Ours: ours, Peer: "reference.py", PeerValue: python,
			Ratio: ours / python,
		}
	}
	var all []Outcome
	if p.timed() && p.Ours.Rate > 0 && p.Python.Rate > 0 {
		all = append(all, row(names[0], "ns", 1e9/p.Ours.Rate, 1e9/p.Python.Rate))
	}
	if p.Python.Peak == 0 {
		return all
	}
	all = append(all, row(names[1], "bytes", float64(p.Ours.Peak), float64(p.Python.Peak)))
	if p.Scoped == "" {
		all = append(all, row(names[2], "bytes", float64(p.Unscoped.Peak), float64(p.Python.Peak)))
	}
	return all
}

// rows returns the names of the rows that Outcomes returns for w.
func (w Twin) rows() []string {
	name := "twins." + path.Base(w.Name)
	return []string{name + ".python", name + ".peak", name + ".unscoped"}
}

// AllNames returns the names of all rows that build/bench.json may contain: the rows of
// groups and of Twins.
func AllNames(groups []Group) []string {
	names := Names(groups)
	for _, w := range Twins() {
		names = append(names, w.rows()...)
	}
	return slices.Clip(names)
}

// TwinTargets returns the largest allowed ratio of each row of Twins, by row name.
func TwinTargets() map[string]float64 {
	targets := map[string]float64{}
	for _, w := range Twins() {
		names := w.rows()
		if w.Untimed == "" {
			targets[names[0]] = 1
		}
		targets[names[1]] = 1.02
		if w.Scoped == "" {
			targets[names[2]] = 1.3
		}
	}
	return targets
}
