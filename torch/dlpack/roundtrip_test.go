package dlpack_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch/dlpack/foreign"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
	"github.com/gotorch/gotorch/torchtest"
)

// versions are the options of ToDLPack for both structs.
var versions = map[dlpack.Kind]dlpack.ExportOption{
	dlpack.KindLegacy:    dlpack.MaxVersion(0, 8),
	dlpack.KindVersioned: dlpack.MaxVersion(1, 0),
}

func flush(t *testing.T) {
	t.Helper()
	require.NoError(t, dlpack.Flush(context.Background()))
}

// array returns a foreign array, and a capsule with it.
func array(t *testing.T, kind dlpack.Kind, locks bool, n int) (*foreign.Array, *dlpack.Capsule) {
	t.Helper()
	a := foreign.New(kind == dlpack.KindVersioned, locks, n)
	t.Cleanup(func() {
		flush(t)
		if assert.Equal(t, 1, a.Deleted(), "its deleter is called once") {
			a.Free() // the deleter cannot be called any more
		}
	})
	return a, dlpack.NewCapsule(a.Struct.At, kind)
}

// Every dtype and layout survives a round trip, with the same memory.
func TestRoundTrip(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for kind, version := range versions {
		torch.Scope(func() {
			for _, dtype := range []torch.DType{
				torch.Bool, torch.Uint8, torch.Int8, torch.Int16, torch.Int32, torch.Int64, torch.Uint16, torch.Uint32,
				torch.Uint64,
				torch.Float16, torch.BFloat16, torch.Float32, torch.Float64, torch.Complex32, torch.Complex64,
				torch.Complex128,
				torch.Float8E4M3FN, torch.Float8E4M3FNU, torch.Float8E5M2, torch.Float8E5M2FN, torch.Float8E8M0FNU,
				torch.Float4E2M1FNX2,
			} {
				base := torch.Empty(torch.Shape{4, 3, 2}, dtype)
				for name, x := range map[string]*torch.Tensor{
					"contiguous": base, "transposed": base.Permute(2, 0, 1), "offset": base.Narrow(0, 1, 2),
					"scalar":   base.Select(0, 1).Select(0, 1).Select(0, 1),
					"expanded": base.Narrow(0, 0, 1).Expand(5, 3, 2),
					"empty":    torch.Empty(torch.Shape{3, 0}, dtype),
				} {
					c := dlpack.ToDLPack(x, version)
					assert.Equal(t, kind, c.Kind())
					info, err := c.Info()
					require.NoError(t, err)
					assert.Equal(t, dlpack.DLDevice{Type: dlpack.DLCPU}, info.Device)
					assert.Equal(t, dtype, info.DType)
					y, err := dlpack.FromDLPack(c)
					require.NoError(t, err, "%v %s", dtype, name)
					assert.Equal(t, fmt.Sprint(x.Shape(), x.Stride(), x.DType(), x.Device()),
						fmt.Sprint(y.Shape(), y.Stride(), y.DType(), y.Device()))
					assert.Equal(t, fmt.Sprint(info.Shape, info.Stride), fmt.Sprint(y.Shape(), y.Stride()))
					if x.Numel() > 0 {
						assert.Equal(t, x.DataPtr(), y.DataPtr(), "%v %s", dtype, name)
					}
					assert.Nil(t, c.Take(), "it was taken")
				}
			}
		})
	}
}

// A tensor in foreign memory sees writes from both sides. The memory lives as long as the
// tensor, its views and its gradients.
func TestForeignMemoryLivesWithItsTensors(t *testing.T) {
	for kind := range versions {
		t.Run(string(kind), func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			a, c := array(t, kind, false, 6)
			a.Floats()[1] = 5
			x, err := dlpack.FromDLPack(c)
			require.NoError(t, err)
			assert.Equal(t, uintptr(a.Tensor.Data), x.DataPtr())
			torch.Scope(func() { x.AddScalar_(1) })
			assert.Equal(t, []float32{1, 6, 1, 1, 1, 1}, a.Floats())

			view := x.View(2, 3)
			w := torch.Ones(torch.Shape{6}, torch.RequiresGrad(true))
			loss := torch.Tidy(func() *torch.Tensor { return w.Mul(x).Sum() })
			require.NoError(t, x.Close())
			require.NoError(t, view.Close())
			flush(t)
			assert.Zero(t, a.Deleted(), "the graph needs it")
			loss.Backward()
			flush(t)
			assert.Equal(t, 1, a.Deleted(), "the pass has freed what it saved")
			g := w.Grad()
			assert.Equal(t, []float32{1, 6, 1, 1, 1, 1}, g.Float32s())
			for _, x := range []*torch.Tensor{w, loss, g} {
				require.NoError(t, x.Close())
			}
		})
	}
}

