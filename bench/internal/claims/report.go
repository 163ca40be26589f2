package claims

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gotorch/gotorch/bench/internal/harness"
	"github.com/gotorch/gotorch/bench/internal/jsonfile"
)

// WriteJSON writes the results as a list to a file; see jsonfile.Write.
func WriteJSON(path string, all []Result) error {
	if all == nil {
		all = []Result{}
	}
	return jsonfile.Write(path, all)
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
