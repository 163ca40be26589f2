package torch_test

import (
	"bytes"
	"encoding/gob"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Tensors of every dtype and shape survive encoding/gob, alone and in structs.
func TestGob(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		base := torch.Arange(12).Reshape(3, 4)
		for name, x := range map[string]*torch.Tensor{
			"matrix": base, "turned": base.T(), "narrow": base.Narrow(1, 1, 2), "scalar": torch.ScalarTensor(2.5),
			"empty": torch.Zeros(torch.Shape{3, 0, 2}), "empty vector": torch.Zeros(torch.Shape{0}),
			"expanded": torch.Ones(torch.Shape{1}).Expand(5),
			"uint8":    base.To(torch.Uint8), "int8": base.To(torch.Int8), "int16": base.To(torch.Int16),
			"int32":  base.To(torch.Int32),
			"uint16": base.To(torch.Uint16), "uint32": base.To(torch.Uint32), "uint64": base.To(torch.Uint64),
			"bool": base.Gt(torch.ScalarTensor(3)), "half": base.To(torch.Float16), "bfloat16": base.To(torch.BFloat16),
			"double": base.To(torch.Float64), "fp8": base.To(torch.Float8E5M2),
			"nan": torch.FromSlice([]float32{
				float32(math.NaN()), float32(math.Inf(1)),
				float32(math.Copysign(0, -1)),
			}),
			"complex": torch.FromSlice([]complex64{1 + 2i, 3}), "complex128": torch.FromSlice([]complex128{1 + 2i}),
			"conjugate":    torch.FromSlice([]complex64{1 + 2i, 3}).Conj(),
			"complex half": torch.FromSlice([]complex64{1 + 2i, 3}).To(torch.Complex32),
			"gradient":     torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)),
			"computed":     torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)).MulScalar(3),
		} {
			var b bytes.Buffer
			require.NoError(t, gob.NewEncoder(&b).Encode(x), name)
			var got *torch.Tensor
			require.NoError(t, gob.NewDecoder(&b).Decode(&got), name)
			assert.Equal(t, x.Shape(), got.Shape(), name)
			assert.Equal(t, x.DType(), got.DType(), name)
			assert.Equal(t, x.RequiresGrad(), got.RequiresGrad(), name)
			assert.True(t, got.IsLeaf(), name)
			assert.True(t, got.IsContiguous(), name)
			again, err := got.GobEncode()
			require.NoError(t, err, name)
			first, err := x.GobEncode()
			require.NoError(t, err, name)
			assert.Equal(t, first, again, name)
			if name != "fp8" && name != "nan" && name != "complex half" {
				assert.True(t, x.Equal(got), name)
			}
		}
		type point struct {
			Name string
			At   *torch.Tensor
			None *torch.Tensor
		}
		var b bytes.Buffer
		require.NoError(t, gob.NewEncoder(&b).Encode([]point{{"a", base, nil}, {"b", base.T(), base}}))
		var got []point
		require.NoError(t, gob.NewDecoder(&b).Decode(&got))
		assert.Nil(t, got[0].None)
		assert.True(t, got[1].At.Equal(base.T()))
	})
}

// A decoded tensor has an owner like any new one, and Close frees it.
func TestGobOwners(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.Ones(torch.Shape{100})
	defer x.Close()
	data, err := x.GobEncode()
	require.NoError(t, err)
	var mine, scoped, kept torch.Tensor
	require.NoError(t, mine.GobDecode(data))
	torch.Scope(func() {
		require.NoError(t, scoped.GobDecode(data))
		require.NoError(t, kept.GobDecode(data))
		torch.Disown(&kept)
	})
	assert.True(t, scoped.IsClosed())
	assert.True(t, x.Equal(&kept))
	require.NoError(t, kept.Close())
	require.NoError(t, mine.Close())
	assert.ErrorIs(t, mine.GobDecode(data), torch.ErrValue, "it was in use")
	require.ErrorIs(t, x.GobDecode(data), torch.ErrValue)
}

func TestGobMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var none *torch.Tensor
	_, err := none.GobEncode()
	require.ErrorIs(t, err, torch.ErrNil)
	require.ErrorIs(t, none.GobDecode(nil), torch.ErrNil)
	_, err = new(torch.Tensor).GobEncode()
	require.ErrorIs(t, err, torch.ErrClosed)
	torch.Scope(func() {
		_, err = torch.Eye(3).ToSparse().GobEncode()
		require.ErrorIs(t, err, torch.ErrValue)
		_, err = torch.Zeros(torch.Shape{3}, torch.Meta).GobEncode()
		require.Error(t, err)
		good, err := torch.Ones(torch.Shape{2, 3}).GobEncode()
		require.NoError(t, err)
		for n := range good {
			got := new(torch.Tensor)
			require.ErrorIs(t, got.GobDecode(good[:n]), torch.ErrValue)
			assert.True(t, got.IsClosed())
		}
		for name, data := range map[string][]byte{
			"version":   append([]byte{2}, good[1:]...),
			"dtype":     append([]byte{1, 200}, good[2:]...),
			"flag":      append([]byte{1, good[1], 2}, good[3:]...),
			"more":      append(bytes.Clone(good), 0),
			"too large": {1, good[1], 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 8},
			"overflow":  {1, good[1], 0, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 8},
			"dims":      {1, good[1], 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
			"many dims": append([]byte{1, good[1], 0, 65}, append(bytes.Repeat([]byte{1}, 65), 0, 0, 0, 0)...),
			"empty":     {1, good[1], 0, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 8, 1},
			"uncounted": {1, good[1], 0, 2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		} {
			assert.ErrorIs(t, new(torch.Tensor).GobDecode(data), torch.ErrValue, name)
		}
		whole, err := torch.Ones(torch.Shape{2}, torch.Int64).GobEncode()
		require.NoError(t, err)
		whole[2] = 1 // a gradient of integers
		fresh := new(torch.Tensor)
		require.ErrorIs(t, fresh.GobDecode(whole), torch.ErrValue)
		require.NoError(t, fresh.GobDecode(good), "it stayed as it was")
		assert.ErrorIs(t, new(torch.Tensor).GobDecode([]byte{1, 12, 0, 0, 0, 0, 0, 0}), torch.ErrValue)
	})
}

func FuzzGobDecode(f *testing.F) {
	torch.Scope(func() {
		for _, x := range []*torch.Tensor{
			torch.Ones(torch.Shape{2, 3}), torch.Zeros(torch.Shape{0, 4}, torch.Bool),
			torch.ScalarTensor(1),
		} {
			data, err := x.GobEncode()
			require.NoError(f, err)
			f.Add(data)
		}
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		torch.Scope(func() {
			x := new(torch.Tensor)
			if err := x.GobDecode(data); err != nil {
				require.ErrorAs(t, err, new(*torch.Error))
				return
			}
			_, err := x.GobEncode()
			require.NoError(t, err)
		})
	})
}
