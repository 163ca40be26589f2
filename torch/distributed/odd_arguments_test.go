package distributed_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// Split sizes whose sum overflows are rejected.
func TestSplitSizesThatWrapAround(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const big = 1<<62 + 1
	ranks.AllWell(t, 4, func(g *distributed.ProcessGroup) error {
		x, out := torch.Ones(torch.Shape{4}), torch.Zeros(torch.Shape{4})
		sizes := []int64{big, big, big, big}
		in := g.AllToAllSingle(background, out, x, distributed.InputSplitSizes(sizes))
		back := g.AllToAllSingle(background, out, x, distributed.OutputSplitSizes(sizes))
		if !errors.Is(in, torch.ErrShape) || !errors.Is(back, torch.ErrShape) {
			return errors.Join(errors.New("no error of the shape"), in, back)
		}
		return g.AllToAllSingle(background, out, x)
	})
}

// Sparse tensors with equal numbers of dimensions differ if their numbers of sparse dimensions
// differ.
func TestSparseDimensionsDiffer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		var x *torch.Tensor
		torch.Scope(func() {
			i, shape := torch.Zeros(torch.Shape{int64(1 + g.Rank()), 1}, torch.Int64), torch.Shape{3, 3}
			x = torch.Disown(torch.SparseCOOTensor(i, torch.Ones(torch.Shape{1, 3}[:2-g.Rank()]), shape))
		})
		defer x.Close()
		return g.AllReduce(background, x)
	}) {
		require.ErrorIs(t, err, distributed.ErrMismatch)
	}
}

// If libtorch rejects a call on one rank after the others have begun it, the group ends. Otherwise
// the others would mistake the next collective for this one, and Gloo would crash the process.
func TestRefusedByOneRank(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		out := torch.Zeros(torch.Shape{2})
		out.SetRequiresGrad(g.Rank() == 0)
		first := g.ReduceScatter(ranks.Soon(t), out,
			[]*torch.Tensor{torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{2})})
		if g.Rank() == 1 {
			return first
		}
		if first == nil {
			return errors.New("libtorch takes the call, so it shows nothing: it needs another one")
		}
		return errors.Join(first, g.AllReduce(ranks.Soon(t), torch.Ones(torch.Shape{1024})))
	})
	require.ErrorContains(t, errs[0], "requires grad")
	require.ErrorIs(t, errs[0], distributed.ErrMismatch)
	require.ErrorIs(t, errs[0], distributed.ErrClosed, "the group has ended")
	require.Error(t, errs[1])
}

// A message arrives even if the program drops the Work that ISend returned.
func TestWorkThatNobodyKeeps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		x := torch.Full(torch.Shape{1000}, 7.0)
		defer x.Close()
		if g.Rank() == 0 {
			if _, err := g.ISend(background, x, 1); err != nil {
				return err
			}
			for range 5 {
				runtime.GC()
			}
			// The other rank can receive from now on, and must do so before the group is closed.
			return errors.Join(g.Send(background, x, 1, distributed.Tag(1)), g.Barrier(ranks.Soon(t)))
		}
		y := torch.Zeros(torch.Shape{1000})
		defer y.Close()
		_, second := g.Recv(ranks.Soon(t), y, 0, distributed.Tag(1))
		_, err := g.Recv(ranks.Soon(t), y.Zero_(), 0)
		if err := errors.Join(second, err); err != nil {
			return err
		}
		return errors.Join(g.Barrier(ranks.Soon(t)), same("what was sent", y.Narrow(0, 0, 2), 7, 7))
	})
}

type panics struct{ X int }

func (panics) GobEncode() ([]byte, error) { panic(errors.New("of the program")) }
func (*panics) GobDecode([]byte) error    { return nil }

// If a method of the value to be sent panics, the source rank and the ranks that are
// waiting for it get an error.
func TestPanicsOfEncoders(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		var v panics
		return g.BroadcastObject(ranks.Soon(t), &v, 0)
	})
	require.ErrorContains(t, errs[0], "of the program")
	require.ErrorIs(t, errs[1], distributed.ErrMismatch)
}

func TestNilTensorsAndContexts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var none context.Context
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		_, received := g.Recv(background, nil, 1-g.Rank())
		for _, err := range []error{g.Send(background, nil, 1-g.Rank()), received} {
			if !errors.Is(err, torch.ErrNil) {
				return errors.Join(errors.New("not ErrNil"), err)
			}
			if want := "argument x"; !assert.ErrorContains(t, err, want) {
				return err
			}
		}
		if err := g.Barrier(none); !errors.Is(err, torch.ErrNil) {
			return errors.Join(errors.New("not ErrNil"), err)
		}
		return nil
	})
}

// If the directory does not exist, the error is returned immediately.
func TestFileStoreWithoutFolder(t *testing.T) {
	begun := time.Now()
	_, err := distributed.NewFileStore(filepath.Join(t.TempDir(), "none", "store"), 1)
	require.ErrorIs(t, err, distributed.ErrEnvironment)
	assert.ErrorContains(t, err, "no such file or directory")
	assert.Less(t, time.Since(begun), time.Minute, "libtorch alone tries for five")
}

func TestNumberOfRanks(t *testing.T) {
	_, err := distributed.InitProcessGroup(ranks.Soon(t), distributed.Gloo, distributed.InitMethod("tcp://127.0.0.1:1"),
		distributed.Rank(0), distributed.WorldSize(1<<40))
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, "expected at most 1048576 ranks")
}
