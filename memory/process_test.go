package memory_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// needsCHeap skips the test if malloc has no statistics: with C libraries other than
// glibc, and with AddressSanitizer.
func needsCHeap(t *testing.T) {
	if memory.Process().CHeap == 0 {
		t.Skip("the C library does not tell what its malloc has")
	}
}

func TestProcessSeesTheCHeap(t *testing.T) {
	needsCHeap(t)
	quiet()
	before := memory.Process()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
		y := x
		for range 20_000 {
			y = y.AddScalar(1)
		}
		held := memory.Process().CHeap - before.CHeap
		assert.Greater(t, held, int64(20_000*200), "each node and its tensor have some hundred bytes")
		runtime.KeepAlive(y)
	})
	quiet()
	after := memory.Process()
	assert.Less(t, after.CHeap-before.CHeap, int64(1<<20), "what the nodes had went back to malloc")
	assert.Positive(t, after.GoHeap)
	assert.GreaterOrEqual(t, after.PeakResident, after.Resident)
	assert.Equal(t, memory.Reserved(torch.CPU), after.Reserved)
}

func TestClearFreesMKLsBuffers(t *testing.T) {
	needsCHeap(t)
	a := torch.Ones(torch.Shape{256, 256})
	defer a.Close()
	require.NoError(t, a.MatMul(a).Close())
	used := memory.Process()
	if used.Scratch == 0 {
		t.Skip("this libtorch was built without MKL")
	}
	memory.Clear()
	after := memory.Process()
	assert.Zero(t, after.Scratch)
	assert.Less(t, after.CHeap, used.CHeap-used.Scratch/2)
	torch.Scope(func() { assert.EqualValues(t, 256, a.MatMul(a).Max().Item(), "the next product makes new ones") })
}

func TestClearWhileOthersMultiply(t *testing.T) {
	var working sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		working.Add(1)
		go func() {
			defer working.Done()
			for range 200 {
				torch.Scope(func() {
					a := torch.Full(torch.Shape{96, 160}, 0.5)
					p := a.MatMul(a.T())
					assert.EqualValues(t, 40, p.Min().Item())
					assert.EqualValues(t, 40, p.Max().Item())
				})
			}
		}()
	}
	go func() {
		working.Wait()
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		default:
			memory.Clear()
		}
	}
}
