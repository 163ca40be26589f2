package claims

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

// WriteJSON writes the results as a list, through a file beside path so that a
// reader never sees half of it. Missing folders are made.
func WriteJSON(path string, all []Result) error {
	if all == nil {
		all = []Result{}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// WriteTable prints each claim with its verdict and the points below it.
func WriteTable(w io.Writer, all []Result) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "claim\tmeasured\tvalue\tsays\tverdict")
	for _, r := range all {
		head := r.Points[r.Headline]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n",
			r.Claim.Name, r.Claim.Measured, harness.Format(head.Value, head.Unit), *head.Range, r.Verdict())
		for _, p := range r.Points {
			says, verdict := "", ""
			if p.Range != nil {
				says, verdict = p.Range.String(), "no"
				if p.Range.Contains(p.Value) {
					verdict = "yes"
				}
			}
			fmt.Fprintf(t, "\t  %s\t%s\t%s\t%s\n", p.What, harness.Format(p.Value, p.Unit), says, verdict)
		}
	}
	return t.Flush()
}
