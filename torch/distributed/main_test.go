package distributed_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("GLOO_SOCKET_IFNAME", "lo") // no test needs more than this machine
	if name := os.Getenv(role); name != "" {
		os.Exit(rankMain(name))
	}
	os.Exit(m.Run())
}

var background = context.Background()

// soon is a context for what must not take long.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(background, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ranks runs fn on several ranks, which are goroutines here, and ends their groups.
func ranks(t *testing.T, n int, fn func(g *distributed.ProcessGroup) error, opts ...distributed.GroupOption) []error {
	t.Helper()
	store, err := distributed.NewHashStore()
	require.NoError(t, err)
	defer store.Close()
	ctx := soon(t)
	errs := make([]error, n)
	var all sync.WaitGroup
	for r := range n {
		all.Go(func() {
			errs[r] = func() (err error) {
				o := append([]distributed.GroupOption{distributed.WithStore(store), distributed.Rank(r), distributed.WorldSize(n)}, opts...)
				g, err := distributed.InitProcessGroup(ctx, distributed.Gloo, o...)
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
	return errs
}

// allWell is ranks where nothing may fail.
func allWell(t *testing.T, n int, fn func(g *distributed.ProcessGroup) error, opts ...distributed.GroupOption) {
	t.Helper()
	for r, err := range ranks(t, n, fn, opts...) {
		require.NoError(t, err, "rank %d", r)
	}
}

// same says that a tensor has other numbers than it should.
func same(what string, x *torch.Tensor, want ...float32) error {
	if got := x.Flatten(0, -1).To(torch.Float32).Float32s(); !assert.ObjectsAreEqual(want, got) {
		return fmt.Errorf("%s: expected %v, got %v", what, want, got)
	}
	return nil
}
