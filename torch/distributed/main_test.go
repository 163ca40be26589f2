package distributed_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch"
)

func TestMain(m *testing.M) {
	ranks.Local()
	if name := os.Getenv(role); name != "" {
		os.Exit(rankMain(name))
	}
	os.Exit(m.Run())
}

var background = context.Background()

// same returns an error if a tensor has unexpected values.
func same(what string, x *torch.Tensor, want ...float32) error {
	if got := x.Flatten().To(torch.Float32).Float32s(); !assert.ObjectsAreEqual(want, got) {
		return fmt.Errorf("%s: expected %v, got %v", what, want, got)
	}
	return nil
}
