package harness_test

import (
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

// script is a Runner that returns prepared times for each measure, one at a time.
type script struct {
	times map[string][]float64
	asked []string
}

func (s *script) Run(m harness.Measure) (harness.Result, error) {
	s.asked = append(s.asked, m.ID)
	left := s.times[m.ID]
	if len(left) == 0 {
		return harness.Result{}, errors.New("broken")
	}
	s.times[m.ID] = left[1:]
	return harness.Result{Nanoseconds: left[0], Extra: map[string]float64{"peak": left[0] * 10}}, nil
}

func example() []harness.Group {
	return []harness.Group{{
		Measures: []harness.Measure{
			{ID: "us", By: harness.Ours, Iterations: 10},
			{ID: "them", By: "cpp", Iterations: 20},
			{ID: "absent", By: "tch", Iterations: 10},
		},
		Rows: []harness.Row{
			{
				Name: "a.them", Unit: "ns", Ours: harness.Value{ID: "us"}, Peer: harness.Value{ID: "them"},
				PeerName: "C++",
			},
			{Name: "a.absent", Unit: "ns", Ours: harness.Value{ID: "us"}, Peer: harness.Value{ID: "absent"}},
			{
				Name: "a.peak", Unit: "bytes", Ours: harness.Value{ID: "us", Key: "peak"},
				Peer: harness.Value{Const: 4000},
			},
			{
				Name: "a.unknown", Unit: "bytes", Ours: harness.Value{ID: "us", Key: "depth"},
				Peer: harness.Value{Const: 1},
			},
		},
	}}
}

func TestRunTakesTurnsAndMedians(t *testing.T) {
	s := &script{times: map[string][]float64{"us": {100, 900, 200}, "them": {400, 100, 500}}}
	var log strings.Builder
	var kept []harness.Outcome
	all, err := harness.Run(example(), s, harness.Options{
		Rounds: 3, Log: &log,
		Keep: func(all []harness.Outcome) error {
			kept = all
			return nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, all, kept)

	assert.Equal(t, []string{"us", "them", "absent", "them", "us", "us", "them"}, s.asked,
		"each round begins with another one; who failed is not asked again")
	assert.Contains(t, log.String(), "left out: absent: broken")
	assert.Equal(t, []harness.Outcome{
		{Name: "a.them", Unit: "ns", Ours: 20, Peer: "C++", PeerValue: 20, Ratio: 1},
		{Name: "a.peak", Unit: "bytes", Ours: 2000, PeerValue: 4000, Ratio: 0.5},
	}, all)
}

func TestRunMeasuresOnlyWhatTheSelectedRowsNeed(t *testing.T) {
	s := &script{times: map[string][]float64{"us": {100}, "them": {400}}}
	all, err := harness.Run(example(), s, harness.Options{Rounds: 1, Run: regexp.MustCompile(`peak$`), Log: io.Discard})
	require.NoError(t, err)
	assert.Equal(t, []string{"us"}, s.asked)
	assert.Len(t, all, 1)

	s = &script{times: map[string][]float64{"them": {400}}}
	all, err = harness.Run(example(), s, harness.Options{
		Rounds: 1, Run: regexp.MustCompile("them"), PeersOnly: true,
		Log: io.Discard,
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"them"}, s.asked)
	require.Len(t, all, 1)
	assert.Equal(t, 20.0, all[0].PeerValue)
}

func TestRunEndsWhenItsOutcomesCannotBeKept(t *testing.T) {
	s := &script{times: map[string][]float64{"us": {100}, "them": {400}}}
	full := errors.New("disk full")
	_, err := harness.Run(example(), s, harness.Options{
		Rounds: 1, Log: io.Discard,
		Keep: func([]harness.Outcome) error { return full },
	})
	assert.ErrorIs(t, err, full)
}

func TestMedian(t *testing.T) {
	values := []float64{5, 1, 3}
	assert.Equal(t, 3.0, harness.Median(values))
	assert.Equal(t, []float64{5, 1, 3}, values)
	assert.Equal(t, 2.5, harness.Median([]float64{4, 1, 3, 2}))
}

// Other tools look up these names in build/bench.json, so each name must be unique. Each
// target must belong to a name.
func TestTableOfCases(t *testing.T) {
	names := map[string]bool{}
	for _, g := range harness.Groups() {
		measures := map[string]bool{"": true}
		for _, m := range g.Measures {
			assert.False(t, measures[m.ID], "measure %s occurs twice", m.ID)
			measures[m.ID] = true
		}
		for _, row := range g.Rows {
			assert.False(t, names[row.Name], "row %s occurs twice", row.Name)
			names[row.Name] = true
			assert.True(t, measures[row.Ours.ID] && row.Ours.ID != "", "%s: ours", row.Name)
			assert.True(t, measures[row.Peer.ID], "%s: peer", row.Name)
			assert.NotEmpty(t, row.PeerName, row.Name)
		}
	}
	assert.Len(t, harness.Names(harness.Groups()), len(names))
	targets, err := harness.Targets()
	require.NoError(t, err)
	all := harness.AllNames(harness.Groups())
	for name, bound := range targets {
		assert.Contains(t, all, name, "targets.tsv")
		assert.Positive(t, bound, name)
	}
}

func TestReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "bench.json")
	none, err := harness.ReadJSON(path)
	require.NoError(t, err)
	assert.Empty(t, none)

	old := []harness.Outcome{{Name: "a", Ours: 1}, {Name: "gone", Ours: 1}, {Name: "c", Ours: 1}}
	fresh := []harness.Outcome{
		{Name: "c", Unit: "ns", Ours: 2500, Peer: "C++", PeerValue: 2000, Ratio: 1.25},
		{Name: "b"},
	}
	all := harness.Merge([]string{"a", "b", "c"}, old, fresh)
	require.NoError(t, harness.WriteJSON(path, all))
	back, err := harness.ReadJSON(path)
	require.NoError(t, err)
	assert.Equal(t, all, back)

	var table strings.Builder
	require.NoError(t, harness.WriteTable(&table, all, map[string]float64{"a": 1, "c": 1.2}))
	assert.Regexp(t, `c +2\.5 us +2 us +C\+\+ +1\.250 +<= 1\.2 +over`, table.String())
	assert.Contains(t, table.String(), "1 of 2 targets met")
}

func TestFormat(t *testing.T) {
	for want, v := range map[string]struct {
		value float64
		unit  string
	}{
		"612 ns":     {612, "ns"},
		"1.25 us":    {1250, "ns"},
		"2 s":        {2e9, "ns"},
		"48.2 MB":    {48.2e6, "bytes"},
		"0.5 ns":     {0.5, "ns"},
		"11.7 s":     {11.7, "s"},
		"24 threads": {24, "threads"},
	} {
		assert.Equal(t, want, harness.Format(v.value, v.unit))
	}
}
