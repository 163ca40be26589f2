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

// onRanks runs fn on n ranks and returns their errors. For n = 1 it runs fn without a group.
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

// allWell is onRanks, but fails the test on any error.
func allWell(t *testing.T, n int, fn func(ctx context.Context, g *distributed.ProcessGroup) error) {
	t.Helper()
	for r, err := range onRanks(t, n, fn) {
		require.NoError(t, err, "rank %d", r)
	}
}

// rankOf returns the rank and the number of ranks. A nil group has one rank.
func rankOf(g *distributed.ProcessGroup) (rank, world int) {
	if g == nil {
		return 0, 1
	}
	return g.Rank(), g.Size()
}
