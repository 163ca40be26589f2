package torch_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestIndexTakesEveryIntegerType(t *testing.T) {
	leakFree(t, func() {
		x := torch.Arange(0, 10, 1)
		type level uint16
		for _, i := range []any{
			3, int8(3), int16(3), int32(3), int64(3), uint(3), uint8(3), uint16(3), uint32(3), uint64(3), uintptr(3),
			level(3),
		} {
			require.Equal(t, int64(3), x.Index(i).ItemInt(), "%T", i)
		}
		for _, list := range []any{
			[]int{3, -1},
			[]int64{3, -1},
			[]int32{3, 9},
			[]int16{3, 9},
			[]int8{-7, 9},
			torch.Shape{3, 9},
		} {
			require.Equal(t, []int64{3, 9}, x.Index(list).Int64s(), "%T", list)
		}
		type flag bool
		require.Equal(t, torch.Shape{1, 10}, x.Index(flag(true)).Shape())
		require.Equal(t, torch.Shape{1, 10}, x.Index(nil).Shape())
	})
}

func TestIndexErrors(t *testing.T) {
	closed := torch.Zeros(torch.Shape{2})
	require.NoError(t, closed.Close())
	var none *torch.Tensor
	for name, c := range map[string]struct {
		items []any
		kind  error
		text  string
	}{
		"out of range": {
			[]any{2},
			torch.ErrIndex,
			"torch: Index: index 2 is out of bounds for dimension 0 with size 2 [self: float32 (2, 3) cpu]",
		},
		"negative out": {[]any{torch.All, -4}, torch.ErrIndex, "index -4 is out of bounds for dimension 1 with size 3"},
		"overflow": {
			[]any{uint64(math.MaxUint64)},
			torch.ErrIndex,
			"argument indices[0]: 18446744073709551615 is out of range",
		},
		"too many": {[]any{0, 0, 0}, torch.ErrIndex, "too many indices"},
		"list out": {[]any{[]int{0, 7}}, torch.ErrIndex, "index 7 is out of bounds"},
		"mask size": {
			[]any{[]bool{true, false, true}},
			torch.ErrIndex,
			"The shape of the mask [3] at index 0 does not match",
		},
		"string":     {[]any{0, "a"}, torch.ErrType, "argument indices[1]: expected an integer, a slice"},
		"float":      {[]any{1.0}, torch.ErrType, "got float64"},
		"float list": {[]any{[]float32{1}}, torch.ErrType, "got []float32"},
		"byte list":  {[]any{[]uint8{1}}, torch.ErrType, "got []uint8"},
		"step":       {[]any{torch.SliceStep(0, 2, 0)}, torch.ErrValue, "step must be greater than zero"},
		"reverse":    {[]any{torch.SliceStep(2, 0, -1)}, torch.ErrValue, "step must be greater than zero"},
		"nil tensor": {[]any{none}, torch.ErrNil, "argument indices[0] is a nil *Tensor"},
		"closed":     {[]any{0, closed}, torch.ErrClosed, "argument indices[1]: tensor used after Close"},
	} {
		t.Run(name, func(t *testing.T) {
			leakFree(t, func() {
				x := torch.Zeros(torch.Shape{2, 3})
				err := torch.Try(func() { x.Index(c.items...) })
				require.ErrorIs(t, err, c.kind)
				require.ErrorContains(t, err, c.text)
				err = torch.Try(func() { x.SetIndex(1, c.items...) })
				require.ErrorIs(t, err, c.kind)
			})
		})
	}
}

// A wrong index after a list must not leak the list's tensor.
func TestIndexErrorFreesLists(t *testing.T) {
	x := torch.Zeros(torch.Shape{2, 3})
	defer func() { _ = x.Close() }()
	collect(t)
	before := torch.NumLiveTensors()
	require.Error(t, torch.Try(func() { x.Index([]int{0}, "x") }))
	require.Error(t, torch.Try(func() { x.Index([]int{5}) }))
	require.Error(t, torch.Try(func() { x.SetIndex(1, []int{5}, []bool{true, false, true}) }))
	x.SetIndex(1, []int{1}, []int{1})
	require.Equal(t, before, torch.NumLiveTensors())
	require.Equal(t, []float32{0, 0, 0, 0, 1, 0}, x.Float32s())
}

func TestIndexOfNothing(t *testing.T) {
	var none *torch.Tensor
	require.ErrorIs(t, torch.Try(func() { none.Index(0) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { none.SetIndex(0, 0) }), torch.ErrNil)
	leakFree(t, func() {
		x := torch.Zeros(torch.Shape{2})
		require.ErrorIs(t, torch.Try(func() { x.SetIndex(none, 0) }), torch.ErrNil)
	})
}

func TestSetIndexErrors(t *testing.T) {
	leakFree(t, func() {
		x := torch.Zeros(torch.Shape{2, 3})
		err := torch.Try(func() { x.SetIndex("one", 0) })
		require.ErrorIs(t, err, torch.ErrType)
		require.ErrorContains(t, err, "argument value: expected a tensor, number")

		err = torch.Try(func() { x.SetIndex(torch.Ones(torch.Shape{2}), 0) })
		require.ErrorIs(t, err, torch.ErrShape)
		require.ErrorContains(t, err, "value: float32 (2,) cpu")

		leaf := torch.Zeros(torch.Shape{2, 3}, torch.RequiresGrad(true))
		require.ErrorIs(t, torch.Try(func() { leaf.SetIndex(1, 0) }), torch.ErrAutograd)
		torch.NoGrad(func() { leaf.SetIndex(1, 0) })
		require.Equal(t, []float32{1, 1, 1, 0, 0, 0}, leaf.Float32s())
	})
}

func TestIndexViewSharesMemory(t *testing.T) {
	leakFree(t, func() {
		x := torch.Zeros(torch.Shape{3, 4})
		row := x.Index(1)
		row.SetIndex(7, torch.SliceFrom(2))
		require.Equal(t, []float32{0, 0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0}, x.Float32s())
		require.Equal(t, int64(4), row.StorageOffset())

		// A view keeps the memory when its base is closed.
		require.NoError(t, x.Close())
		require.Equal(t, []float32{0, 0, 7, 7}, row.Float32s())

		whole := row.Index()
		require.NotSame(t, row, whole)
		require.NoError(t, row.Close())
		require.Equal(t, []float32{0, 0, 7, 7}, whole.Float32s())
	})
}

func TestIndexRangeString(t *testing.T) {
	for want, r := range map[string]torch.IndexRange{
		":": torch.All, "1:": torch.SliceFrom(1), ":-1": torch.SliceTo(-1), "1:3": torch.Slice(1, 3),
		"::2": torch.SliceStep(0, torch.End, 2), "1:9:2": torch.SliceStep(1, 9, 2),
	} {
		require.Equal(t, want, r.String())
	}
}
