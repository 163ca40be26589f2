package dcp_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
)

// refusal panics with the error about an option, as the option tests expect.
func refusal(err error) {
	var te *torch.Error
	if errors.As(err, &te) {
		panic(te)
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"n": 1}, dir))
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Save": optiontest.For(func(opts ...dcp.SaveOption) optiontest.Outcome {
			err := dcp.Save(t.Context(), nil, map[string]any{"n": 1}, dir, opts...)
			refusal(err)
			if errors.Is(err, fs.ErrExist) {
				return optiontest.Outcome{"saved": "no"}
			}
			require.NoError(t, err)
			return optiontest.Outcome{"saved": "yes"}
		}, optiontest.Values(dcp.Overwrite(false), dcp.Overwrite(true))),
		"Load": optiontest.For(func(opts ...dcp.LoadOption) optiontest.Outcome {
			err := dcp.Load(t.Context(), nil, dir, map[string]any{"n": 1, "m": 2}, opts...)
			refusal(err)
			if errors.Is(err, torch.ErrNotFound) {
				return optiontest.Outcome{"loaded": "no"}
			}
			require.NoError(t, err)
			return optiontest.Outcome{"loaded": "yes"}
		}, optiontest.Values(dcp.AllowPartialLoad(true), dcp.AllowPartialLoad(false))),
	})
}

// An option that the function does not take does not compile.
func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"context", "github.com/gotorch/gotorch/torch/distributed/dcp"},
		Decls:   "var ctx context.Context",
	}
	s.Accepts(t, "dcp.Save(ctx, nil, nil, ``, dcp.Overwrite(false))",
		"dcp.Load(ctx, nil, ``, nil, dcp.AllowPartialLoad(true))")
	s.Rejects(t, "dcp.Load(ctx, nil, ``, nil, dcp.Overwrite(false))",
		"dcp.Save(ctx, nil, nil, ``, dcp.AllowPartialLoad(true))")
}
