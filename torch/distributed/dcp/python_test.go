package dcp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// python runs testdata/dcp.py on several ranks, or in one process without a group if ranks is 0.
func python(t *testing.T, ranks int, mode string, dirs ...string) {
	t.Helper()
	interpreter := pythontest.Interpreter(t, "torch")
	outs := make([]chan error, max(ranks, 1))
	for r := range outs {
		args := append([]string{filepath.Join("testdata", "dcp.py"), mode}, dirs...)
		cmd := exec.CommandContext(t.Context(), interpreter, args...) //nolint:gosec // the Python of the tests
		cmd.Env = os.Environ()
		if ranks > 0 {
			cmd.Env = append(cmd.Env, fmt.Sprint("RANK=", r), fmt.Sprint("WORLD_SIZE=", ranks))
		}
		outs[r] = make(chan error, 1)
		go func() {
			text, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, text)
			}
			outs[r] <- err
		}()
	}
	for r := range outs {
		assert.NoError(t, <-outs[r], "rank %d of %s", r, mode)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// trained returns the model and the optimizer of testdata/dcp.py.
func trained() (*nn.Linear, optim.Optimizer) {
	model := nn.NewLinear(4, 3)
	torch.NoGrad(func() {
		model.Weight.Copy_(torch.Arange(12).View(3, 4).DivScalar(8))
		model.Bias.Zero_()
	})
	opt := optim.NewAdamW(model.Parameters(), optim.LR(0.125), optim.Betas(0.5, 0.75))
	for i := range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			model.Forward(torch.Full(torch.Shape{2, 4}, float64(i))).Square().Sum().Backward()
			opt.Step()
		})
	}
	return model, opt
}

// Python reads what Go saves on one, two and three ranks, bit for bit. It loads the checkpoint in
// one process, and on two ranks that shard the tensors differently. A Go optimizer's state is
// valid in Python.
func TestPythonReads(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	pythontest.Interpreter(t, "torch")
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
	var dirs []string
	for n := 1; n <= 3; n++ {
		dir := filepath.Join(t.TempDir(), "c")
		dirs = append(dirs, dir)
		allWell(t, n, func(ctx context.Context, g *distributed.ProcessGroup) error {
			s := state()
			rank, world := rankOf(g)
			s["parts"] = parts(rank, world, dims, false)
			if rank == 0 {
				s["net"], s["opt"] = model, opt
			}
			return dcp.Save(ctx, g, s, dir)
		})
	}
	python(t, 0, "read", dirs...)
	python(t, 2, "read_parts", dirs[2])
}

// Go reads what Python saves on two ranks with sharded tensors. It loads the checkpoint
// on one and on three ranks, with the same and with a different division of the tensors.
func TestReadsPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	pythontest.Interpreter(t, "torch")
	dir := filepath.Join(t.TempDir(), "c")
	python(t, 2, "write", dir)
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	assert.Len(t, m.Get("parts.rows").Chunks, 2)
	for _, n := range []int{1, 3} {
		for _, of := range []map[string]int{dims, {"rows": 1, "columns": 0, "few": 1}} {
			allWell(t, n, func(ctx context.Context, g *distributed.ProcessGroup) error {
				rank, world := rankOf(g)
				s := blank(state()).(map[string]any)
				s["parts"] = parts(rank, world, of, true)
				if err := dcp.Load(ctx, g, dir, s); err != nil {
					return err
				}
				want := state()
				want["parts"] = parts(rank, world, of, false)
				// An element of []any has no type to keep, so it gets the type that Python saved.
				want["list"] = []any{int64(1), int64(2), "x"}
				want["tuple"] = serialization.Tuple{int64(1), 2.5}
				return same(want, s, "state")
			})
		}
	}
	t.Run("optimizer", func(t *testing.T) {
		model, opt := trained()
		defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
		for _, key := range []string{"opt", "named"} {
			loaded := nn.NewLinear(4, 3)
			other := optim.NewAdamW(loaded.Parameters(), optim.LR(3))
			require.NoError(t, dcp.Load(t.Context(), nil, dir, map[string]any{"net": loaded, key: other}))
			torch.Scope(func() {
				for i, p := range model.Parameters() {
					q := loaded.Parameters()[i]
					require.NoError(t, same(p.Detach(), q.Detach(), "parameter"))
					for name, v := range opt.State(p) {
						require.NoError(t, same(v, other.State(q)[name], key+"."+name))
					}
				}
				assert.Equal(t, opt.StateDict().ParamGroups, other.StateDict().ParamGroups)

				sd := &optim.StateDict{}
				require.NoError(t, dcp.Load(t.Context(), nil, dir, map[string]any{key: sd}))
				require.NoError(t, other.LoadStateDict(sd))
				assert.Len(t, sd.State[0], len(opt.StateDict().State[0]))
			})
			require.NoError(t, errors.Join(loaded.Close(), other.Close()))
		}
	})
}
