package harness

import (
	"fmt"
	"io"
	"regexp"
	"slices"
)

// Options select what to measure and for how long.
type Options struct {
	// Run selects rows by name; nil selects all.
	Run *regexp.Regexp
	// Rounds is the number of rounds in which the contestants take turns; 0 means 5.
	Rounds int
	// Quick reduces the iterations to a tenth and the rounds to 3, to check that
	// everything runs. The results are not meaningful.
	Quick bool
	// PeersOnly runs only the peers, so the rows have no values for this library.
	PeersOnly bool
	// Log receives a line for each group and for each row that is left out.
	Log io.Writer
	// Keep, if set, is called after each group with all outcomes so far, so that an
	// interrupted run loses nothing. Its error ends the run.
	Keep func([]Outcome) error
}

// Outcome is a row with its measured values.
type Outcome struct {
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Ours      float64 `json:"ours"`
	Peer      string  `json:"peer"`
	PeerValue float64 `json:"peer_value"`
	Ratio     float64 `json:"ratio"`
}

// A Runner runs a measure once. Toolbox is the Runner that starts processes.
type Runner interface {
	Run(Measure) (Result, error)
}

// Ours is the name of this library's contestant, which the rows compare with a peer.
const Ours = "ours"

// Run measures the selected rows of the groups. If a contestant cannot be built or
// returns an error, its rows are left out and the reason is logged. Run returns the error
// of o.Keep.
func Run(groups []Group, box Runner, o Options) ([]Outcome, error) {
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	if o.Quick {
		o.Rounds = min(o.Rounds, 3)
	}
	var all []Outcome
	for _, g := range groups {
		g = g.selected(o)
		if len(g.Rows) == 0 {
			continue
		}
		fmt.Fprintf(o.Log, "%s", g.Rows[0].Name)
		if len(g.Rows) > 1 {
			fmt.Fprintf(o.Log, " and %d more", len(g.Rows)-1)
		}
		fmt.Fprintln(o.Log)
		results := g.measure(box, o)
		all = append(all, g.outcomes(results, o)...)
		if o.Keep != nil {
			if err := o.Keep(all); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// selected returns the group reduced to the rows that o.Run selects, and to the measures
// that these rows need.
func (g Group) selected(o Options) Group {
	out := Group{MaxRounds: g.MaxRounds}
	needed := map[string]bool{}
	for _, row := range g.Rows {
		if o.Run != nil && !o.Run.MatchString(row.Name) {
			continue
		}
		out.Rows = append(out.Rows, row)
		needed[row.Ours.ID], needed[row.Peer.ID] = true, true
	}
	for _, m := range g.Measures {
		if !needed[m.ID] || o.PeersOnly && m.By == Ours {
			continue
		}
		if o.Quick && m.Iterations > 10 {
			m.Iterations /= 10
		}
		out.Measures = append(out.Measures, m)
	}
	return out
}

// measure runs all measures of g once per round, starting with a different measure each
// time. It does not repeat a measure that failed.
func (g Group) measure(box Runner, o Options) map[string][]Result {
	rounds := o.Rounds
	if g.MaxRounds > 0 {
		rounds = min(rounds, g.MaxRounds)
	}
	results := map[string][]Result{}
	failed := map[string]bool{}
	for round := range rounds {
		for turn := range g.Measures {
			m := g.Measures[(round+turn)%len(g.Measures)]
			if failed[m.ID] {
				continue
			}
			r, err := box.Run(m)
			if err != nil {
				failed[m.ID] = true
				delete(results, m.ID)
				fmt.Fprintf(o.Log, "  left out: %s: %v\n", m.ID, err)
				continue
			}
			results[m.ID] = append(results[m.ID], r)
		}
	}
	return results
}

func (g Group) outcomes(results map[string][]Result, o Options) []Outcome {
	var all []Outcome
	for _, row := range g.Rows {
		out := Outcome{Name: row.Name, Unit: row.Unit, Peer: row.PeerName}
		var ok, peerOK bool
		out.Ours, ok = row.Ours.resolve(g, results)
		out.PeerValue, peerOK = row.Peer.resolve(g, results)
		if !peerOK || !ok && !o.PeersOnly {
			continue
		}
		if out.PeerValue != 0 {
			out.Ratio = out.Ours / out.PeerValue
		}
		all = append(all, out)
	}
	return all
}

// Names returns the names of all rows of groups, in their order.
func Names(groups []Group) []string {
	var names []string
	for _, g := range groups {
		for _, row := range g.Rows {
			names = append(names, row.Name)
		}
	}
	return slices.Clip(names)
}
