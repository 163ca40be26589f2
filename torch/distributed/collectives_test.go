package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func full(v float64, shape ...int64) *torch.Tensor { return torch.Full(shape, v) }

// Each collective does what PyTorch's documentation says, on three ranks.
func TestCollectives(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		t.Run(fmt.Sprint("check=", check), func(t *testing.T) {
			ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
				r := float64(g.Rank())
				x := full(r+1, 2)
				out := torch.Zeros(torch.Shape{6})
				outs := []*torch.Tensor{full(0, 2), full(0, 2), full(0, 2)}
				parts := []*torch.Tensor{full(10*r, 2), full(10*r+1, 2), full(10*r+2, 2)}
				var root []*torch.Tensor
				if g.Rank() == 1 {
					root = outs
				}
				var scattered []*torch.Tensor
				if g.Rank() == 2 {
					scattered = []*torch.Tensor{full(7, 2), full(8, 2), full(9, 2)}
				}
				y := full(0, 2)
				b := full(r, 2)
				red := full(r+1, 2)
				rs, rst := full(0, 2), full(0, 2)
				a2a := []*torch.Tensor{full(0, 2), full(0, 2), full(0, 2)}
				s1, s2 := full(r, 1), full(r+0.5, 3)
				f32 := float32(r)
				err := errors.Join(
					g.AllReduce(background, x), same("AllReduce", x, 6, 6),
					g.AllReduce(background, b, distributed.Max), same("AllReduce max", b, 2, 2),
					g.Broadcast(background, b.Fill_(r), 1), same("Broadcast", b, 1, 1),
					g.AllGather(background, outs, b.Fill_(r)), same("AllGather", torch.Cat(outs), 0, 0, 1, 1, 2, 2),
					g.AllGatherIntoTensor(background, out, b), same("AllGatherIntoTensor", out, 0, 0, 1, 1, 2, 2),
					g.Scatter(background, y, scattered, 2), same("Scatter", y, 7+f32, 7+f32),
					g.ReduceScatter(background, rs, parts), same("ReduceScatter", rs, 30+3*f32, 30+3*f32),
					g.ReduceScatterTensor(background, rst, torch.Cat(parts)),
					same("ReduceScatterTensor", rst, 30+3*f32, 30+3*f32),
					g.AllToAll(background, a2a, parts),
					same("AllToAll", torch.Cat(a2a), f32, f32, 10+f32, 10+f32, 20+f32, 20+f32),
					g.AllReduceCoalesced(background, []*torch.Tensor{s1, s2}), same("coalesced", s1, 3),
					same("coalesced", s2, 4.5, 4.5, 4.5),
					g.Barrier(background), g.MonitoredBarrier(background),
					g.MonitoredBarrier(background, distributed.WaitAllRanks(true)),
				)
				gathered := torch.Zeros(torch.Shape{3, 2})
				err = errors.Join(err, g.AllGatherIntoTensor(background, gathered, b),
					same("stacked", gathered, 0, 0, 1, 1, 2, 2))
				err = errors.Join(err, g.Gather(background, root, full(r, 2), 1), g.Reduce(background, red, 2))
				if g.Rank() == 1 {
					err = errors.Join(err, same("Gather", torch.Cat(root), 0, 0, 1, 1, 2, 2))
				}
				if g.Rank() == 2 {
					err = errors.Join(err, same("Reduce", red, 6, 6))
				}
				return err
			}, check)
		})
	}
}

func TestReduceOps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		var errs []error
		for _, row := range []struct {
			op   distributed.ReduceOp
			want float32
		}{
			{distributed.Sum, 8},
			{distributed.Product, 12},
			{distributed.Min, 2},
			{distributed.Max, 6},
			{distributed.BAnd, 2},
			{distributed.BOr, 6},
			{distributed.BXor, 4},
		} {
			x := torch.FromSlice([]int64{2 + 4*int64(g.Rank())})
			errs = append(errs, g.AllReduce(background, x, row.op), same(row.op.String(), x, row.want))
		}
		x := full(float64(g.Rank()), 3)
		errs = append(errs, g.AllReduce(background, x, distributed.Avg), same("AVG", x, 0.5, 0.5, 0.5))
		return errors.Join(errs...)
	})
}

func TestDTypesAndLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		var errs []error
		for _, d := range []torch.DType{
			torch.Float64, torch.Float16, torch.BFloat16, torch.Int32, torch.Int64,
			torch.Uint8, torch.Int8,
		} {
			x := torch.Full(torch.Shape{2, 2}, float64(g.Rank()+1)).To(d)
			errs = append(errs, g.AllReduce(background, x), same(d.String(), x, 3, 3, 3, 3))
		}
		c := torch.Complex(full(1, 2), full(float64(g.Rank()), 2))
		errs = append(errs, g.AllReduce(background, c), same("complex", c.ViewAsReal(), 2, 1, 2, 1))
		s := full(float64(g.Rank()), 2, 2).ToSparse()
		errs = append(errs, g.AllReduce(background, s), same("sparse", s.ToDense(), 1, 1, 1, 1))
		v := torch.Arange(6).View(2, 3).T() // dense, but not contiguous
		errs = append(errs, g.AllReduce(background, v), same("strides", v, 0, 6, 2, 8, 4, 10))
		empty := torch.Zeros(torch.Shape{0})
		errs = append(errs, g.AllReduce(background, empty))
		scalar := full(2)
		errs = append(errs, g.AllReduce(background, scalar), same("scalar", scalar, 4))
		p := full(1, 2).RequiresGrad_()
		errs = append(errs, g.Broadcast(background, p, 0))
		return errors.Join(errs...)
	})
}

func TestAllToAllSingle(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		even := torch.Zeros(torch.Shape{4})
		x := torch.Arange(4).To(torch.Float32).AddScalar(float64(10 * g.Rank()))
		want := [][]float32{{0, 1, 10, 11}, {2, 3, 12, 13}}[g.Rank()]
		err := errors.Join(g.AllToAllSingle(background, even, x), same("even", even, want...))
		// Rank 0 keeps one row and sends three. Rank 1 sends two rows and keeps two.
		in := []distributed.InputSplitSizes{{1, 3}, {2, 2}}[g.Rank()]
		out := []distributed.OutputSplitSizes{{1, 2}, {3, 2}}[g.Rank()]
		y := torch.Zeros(torch.Shape{[]int64{3, 5}[g.Rank()]})
		want = [][]float32{{0, 10, 11}, {1, 2, 3, 12, 13}}[g.Rank()]
		return errors.Join(err, g.AllToAllSingle(background, y, x, in, out), same("uneven", y, want...))
	})
}

func TestAsync(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		var works []*distributed.Work
		var xs []*torch.Tensor
		for i := range 8 {
			x := full(float64(i), 1000)
			w, err := g.AllReduceAsync(background, x)
			if err != nil {
				return err
			}
			works, xs = append(works, w), append(xs, x)
		}
		for i, w := range works {
			if err := errors.Join(w.Wait(background), w.Wait(background)); err != nil {
				return err
			}
			if !w.IsCompleted() {
				return errors.New("not completed after Wait")
			}
			if err := same("async", xs[i].Narrow(0, 0, 1), float32(2*i)); err != nil {
				return err
			}
		}
		// The test does not wait for this Work; the scope closes the tensor.
		w, err := g.AllReduceAsync(background, full(1, 10))
		_ = w
		return errors.Join(err, g.Barrier(background))
	})
}

// Some ranks call the waiting form of a collective, and others the asynchronous form.
func TestAsyncBesideWaiting(t *testing.T) {
	for name, both := range map[string]func(ctx context.Context, g *distributed.ProcessGroup,
		x, out *torch.Tensor) (*distributed.Work, error){
		"AllReduce": func(ctx context.Context, g *distributed.ProcessGroup,
			x, _ *torch.Tensor,
		) (*distributed.Work, error) {
			if g.Rank() == 0 {
				return nil, g.AllReduce(ctx, x)
			}
			return g.AllReduceAsync(ctx, x)
		},
		"AllToAllSingle": func(ctx context.Context, g *distributed.ProcessGroup,
			x, out *torch.Tensor,
		) (*distributed.Work, error) {
			if g.Rank() == 0 {
				return nil, g.AllToAllSingle(ctx, out, x, distributed.InputSplitSizes{1, 1},
					distributed.OutputSplitSizes{1, 1})
			}
			return g.AllToAllSingleAsync(ctx, out, x, distributed.InputSplitSizes{1, 1},
				distributed.OutputSplitSizes{1, 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
				require.True(t, g.Checked())
				w, err := both(ranks.Soon(t), g, torch.Ones(torch.Shape{2}), torch.Zeros(torch.Shape{2}))
				if err != nil || w == nil {
					return err
				}
				return w.Wait(ranks.Soon(t))
			})
		})
	}
}

func TestPairs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, check := range []distributed.Check{true, false} {
		ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
			next, before := (g.Rank()+1)%3, (g.Rank()+2)%3
			x, y := full(float64(g.Rank()), 4), full(-1, 4)
			works, err := g.BatchISendIRecv(background, []distributed.P2POp{
				{X: y, Peer: before, Tag: 5}, {Send: true, X: x, Peer: next, Tag: 5},
			})
			if err != nil {
				return err
			}
			for _, w := range works {
				err = errors.Join(err, w.Wait(background))
			}
			err = errors.Join(err, same("ring", y, float32(before), float32(before), float32(before), float32(before)))
			if g.Rank() > 0 {
				return errors.Join(err, g.Send(background, full(float64(g.Rank()), 2), 0),
					g.Send(background, full(5, 1), 0, distributed.Tag(3)))
			}
			seen := map[int]bool{}
			for range 2 {
				z := full(0, 2)
				from, e := g.Recv(background, z, distributed.AnySource)
				seen[from] = true
				err = errors.Join(err, e, same("any", z, float32(from), float32(from)))
			}
			for r := 1; r < 3; r++ {
				z := full(0, 1)
				_, e := g.Recv(background, z, r, distributed.Tag(3))
				err = errors.Join(err, e, same("tag", z, 5))
			}
			if len(seen) != 2 {
				err = errors.Join(err, fmt.Errorf("received from %v", seen))
			}
			return err
		}, check)
	}
}

