package checkpoint_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

func TestOptions(t *testing.T) {
	n := 1
	state := checkpoint.State{"n": &n}
	rng := optiontest.Values(checkpoint.RNG(false), checkpoint.RNG(true))
	// drawn loads a checkpoint and returns the next random number.
	drawn := func(load func(path string) error) optiontest.Outcome {
		var v float64
		torch.ForkRNG(func() {
			torch.ManualSeed(1)
			path := saved(t, state)
			torch.ManualSeed(2)
			require.NoError(t, load(path))
			torch.Scope(func() { v = torch.Rand(torch.Shape{}).Item() })
		}, torch.CPU)
		return optiontest.Outcome{"drawn": fmt.Sprint(v)}
	}
	rows := map[string]optiontest.Row{
		"Open": optiontest.For(func(opts ...checkpoint.Option) optiontest.Outcome {
			dir := t.TempDir()
			if !slices.ContainsFunc(opts, func(o checkpoint.Option) bool { _, is := o.(checkpoint.Keep); return is }) {
				// without Keep, no checkpoint would be removed
				opts = append([]checkpoint.Option{checkpoint.Keep(2)}, opts...)
			}
			m := open(t, dir, opts...)
			for i, v := range []float64{1, 3, 2} {
				require.NoError(t, m.Save(t.Context(), i, state, checkpoint.Metrics{"a": v, "b": -v}))
			}
			require.NoError(t, m.Wait(t.Context()))
			held, reached := make(chan struct{}), make(chan struct{}, 1)
			m.Writing(func() {
				reached <- struct{}{}
				<-held
			})
			left := steps(t, dir)
			done := make(chan error, 1)
			go func() { done <- m.Save(t.Context(), 9, state) }()
			<-reached
			async := m.HostTensors() > 0
			held <- struct{}{}
			require.NoError(t, <-done)
			m.Writing(nil)
			require.NoError(t, m.Close())
			return optiontest.Outcome{"left": fmt.Sprint(left, async)}
		},
			optiontest.Values(checkpoint.Keep(1), checkpoint.Keep(0)), optiontest.Refused(checkpoint.Keep(-1)),
			optiontest.Values(checkpoint.KeepBest("a", checkpoint.ModeMin),
				checkpoint.KeepBest("b", checkpoint.ModeMin)),
			optiontest.Values(checkpoint.Async(true), checkpoint.Async(false))),
		"Manager.Save": optiontest.For(func(opts ...checkpoint.SaveOption) optiontest.Outcome {
			dir := t.TempDir()
			m := open(t, dir)
			require.NoError(t, m.Save(t.Context(), 1, state, opts...))
			require.NoError(t, m.Close())
			infos, err := checkpoint.List(dir)
			require.NoError(t, err)
			return optiontest.Outcome{"metrics": fmt.Sprint(infos[0].Metrics)}
		}, optiontest.Values(checkpoint.Metrics{"a": 1}, checkpoint.Metrics{"b": 0})),
		"Load": optiontest.For(func(opts ...checkpoint.LoadOption) optiontest.Outcome {
			return drawn(func(path string) error { _, err := checkpoint.Load(path, state, opts...); return err })
		}, rng),
		"Resume": optiontest.For(func(opts ...checkpoint.LoadOption) optiontest.Outcome {
			return drawn(func(path string) error {
				_, err := checkpoint.Resume(filepath.Dir(path), state, opts...)
				return err
			})
		}, rng),
		"Manager.Resume": optiontest.For(func(opts ...checkpoint.LoadOption) optiontest.Outcome {
			return drawn(func(path string) error {
				m := open(t, filepath.Dir(path))
				defer func() { _ = m.Close() }()
				_, err := m.Resume(state, opts...)
				return err
			})
		}, rng),
	}
	optiontest.Read(t, ".").Run(t, rows)
}

// Passing an option to a function that does not take it does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"context", "github.com/gotorch/gotorch/torch/checkpoint"},
		Decls:   "var m *checkpoint.Manager; var ctx context.Context",
	}
	s.Accepts(t,
		"checkpoint.Open(``, checkpoint.Keep(1), checkpoint.KeepBest(`loss`, checkpoint.ModeMin), "+
			"checkpoint.Async(true))",
		"m.Save(ctx, 1, nil, checkpoint.Metrics{`loss`: 1})",
		"m.Resume(nil, checkpoint.RNG(false))",
	)
	s.Rejects(t,
		"checkpoint.Open(``, checkpoint.RNG(false))", "checkpoint.Open(``, checkpoint.Metrics{})",
		"m.Save(ctx, 1, nil, checkpoint.Keep(1))", "m.Resume(nil, checkpoint.Async(true))")
}
