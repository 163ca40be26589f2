// Package ranks runs the ranks of a process group as goroutines of a test.
package ranks

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// Local makes groups use the loopback interface. Call it in TestMain.
func Local() { _ = os.Setenv("GLOO_SOCKET_IFNAME", "lo") }

// timeout is the timeout of the groups. It is longer than any test needs.
const timeout = 30 * time.Second

// Soon returns a context for operations that should not take long.
func Soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Run runs fn on n ranks, each in a scope, closes their groups, and returns their errors.
// If an operator in fn panics, the panic is the rank's error.
func Run(t testing.TB, n int, fn func(g *distributed.ProcessGroup) error, opts ...distributed.GroupOption) []error {
	t.Helper()
	return RunOver(t, distributed.Gloo, n, fn, opts...)
}

// RunOver is like [Run], with the given backend.
func RunOver(t testing.TB, backend distributed.Backend, n int, fn func(g *distributed.ProcessGroup) error,
	opts ...distributed.GroupOption,
) []error {
	t.Helper()
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	ctx := Soon(t)
	errs := make([]error, n)
	var all sync.WaitGroup
	for r := range n {
		all.Go(func() {
			errs[r] = func() (err error) {
				o := append([]distributed.GroupOption{
					distributed.WithStore(store), distributed.Rank(r),
					distributed.WorldSize(n), distributed.Timeout(timeout),
				}, opts...)
				g, err := distributed.InitProcessGroup(ctx, backend, o...)
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, g.Close()) }()
				var failed error
				err = torch.Try(func() { torch.Scope(func() { failed = fn(g) }) })
				return errors.Join(err, failed)
			}()
		})
	}
	all.Wait()
	// If a rank closes its group while another rank is sending to it, Gloo may keep the
	// tensors until the timeout.
	require.Eventually(t, func() bool { return native.Ending.Load() == 0 }, 2*timeout, time.Millisecond)
	return errs
}

// AllWell is like [Run], and fails the test if a rank returns an error.
func AllWell(t testing.TB, n int, fn func(g *distributed.ProcessGroup) error, opts ...distributed.GroupOption) {
	t.Helper()
	for r, err := range Run(t, n, fn, opts...) {
		require.NoError(t, err, "rank %d", r)
	}
}
