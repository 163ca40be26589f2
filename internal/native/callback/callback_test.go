package callback_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// memory is an object that callback keeps until libtorch has freed the tensor that uses
// it.
type memory struct {
	pinner   runtime.Pinner
	released bool
}

func (m *memory) Release() { m.released = true; m.pinner.Unpin() }

func TestObjectGoesWithItsTensor(t *testing.T) {
	before := callback.Live()
	m, data := &memory{}, make([]float32, 4)
	m.pinner.Pin(&data[0])
	id := callback.Register(m)
	assert.Same(t, m, callback.Of[*memory](id))
	assert.Equal(t, before+1, callback.Live())
	r := cgotorch.FromShared(0, uintptr(unsafe.Pointer(&data[0])), []int64{4}, 6, id)
	require.Zero(t, r.Err)
	callback.AfterFree()
	assert.False(t, m.released)
	cgotorch.Free(r.T)
	callback.AfterFree()
	assert.True(t, m.released)
	assert.Equal(t, before, callback.Live())
	assert.EqualValues(t, before, callback.Count())
}

func TestDropUnless(t *testing.T) {
	before := callback.Live()
	for _, begun := range []bool{false, true} {
		id := callback.Register("an object")
		callback.DropUnless(&begun, id)
		assert.Equal(t, begun, callback.Live() > before)
		callback.DropUnless(new(bool), id)
	}
	m, data := &memory{}, make([]float32, 4)
	m.pinner.Pin(&data[0])
	callback.DropUnless(new(bool), callback.Register(m))
	assert.True(t, m.released)
	assert.Equal(t, before, callback.Live())
}

func TestPanicsTravel(t *testing.T) {
	assert.Zero(t, callback.Guard(func() {}))
	err := errors.New("on the way")
	tag := callback.Guard(func() { panic(err) })
	assert.Positive(t, tag)
	assert.Equal(t, err, callback.TakePanic(tag))
	assert.Nil(t, callback.TakePanic(tag), "once")
}

// If the function in Guard ends the goroutine with Goexit, Guard does not return.
func TestGoexitDoesNotReturn(t *testing.T) {
	done, returned := make(chan struct{}), false
	go func() {
		defer close(done)
		callback.Guard(runtime.Goexit)
		returned = true
	}()
	<-done
	assert.False(t, returned)
}
