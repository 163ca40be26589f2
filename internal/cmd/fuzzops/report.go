package main

import (
	"embed"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A Death is a call that ended its process or never returned.
type Death struct {
	Operator  string `json:"operator"`
	Seed      int64  `json:"seed"`
	Kind      string `json:"kind"`
	Arguments string `json:"arguments,omitempty"`
	Message   string `json:"message,omitempty"`
	// Repeated says whether the call died again, alone or after other calls of the same
	// operator. If it did not, an earlier call in the process is to blame.
	Repeated bool `json:"repeated"`
	Known    bool `json:"known"` // whether the operator is in the list of known operators
}

// A Report contains the results of all calls.
type Report struct {
	Version   string `json:"libtorch"`
	Seed      int64  `json:"seed"`
	CallsEach int    `json:"calls_each"`
	Operators int    `json:"operators"`
	// operators that were not called before the time was over
	NotReached int `json:"operators_not_reached"`
	Calls      int `json:"calls"`
	Results    int `json:"results"`
	Errors     int `json:"errors"`
	Absent     int `json:"absent"`
	// number of operators for each kind of first death
	Kinds      map[string]int `json:"operators_that_died"`
	Unrepeated int            `json:"deaths_not_repeated"`
	Seconds    float64        `json:"seconds"`
	Deaths     []Death        `json:"deaths"`
}

func (r *Report) count(o outcome) {
	r.Results += o.counts[result]
	r.Errors += o.counts[failed]
	r.Absent += o.counts[absent]
	r.Calls += o.counts[result] + o.counts[failed]
	if o.kind != "" {
		r.Calls++
	}
}

func (r *Report) finish(d time.Duration) {
	r.Seconds = d.Round(time.Second / 10).Seconds()
	sort.Slice(r.Deaths, func(i, j int) bool {
		a, b := r.Deaths[i], r.Deaths[j]
		return a.Operator < b.Operator || a.Operator == b.Operator && a.Seed < b.Seed
	})
	r.Kinds = map[string]int{}
	last := ""
	for _, d := range r.Deaths {
		if !d.Repeated {
			r.Unrepeated++
		} else if d.Operator != last {
			r.Kinds[d.Kind]++
			last = d.Operator
		}
	}
}

// Unknown returns the deaths whose operators are to blame and are not in the list of
// known operators.
func (r *Report) Unknown() []Death {
	var all []Death
	for _, d := range r.Deaths {
		// If a child reached its memory limit, the operator may not be at fault.
		if d.Repeated && !d.Known && d.Kind != Memory {
			all = append(all, d)
		}
	}
	return all
}

// String returns the report as the command prints it.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "libtorch %s, seed %d: %d operators, %d calls in %.0f s\n", r.Version, r.Seed, r.Operators, r.Calls,
		r.Seconds)
	fmt.Fprintf(&b, "  results %d, errors %d, deaths %d\n", r.Results, r.Errors, len(r.Deaths))
	for _, n := range []struct {
		n    int
		what string
	}{
		{r.Absent, "calls of operators that this libtorch lacks"},
		{r.NotReached, "operators that there was no time for"},
		{r.Unrepeated, "deaths that came of calls before"},
	} {
		if n.n > 0 {
			fmt.Fprintf(&b, "  %d %s\n", n.n, n.what)
		}
	}
	dead := map[string][]string{}
	for _, d := range r.Deaths {
		if d.Repeated && !slices.Contains(dead[d.Kind], d.Operator) {
			dead[d.Kind] = append(dead[d.Kind], d.Operator)
		}
	}
	for _, kind := range kinds {
		if len(dead[kind]) > 0 {
			fmt.Fprintf(&b, "%s, %d operators: %s\n", kind, len(dead[kind]), strings.Join(dead[kind], " "))
		}
	}
	for _, d := range r.Unknown() {
		fmt.Fprintf(&b, "NOT KNOWN: %s, -replay %s:%d\n  %s\n  %s\n", d.Kind, d.Operator, d.Seed, d.Arguments,
			d.Message)
	}
	return b.String()
}

var kinds = []string{Crash, Division, Abort, Hang, Memory, Other}

//go:embed known-*.txt
var knownFiles embed.FS

// KnownTo returns the list of known operators for a version of libtorch. It is empty if
// there is no file for the version.
func KnownTo(version string) (Known, error) {
	text, err := knownFiles.ReadFile("known-" + version + ".txt")
	if err != nil {
		return Known{}, nil //nolint:nilerr // no list
	}
	return ParseKnown(string(text))
}

// Known is the list of operators that are known to end the process or never return. Each
// entry has the kinds of its operator's deaths, and a call as an example.
type Known map[string]KnownOperator

// A KnownOperator is a row of known-VERSION.txt.
type KnownOperator struct {
	Kinds []string
	Seed  int64
	Call  string
}

const knownHeader = `# Operators of libtorch %s that hostile arguments make end the process, or never
# return, by make fuzz MODE=ops: the name, the kinds of deaths, the seed of one and its call.
# An operator leaves the list when it is guarded; CI fails for one that is not in it.
`

// ParseKnown parses the text of known-VERSION.txt.
func ParseKnown(text string) (Known, error) {
	k := Known{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("known operators: expected four columns in %q", line)
		}
		seed, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("known operators: %w", err)
		}
		k[f[0]] = KnownOperator{strings.Split(f[1], ","), seed, f[3]}
	}
	return k, nil
}

// With returns the list with the operators of deaths added.
func (k Known) With(deaths []Death) Known {
	all := Known{}
	for name, row := range k {
		all[name] = row
	}
	for _, d := range deaths {
		if !d.Repeated || d.Kind == Memory {
			continue
		}
		row, ok := all[d.Operator]
		if !ok {
			row = KnownOperator{nil, d.Seed, shorten(d.Arguments)}
		}
		if !slices.Contains(row.Kinds, d.Kind) {
			row.Kinds = append(slices.Clone(row.Kinds), d.Kind)
			slices.Sort(row.Kinds)
		}
		all[d.Operator] = row
	}
	return all
}

func shorten(s string) string {
	const most = 240
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// Text returns the list as the text of known-VERSION.txt.
func (k Known) Text(version string) string {
	names := make([]string, 0, len(k))
	for name := range k {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	fmt.Fprintf(&b, knownHeader, version)
	for _, name := range names {
		row := k[name]
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\n", name, strings.Join(row.Kinds, ","), row.Seed, row.Call)
	}
	return b.String()
}
