package opt_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/opt"
)

func TestIsNil(t *testing.T) {
	for _, v := range []any{nil, (*int)(nil), (func())(nil), (chan int)(nil)} {
		assert.True(t, opt.IsNil(v), "%T", v)
	}
	for _, v := range []any{0, "", new(int), func() {}, make(chan int), []int(nil), map[int]int(nil), struct{}{}} {
		assert.False(t, opt.IsNil(v), "%T", v)
	}
}