func TestForeignLayouts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range map[string]struct {
		change func(a *foreign.Tensor)
		want   string
	}{
		"byte_offset": {func(a *foreign.Tensor) { a.ByteOffset, a.Shape[0] = 8, 4 }, "[2 3 4 5]"},
		"without strides": {func(a *foreign.Tensor) {
			a.Strides, a.NDim, a.Shape[0], a.Shape[1] = nil, 2, 3, 2
		}, "[[0 1] [2 3] [4 5]]"},
		"no dimensions": {func(a *foreign.Tensor) { a.NDim, a.Shape, a.Strides = 0, nil, nil }, "0"},
		"steps":         {func(a *foreign.Tensor) { a.Shape[0], a.Strides[0] = 3, 2 }, "[0 2 4]"},
		"repeated":      {func(a *foreign.Tensor) { a.Shape[0], a.Strides[0], a.ByteOffset = 3, 0, 4 }, "[1 1 1]"},
		"overlapping": {func(a *foreign.Tensor) {
			a.NDim, a.Shape[0], a.Strides[0], a.Shape[1], a.Strides[1] = 2, 2, 1, 2, 1
		}, "[[0 1] [1 2]]"},
		"one, backwards":   {func(a *foreign.Tensor) { a.Shape[0], a.Strides[0] = 1, -7 }, "[0]"},
		"one, a long way":  {func(a *foreign.Tensor) { a.Shape[0], a.Strides[0] = 1, 1<<63-1 }, "[0]"},
		"empty, backwards": {func(a *foreign.Tensor) { a.Shape[0], a.Strides[0], a.Data = 0, -1, nil }, "[]"},
		"host of a device": {func(a *foreign.Tensor) { a.DeviceType, a.DeviceID, a.Shape[0] = 3, 5, 2 }, "[0 1]"},
		"other minor": {func(a *foreign.Tensor) {
			head := (*foreign.Head)(unsafe.Add(unsafe.Pointer(a), -int(unsafe.Sizeof(foreign.Head{}))))
			head.Minor, a.Shape[0] = 99, 1
		}, "[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			a, capsule := array(t, dlpack.KindVersioned, false, 6)
			for i := range a.Floats() {
				a.Floats()[i] = float32(i)
			}
			c.change(a.Tensor)
			x, err := dlpack.FromDLPack(capsule)
			require.NoError(t, err)
			assert.Equal(t, c.want, fmt.Sprint(x.ToList()))
			y, err := dlpack.FromDLPack(dlpack.ToDLPack(x))
			require.NoError(t, err)
			assert.True(t, x.Equal(y))
			require.NoError(t, x.Close())
			require.NoError(t, y.Close())
		})
	}
}

// The struct keeps the memory when the tensor is gone, and changes to the tensor do not
// affect it.
func TestStructOutlivesItsTensor(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	c := dlpack.ToDLPack(x)
	x.Transpose_(0, 1)
	require.ErrorContains(t, torch.Try(func() { x.Resize_(100) }), "not resizable", "others have its address")
	require.Equal(t, torch.Shape{3, 2}, x.Shape(), "and nothing has changed")
	require.NoError(t, x.Close())
	y, err := dlpack.FromDLPack(c)
	require.NoError(t, err)
	assert.Equal(t, "[[1 2 3] [4 5 6]]", fmt.Sprint(y.ToList()))
	require.NoError(t, y.Close())
}

