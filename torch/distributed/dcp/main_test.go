package dcp_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func TestMain(m *testing.M) {
	ranks.Local()
	if os.Getenv(killedIn) != "" {
		os.Exit(killed())
	}
	os.Exit(m.Run())
}

// onRanks runs fn on several ranks and returns their errors. One rank is a process
// without a group.
func onRanks(t *testing.T, n int, fn func(ctx context.Context, g *distributed.ProcessGroup) error) []error {
	t.Helper()
	ctx := ranks.Soon(t)
	if n > 1 {
		return ranks.Run(t, n, func(g *distributed.ProcessGroup) error { return fn(ctx, g) })
	}
	var err error
	torch.Scope(func() { err = fn(ctx, nil) })
	return []error{err}
}

// allWell is onRanks, failing the test on any error.
func allWell(t *testing.T, n int, fn func(ctx context.Context, g *distributed.ProcessGroup) error) {
	t.Helper()
	for r, err := range onRanks(t, n, fn) {
		require.NoError(t, err, "rank %d", r)
	}
}

// rankOf returns the rank in a group, and the number of ranks.
func rankOf(g *distributed.ProcessGroup) (rank, world int) {
	if g == nil {
		return 0, 1
	}
	return g.Rank(), g.Size()
}