func TestSubgroups(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 4, func(g *distributed.ProcessGroup) error {
		ctx := background
		odd, err := g.NewGroup(ctx, []int{3, 1})
		if err != nil {
			return err
		}
		defer odd.Close()
		x := full(float64(g.Rank()), 1)
		if g.Rank()%2 == 1 {
			err = errors.Join(odd.AllReduce(ctx, x), same("odd", x, 4),
				odd.Broadcast(ctx, x.Fill_(float64(g.Rank())), 3), same("from", x, 3))
			if odd.Rank() != g.Rank()/2 || odd.GlobalRank(1) != 3 || odd.GroupRank(3) != 1 || odd.GroupRank(2) != -1 ||
				odd.Size() != 2 {
				err = errors.Join(err, fmt.Errorf("ranks of %v: %v", odd, odd.Ranks()))
			}
		} else if odd.Rank() != -1 || !errors.Is(odd.AllReduce(ctx, x), distributed.ErrClosed) {
			err = fmt.Errorf("rank %d is a member of %v", g.Rank(), odd)
		}
		half, e := g.NewSubgroups(ctx, 2)
		if err = errors.Join(err, e); err != nil {
			return err
		}
		y := full(float64(g.Rank()), 1)
		want := []float32{1, 1, 5, 5}[g.Rank()]
		err = errors.Join(err, half.AllReduce(ctx, y), same("half", y, want), half.Close())
		return errors.Join(err, g.AllReduce(ctx, y), same("after", y, 12))
	})
}

type note struct {
	Name string
	At   []int
}

func TestObjects(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, enc := range []distributed.Encoding{distributed.EncodingGob, distributed.EncodingJSON} {
		ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
			ctx, r := background, g.Rank()
			own := note{Name: fmt.Sprint("rank ", r), At: make([]int, r)}
			var all, some []note
			err := g.AllGatherObject(ctx, own, &all, enc)
			var into any
			if r == 1 {
				into = &some
			}
			err = errors.Join(err, g.GatherObject(ctx, own, into, 1, enc))
			if r == 1 && len(some) != 3 || len(all) != 3 || all[2].Name != "rank 2" || len(all[2].At) != 2 {
				err = errors.Join(err, fmt.Errorf("gathered %v and %v", all, some))
			}
			b := own
			err = errors.Join(err, g.BroadcastObject(ctx, &b, 2, enc))
			var list any
			if r == 0 {
				list = []string{"a", "bb", "ccc"}
			}
			var s string
			err = errors.Join(err, g.ScatterObject(ctx, &s, list, 0, enc))
			if b.Name != "rank 2" || len(s) != r+1 {
				err = errors.Join(err, fmt.Errorf("broadcast %v, scattered %q", b, s))
			}
			if r == 0 {
				return errors.Join(err, g.SendObject(ctx, own, 1, enc))
			}
			if r == 1 {
				var got note
				from, e := g.RecvObject(ctx, &got, distributed.AnySource, enc)
				if from != 0 || got.Name != "rank 0" {
					err = errors.Join(err, fmt.Errorf("received %v from %d", got, from))
				}
				err = errors.Join(err, e)
			}
			return err
		})
	}
}

// If gob cannot encode an object, this rank gets an error, and no rank counts as lost.
func TestObjectsThatCannotBeSent(t *testing.T) {
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		var out []*int
		return g.AllGatherObject(ranks.Soon(t), (*int)(nil), &out)
	})
	for r, err := range errs {
		require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
		require.ErrorContains(t, err, "nil pointer")
	}
}

func TestFacts(t *testing.T) {
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		if g.Size() != 2 || g.Backend() != distributed.Gloo || !g.Checked() || g.Timeout() != time.Minute {
			return fmt.Errorf("%v: %v %v", g, g.Checked(), g.Timeout())
		}
		return nil
	}, distributed.Timeout(time.Minute))
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	alone, err := distributed.InitProcessGroup(background, distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(0), distributed.WorldSize(1))
	require.NoError(t, err)
	defer alone.Close()
	assert.Equal(t, distributed.DefaultTimeout, alone.Timeout())
	var none *distributed.ProcessGroup
	assert.Equal(t, "<nil>", none.String())
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.AllReduce(background, full(1, 1)), torch.ErrNil)
	require.ErrorIs(t, none.Barrier(background), torch.ErrNil)
}
