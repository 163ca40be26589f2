package conformance_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// recorded is the directory with recordings made on this machine. make test
// MODE=conformance sets it. If it is empty, the tests are loose: they read testdata,
// which was recorded on a different machine, so results may differ by rounding.
var (
	recorded = os.Getenv("GOTORCH_CONFORMANCE")
	loose    = recorded == ""
)

// closePercent is the percentage of a database's samples that may differ by rounding from
// Python on this machine. The environment variable CLOSE sets it; the default is 0. On
// some processors, products differ.
var closePercent = func() int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("CLOSE"), "0"))
	if err != nil || n < 0 || n > 100 {
		panic("conformance: CLOSE is a number of percent, not " + os.Getenv("CLOSE"))
	}
	return n
}()

// A count is the number of samples of a member for each outcome.
type count struct {
	Tried     int               `json:"tried"`
	Equal     int               `json:"equal"`
	Close     int               `json:"close,omitempty"` // equal, except for rounding
	Different int               `json:"different,omitempty"`
	Skipped   map[string]int    `json:"skipped,omitempty"` // by reason
	Missing   string            `json:"missing,omitempty"` // why the member has no samples here
	Examples  map[string]string `json:"examples,omitempty"`
}

var report = map[string]map[string]*count{}

// eachMember runs the recorded samples of each member of the database kind, as subtests.
// If the library does not have a member, missing returns the reason. run runs one sample
// and adds its differences to d.
func eachMember(t *testing.T, kind string, missing func(name string) string,
	run func(name string, f *file, raw json.RawMessage, d *differences),
) {
	of, _, _ := strings.Cut(kind, " ") // "ops in graphs" uses the files of "ops"
	folder := filepath.Join("testdata", of)
	if recorded != "" {
		folder = filepath.Join(recorded, of)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.gz"))
	require.NoError(t, err)
	if loose {
		require.NotEmpty(t, files, "the recordings are part of the repository")
	}
	threads := torch.NumThreads()
	torch.SetNumThreads(1)
	defer torch.SetNumThreads(threads)
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever))
	report[kind] = map[string]*count{}
	tried, near := 0, 0
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		t.Run(name, func(t *testing.T) {
			n := &count{Skipped: map[string]int{}}
			report[kind][name] = n
			f, err := readFile(path)
			require.NoError(t, err)
			if why := notOffered[kind+" "+name]; why != "" {
				n.Skipped[why] = max(1, len(f.Cases))
				t.Skip(why)
			}
			if n.Missing = missing(name); n.Missing != "" {
				if !loose {
					t.Fail()
				}
				t.Skip(n.Missing)
			}
			if loose {
				require.NotEmpty(t, f.Cases, "no sample was recorded")
			}
			for i, raw := range f.Cases {
				n.Tried++
				d := new(differences)
				why := sample(func() { run(name, f, raw, d) }, d)
				switch {
				case why != "":
					n.Skipped[why]++
				case len(d.all) > 0:
					n.Different++
					if n.Different <= 4 {
						t.Errorf("sample %d (%s):\n  %s", i, d.name, strings.Join(d.all[:min(4, len(d.all))], "\n  "))
					} else {
						t.Fail()
					}
				case d.close > 0:
					n.Close++
				default:
					n.Equal++
				}
			}
			tried, near = tried+n.Tried, near+n.Close
		})
	}
	if !loose && near*100 > tried*closePercent {
		t.Errorf("%d of %d samples are equal but for rounding: more than %d %% (CLOSE)", near, tried, closePercent)
	}
}

// sample runs fn in a scope. It adds a panic of fn to d as a difference. If fn skips the
// sample, sample returns the reason.
func sample(fn func(), d *differences) (skip string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case skipped:
			skip = string(r)
		case error:
			if errors.Is(r, torch.ErrNotImplemented) && strings.Contains(r.Error(), "is not in libtorch") {
				skip = "removed from this version of libtorch"
				return
			}
			d.add("panic: %.300s", r.Error())
		default:
			d.add("panic: %.300s", fmt.Sprint(r))
		}
	}()
	torch.Scope(fn)
	return ""
}

// TestZReport writes the counts of all databases. Its name makes it run last.
func TestZReport(t *testing.T) {
	out := os.Getenv("GOTORCH_CONFORMANCE_REPORT")
	if out == "" {
		t.Skip("make test MODE=conformance writes the report")
	}
	data, err := json.MarshalIndent(report, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(out, append(data, '\n'), 0o644))
	for _, kind := range slices.Sorted(maps.Keys(report)) {
		if len(report[kind]) == 0 {
			continue
		}
		var sum count
		var missing []string
		skips := map[string]int{}
		for name, c := range report[kind] {
			sum.Tried += c.Tried
			sum.Equal += c.Equal
			sum.Close += c.Close
			sum.Different += c.Different
			if c.Missing != "" {
				missing = append(missing, name)
			}
			for why, n := range c.Skipped {
				skips[why] += n
			}
		}
		fmt.Printf("%-10s %d members, %d samples: %d equal, %d close, %d different\n",
			kind, len(report[kind]), sum.Tried, sum.Equal, sum.Close, sum.Different)
		for _, why := range slices.Sorted(maps.Keys(skips)) {
			fmt.Printf("  skipped %d: %s\n", skips[why], why)
		}
		slices.Sort(missing)
		if len(missing) > 0 {
			fmt.Printf("  missing %d: %s\n", len(missing), strings.Join(missing, " "))
		}
	}
}
