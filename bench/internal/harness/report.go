package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/gotorch/gotorch/bench/internal/jsonfile"
)

// WriteJSON writes all outcomes to the file at path as a JSON array; see jsonfile.Write.
func WriteJSON(path string, all []Outcome) error {
	if all == nil {
		all = []Outcome{}
	}
	return jsonfile.Write(path, all)
}

// ReadJSON reads a file that WriteJSON wrote. If the file does not exist, the list is
// empty.
func ReadJSON(path string) ([]Outcome, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Outcome
	return all, json.Unmarshal(text, &all)
}

// Merge returns the outcomes named in names, in that order. If old and fresh both have an
// outcome, Merge returns the fresh one.
func Merge(names []string, old, fresh []Outcome) []Outcome {
	byName := map[string]Outcome{}
	for _, list := range [][]Outcome{old, fresh} {
		for _, o := range list {
			byName[o.Name] = o
		}
	}
	var all []Outcome
	for _, name := range names {
		if o, ok := byName[name]; ok {
			all = append(all, o)
		}
	}
	return all
}

// WriteTable prints the outcomes with their targets.
func WriteTable(w io.Writer, all []Outcome, targets map[string]float64) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "name\tours\tpeer\t\tratio\ttarget\t")
	met, held := 0, 0
	for _, o := range all {
		ours, ratio, target, verdict := Format(o.Ours, o.Unit), fmt.Sprintf("%.3f", o.Ratio), "", ""
		if o.Ours == 0 { // only the peers were measured
			ours, ratio = "-", "-"
		} else if bound, ok := targets[o.Name]; ok {
			target, verdict = fmt.Sprintf("<= %.4g", bound), "over"
			held++
			if o.Ratio <= bound {
				verdict = "ok"
				met++
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			o.Name, ours, Format(o.PeerValue, o.Unit), o.Peer, ratio, target, verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d of %d targets met\n", met, held)
	return err
}

// Format formats a value for readers, for example 0.61 us or 48.2 MB.
func Format(v float64, unit string) string {
	type step struct {
		from float64
		name string
	}
	var steps []step
	switch unit {
	case "ns":
		steps = []step{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}
	case "bytes":
		steps = []step{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}
	}
	for _, s := range steps {
		if v >= s.from {
			return fmt.Sprintf("%.4g %s", v/s.from, s.name)
		}
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}