// Go memory is released when its last user, the taker of a struct, frees the struct, even
// if Go is idle.
func TestTakerIsTheLast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	before := callback.Count()
	x := torch.FromSliceShared([]float32{1, 2})
	s := foreign.Taker{Versioned: true, At: dlpack.ToDLPack(x, dlpack.MaxVersion(1, 0)).Take()}
	require.NoError(t, x.Close())
	assert.Equal(t, before+1, callback.Count())
	s.DeleteElsewhere()
	assert.Equal(t, before, callback.Count())

	a, c := array(t, dlpack.KindLegacy, false, 2)
	x, err := dlpack.FromDLPack(c)
	require.NoError(t, err)
	s = foreign.Taker{At: dlpack.ToDLPack(x).Take()}
	require.NoError(t, x.Close())
	flush(t)
	assert.Zero(t, a.Deleted())
	s.DeleteElsewhere()
	flush(t)
	assert.Equal(t, 1, a.Deleted())
}

func TestCapsule(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.Ones(torch.Shape{2})
	defer func() { assert.NoError(t, x.Close()) }()
	c := dlpack.ToDLPack(x)
	assert.Equal(t, "dlpack.Capsule(dltensor)", c.String())
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	assert.Equal(t, "dlpack.Capsule(used_dltensor)", c.String())
	assert.Nil(t, c.Take())
	_, err := dlpack.FromDLPack(c)
	require.ErrorIs(t, err, torch.ErrClosed)
	_, err = c.Info()
	require.ErrorIs(t, err, torch.ErrClosed)

	c = dlpack.ToDLPack(x, dlpack.MaxVersion(1, 0))
	again := dlpack.NewCapsule(c.Take(), c.Kind())
	y, err := dlpack.FromDLPack(again)
	require.NoError(t, err)
	assert.Equal(t, x.DataPtr(), y.DataPtr())
	require.NoError(t, y.Close())

	c = nil
	assert.Nil(t, c.Take())
	assert.Empty(t, c.Kind())
	assert.Equal(t, "dlpack.Capsule(nil)", c.String())
	require.NoError(t, c.Close())
	_, err = c.Info()
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = dlpack.FromDLPack(nil)
	require.ErrorIs(t, err, torch.ErrNil)
}

// A dropped capsule, and a dropped tensor, are freed by the garbage collector.
func TestCollected(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	func() {
		x := torch.Ones(torch.Shape{1000})
		_ = dlpack.ToDLPack(x)
		assert.NoError(t, x.Close())
	}()
	var arrays []*foreign.Array
	func() {
		for kind := range versions {
			a, _ := array(t, kind, false, 3)
			b, c := array(t, kind, true, 3)
			_, err := dlpack.FromDLPack(c)
			require.NoError(t, err)
			arrays = append(arrays, a, b)
		}
	}()
	for range 1000 { // cleanups run on a goroutine of the Go runtime
		runtime.GC()
		flush(t)
		left := 0
		for _, a := range arrays {
			left += 1 - a.Deleted()
		}
		if left == 0 {
			break
		}
		runtime.Gosched()
	}
}

// During a thousand round trips the numbers of live tensors and callbacks stay constant,
// and every deleter is called.
func TestThousandRoundTrips(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	handles, objects := torch.NumLiveTensors(), callback.Live()
	for i := range 1000 {
		a := foreign.New(i%2 == 0, i%3 == 0, 16)
		kind := dlpack.KindLegacy
		if i%2 == 0 {
			kind = dlpack.KindVersioned
		}
		x, err := dlpack.FromDLPack(dlpack.NewCapsule(a.Struct.At, kind))
		require.NoError(t, err)
		y, err := dlpack.FromDLPack(dlpack.ToDLPack(x, versions[kind]))
		require.NoError(t, err)
		require.NoError(t, x.Close())
		require.NoError(t, y.Close())
		flush(t)
		require.Equal(t, 1, a.Deleted())
		a.Free()
	}
	assert.Equal(t, handles, torch.NumLiveTensors())
	assert.Equal(t, objects, callback.Live())
}
