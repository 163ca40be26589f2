// Command twins runs each example and its reference.py, the same program in Python, with
// the same seed. It prints a table of both: the largest difference between their numbers,
// numbers per second, peak native bytes, and lines of code. It replaces the rows of these
// examples in build/bench.json.
//
//	go run ./bench/cmd/twins [-run REGEXP] [-rounds N] [-write]
//
// With -write it also writes the table of docs/twins.md and its chart, if all pairs were
// run. It fails if numbers differ by more than the rounding differences of processors.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

func main() {
	pattern := flag.String("run", "", "the examples whose name matches this regular `expression`")
	rounds := flag.Int("rounds", 3, "number of turns of each program; rates are medians")
	write := flag.Bool("write", false, "write the table of docs/twins.md and its picture")
	flag.Parse()
	if err := run(*pattern, *rounds, *write); err != nil {
		fmt.Fprintln(os.Stderr, "twins:", err)
		os.Exit(1)
	}
}

func run(pattern string, rounds int, write bool) (err error) {
	if rounds < 1 {
		return fmt.Errorf("-rounds must be at least 1, got %d", rounds)
	}
	selected, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	twins := slices.DeleteFunc(harness.Twins(), func(w harness.Twin) bool { return !selected.MatchString(w.Name) })
	if len(twins) == 0 {
		return fmt.Errorf("no example matches %q", pattern)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	machine, busy := harness.Machine(), harness.Busy()
	if !busy {
		machine += fmt.Sprintf("; rates are medians of %d runs of each, in turn", rounds)
	}
	b := harness.NewToolbox(root, os.Stderr)
	defer func() { err = errors.Join(err, b.Close()) }()
	var failed []error
	var pairs []harness.Pair
	for _, w := range twins {
		p, err := w.Compare(b, rounds)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		p.Busy = busy
		failed = append(failed, p.Check())
		pairs = append(pairs, p)
		fmt.Fprintln(os.Stderr, strings.Join(p.Cells(), "  "))
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, strings.Join(harness.Pair{}.Head(), "\t")+"\t")
	for _, p := range pairs {
		fmt.Fprintln(out, strings.Join(p.Cells(), "\t")+"\t")
	}
	failed = append(failed, out.Flush(), keep(filepath.Join(root, "build", "bench.json"), pairs))
	if write {
		if len(pairs) < len(harness.Twins()) {
			failed = append(failed, errors.New("docs/twins.md was not written: some pairs were not run"))
		} else {
			failed = append(failed, writePage(filepath.Join(root, "docs", "twins.md"),
				harness.TwinsPage(machine, pairs)),
				os.WriteFile(filepath.Join(root, "docs", "img", "twins.svg"), //nolint:gosec // documentation
					[]byte(harness.TwinsPicture(pairs)), 0o644))
		}
	}
	return errors.Join(failed...)
}

// keep writes the results of pairs to the file at path. It replaces the rows of the same
// pairs and leaves all other rows.
func keep(path string, pairs []harness.Pair) error {
	old, err := harness.ReadJSON(path)
	if err != nil {
		return err
	}
	var fresh []harness.Outcome
	for _, p := range pairs {
		fresh = append(fresh, p.Outcomes()...)
	}
	return harness.WriteJSON(path, harness.Merge(harness.AllNames(harness.Groups()), old, fresh))
}

// mark is the line of docs/twins.md after which the measured part begins. The measured
// part extends to the end of the page.
const mark = "<!-- written by make bench MODE=twins ARGS=-write -->\n"

func writePage(path, measured string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, _, ok := strings.Cut(string(text), mark)
	if !ok {
		return fmt.Errorf("%s: no line %q", path, strings.TrimSpace(mark))
	}
	return os.WriteFile(path, []byte(before+mark+"\n"+measured), 0o600)
}
