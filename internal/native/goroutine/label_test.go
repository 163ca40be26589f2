package goroutine_test

import (
	"context"
	"runtime/pprof"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

func TestLabelsAreInherited(t *testing.T) {
	before := goroutine.Label()
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("a", "b")))
	mine := goroutine.Label()
	assert.NotNil(t, mine)
	assert.NotEqual(t, before, mine)
	child := make(chan unsafe.Pointer)
	go func() {
		go func() { child <- goroutine.Label() }()
	}()
	assert.Equal(t, mine, <-child)
	goroutine.SetLabel(before)
	assert.Equal(t, before, goroutine.Label())
}
