package checkpoint_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/checkpoint"
)

// refusal panics with what is wrong with an option, as the tests of options want it.
func refusal(err error) {
	var te *torch.Error
	if errors.As(err, &te) {
		panic(te)
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, checkpoint.Save(t.Context(), nil, dir, map[string]any{"n": 1}))
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Save": optiontest.For(func(opts ...checkpoint.SaveOption) optiontest.Outcome {
			err := checkpoint.Save(t.Context(), nil, dir, map[string]any{"n": 1}, opts...)
			refusal(err)
			if errors.Is(err, fs.ErrExist) {
				return optiontest.Outcome{"saved": "no"}
			}
			require.NoError(t, err)
			return optiontest.Outcome{"saved": "yes"}
		}, optiontest.Values(checkpoint.Overwrite(false), checkpoint.Overwrite(true))),
		"Load": optiontest.For(func(opts ...checkpoint.LoadOption) optiontest.Outcome {
			err := checkpoint.Load(t.Context(), nil, dir, map[string]any{"n": 1, "m": 2}, opts...)
			refusal(err)
			if errors.Is(err, checkpoint.ErrNotFound) {
				return optiontest.Outcome{"loaded": "no"}
			}
			require.NoError(t, err)
			return optiontest.Outcome{"loaded": "yes"}
		}, optiontest.Values(checkpoint.AllowPartialLoad(true), checkpoint.AllowPartialLoad(false))),
	})
}

// An option that does not apply does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"context", "github.com/gotorch/gotorch/torch/distributed/checkpoint"},
		Decls:   "var ctx context.Context",
	}
	s.Accepts(t, "checkpoint.Save(ctx, nil, ``, nil, checkpoint.Overwrite(false))", "checkpoint.Load(ctx, nil, ``, nil, checkpoint.AllowPartialLoad(true))")
	s.Rejects(t, "checkpoint.Load(ctx, nil, ``, nil, checkpoint.Overwrite(false))", "checkpoint.Save(ctx, nil, ``, nil, checkpoint.AllowPartialLoad(true))")
}
