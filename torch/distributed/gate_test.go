package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// The gate limits how many goroutines run operators. A goroutine that waits for other ranks takes
// no place there. If it did, this test would hang, because four ranks share one place. The test
// runs in its own process, because threads in a deadlock cannot be ended.
func TestWaitingTakesNoPlace(t *testing.T) {
	const one = "GOMAXPROCS=1"
	if os.Getenv("GOMAXPROCS") != "1" {
		cmd := again.Command("-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1m")
		cmd.Env = append(os.Environ(), one)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "--- PASS: "+t.Name())
		return
	}
	require.Equal(t, 1, torch.MaxConcurrency())
	for _, check := range []distributed.Check{true, false} {
		ranks.AllWell(t, 4, func(g *distributed.ProcessGroup) error { return everything(ranks.Soon(t), g) }, check)
	}
}

// everything calls all functions that wait. In each of them one rank is late.
func everything(ctx context.Context, g *distributed.ProcessGroup) error {
	r := g.Rank()
	late := 0
	turn := func() {
		if late++; late%g.Size() == r {
			time.Sleep(2 * time.Millisecond) // so that the others wait
		}
	}
	for _, name := range slices.Sorted(maps.Keys(collectives)) { // sorted, so that the order is the same on all ranks
		turn()
		if err := collectives[name](ctx, g, form{torch.Shape{4}, torch.Float32}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	turn()
	err := errors.Join(g.Barrier(ctx), g.MonitoredBarrier(ctx))
	turn()
	distributed.AmongOthers(g) // from here on, the monitored barrier is libtorch's
	err = errors.Join(err, g.MonitoredBarrier(ctx))
	turn()
	var all []int
	err = errors.Join(err, g.AllGatherObject(ctx, r, &all))
	turn()
	x := torch.Full(torch.Shape{1 << 16}, float64(r))
	if r%2 == 0 {
		err = errors.Join(err, g.Send(ctx, x, r+1))
	} else {
		_, e := g.Recv(ctx, x, distributed.AnySource)
		err = errors.Join(err, e)
	}
	turn()
	half, e := g.NewSubgroups(ctx, 2)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	turn()
	return errors.Join(half.AllReduce(ctx, x), half.Close(), g.Barrier(ctx))
}
