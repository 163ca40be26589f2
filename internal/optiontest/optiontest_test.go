package optiontest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
)

// The options of reader.
type (
	option interface{ anOption() }
	size   int
	on     bool
)

func (size) anOption() {}
func (on) anOption()   {}

// reader returns the Row of a function that reads options as functions of this library
// do, except for one mistake. fault names the mistake; if it is empty, there is none.
func reader(fault string) optiontest.Row {
	return optiontest.For(func(opts ...option) optiontest.Outcome {
		n, is := size(1), false
		for i, o := range opts {
			switch o := o.(type) {
			case size:
				if fault != "first" || i == 0 {
					n = o
				}
			case *size:
				if fault != "pointer" {
					panic(torch.BadOption("reader", o))
				}
			case on:
				is = bool(o) && fault != "lost"
			default:
				if fault == "untyped" {
					panic(&torch.Error{Kind: torch.ErrNil})
				}
				if fault != "nil" || o != nil {
					panic(torch.BadOption("reader", o))
				}
			}
		}
		if n < 0 {
			panic(torch.NewError("reader", torch.ErrValue, "size", "negative"))
		}
		return optiontest.Outcome{"result": fmt.Sprint(n, is), "printed": fmt.Sprint(n)}
	},
		optiontest.Values(size(0), size(2)),
		optiontest.Values(on(true), on(false)).Hides("printed", "it is not printed"),
		optiontest.Refused(size(-1)))
}

// recorder is a testing.TB that records the messages of failures.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) FailNow() { panic(r) }

// said calls run with a recorder and returns the messages of the recorded failures.
func said(t *testing.T, run func(tb testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if v := recover(); v != nil && v != any(r) {
				panic(v)
			}
		}()
		run(r)
	}()
	return strings.Join(r.said, "\n")
}

func TestRow(t *testing.T) {
	assert.Equal(t, []string{"on", "size"}, reader("").Options())
	assert.Empty(t, said(t, func(tb testing.TB) { reader("").Check(tb) }))
	for fault, complaint := range map[string]string{
		"lost":    "result: optiontest_test.on(true) and optiontest_test.on(false) do the same",
		"first":   "size(2) after optiontest_test.size(0)",
		"nil":     "in chain but got nil",
		"untyped": "Should NOT be empty",
		"pointer": "in chain but got nil",
	} {
		assert.Contains(t, said(t, func(tb testing.TB) { reader(fault).Check(tb) }), complaint, fault)
	}
}

func TestSource(t *testing.T) {
	dir, shared := t.TempDir(), t.TempDir()
	write := func(dir, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o600))
	}
	write(shared, `package opt
type Any struct{}
func (Any) layer() {}
type Bias bool
func (Bias) layer() {}
type Layer interface{ layer() }`)
	write(dir, `package p
import "opt"
type LayerOption interface{ opt.Layer }
type SumOption interface { Other; sumOption() }
type As struct { opt.Any; name string }
type Dim int
func (Dim) sumOption() {}
type dims []int
func (dims) sumOption() {}
type SettingOption interface { Setting() string }
type LR float64
func (LR) Setting() string { return "" }
type fixed int
func (fixed) Setting() string { return "" }
func (t T) Set(opts ...SettingOption) {}
func New(n int, opts ...LayerOption) {}
func (t *T) Sum(opts ...SumOption) {}
func (t *T) sum(opts ...SumOption) {}
func All(names ...string) {}`)
	s := optiontest.Read(t, dir, shared)
	assert.Equal(t, map[string]string{"New": "LayerOption", "T.Sum": "SumOption", "T.Set": "SettingOption"},
		s.Functions)
	assert.Equal(t, map[string][]string{
		"LayerOption": {"As", "Bias"}, "SumOption": {"Dim", "dims"},
		"SettingOption": {"LR"},
	}, s.Families)

	complete := func(newOptions, sum []string) string {
		table := map[string][]string{"New": newOptions, "T.Sum": sum, "T.Set": {"LR"}}
		if sum == nil {
			delete(table, "T.Sum")
		}
		return said(t, func(tb testing.TB) { s.Complete(tb, table) })
	}
	assert.Empty(t, complete([]string{"Bias", "As"}, []string{"Dim", "dims"}))
	assert.Contains(t, complete([]string{"As"}, []string{"Dim", "dims"}), "the options of New")
	assert.Contains(t, complete([]string{"As", "Bias"}, []string{"Dim"}), "the options of T.Sum")
	assert.Contains(t, complete([]string{"As", "Bias"}, nil), "T.Sum is not in the table")
}
