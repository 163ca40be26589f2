package parallel_test

import (
	"context"
	"os"
	"testing"

	"github.com/gotorch/gotorch/internal/ranks"
)

func TestMain(m *testing.M) {
	ranks.Local()
	os.Exit(m.Run())
}

var background = context.Background()
