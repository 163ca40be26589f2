package torch_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// Tensors are nested lists in JSON, and are decoded as by torch.tensor.
func TestTensorsInJSON(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		nan, inf := math.NaN(), math.Inf(1)
		for _, c := range []struct {
			x    *torch.Tensor
			text string
			back torch.DType // 0 means the dtype of x
		}{
			{torch.FromSlice([]float32{0.1, -2, 1e20, 3}, 2, 2), "[[0.1,-2.0],[1e+20,3.0]]", 0},
			{torch.FromSlice([]float64{0.1, 1. / 3}), "[0.1,0.3333333333333333]", torch.Float32},
			{
				torch.FromSlice([]float32{float32(nan), float32(inf), float32(-inf)}), `["NaN","Infinity","-Infinity"]`,
				0,
			},
			{torch.ScalarTensor(0.1, torch.BFloat16), "0.100097656", torch.Float32},
			{torch.ScalarTensor(1, torch.Float8E4M3FN), "1.0", torch.Float32},
			{torch.ScalarTensor(7, torch.Int64), "7", 0},
			{torch.FromSlice([]int64{math.MinInt64, math.MaxInt64}), "[-9223372036854775808,9223372036854775807]", 0},
			{torch.FromSlice([]uint64{1, math.MaxUint64}), "[1,18446744073709551615]", 0},
			{torch.FromSlice([]uint8{1, 255}), "[1,255]", torch.Int64},
			{torch.FromSlice([]bool{true, false}), "[true,false]", 0},
			{torch.FromSlice([]complex64{1 + 2i, complex64(cmplx.Inf())}), `["(1+2i)","(+Inf+Infi)"]`, 0},
			{torch.Zeros(torch.Shape{0}), "[]", 0},
			{torch.Zeros(torch.Shape{2, 0}), "[[],[]]", 0},
			{torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2).T().RequiresGrad_(), "[[1.0,3.0],[2.0,4.0]]", 0},
		} {
			require.Equal(t, c.text, encoded(t, c.x))
			back := new(torch.Tensor)
			require.NoError(t, json.Unmarshal([]byte(c.text), back), c.text)
			want := c.x.Detach()
			if c.back != 0 {
				want = want.To(c.back)
			}
			assert.Equal(t, want.DType(), back.DType(), c.text)
			torchtest.AllClose(t, want, back, torchtest.EqualNaN(true))
		}
		var reply struct {
			Scores *torch.Tensor
			None   *torch.Tensor
		}
		require.NoError(t, json.Unmarshal([]byte(`{"Scores": [[1, 2.5]], "None": null}`), &reply))
		assert.Equal(t, []float32{1, 2.5}, reply.Scores.Float32s())
		assert.Nil(t, reply.None)
		assert.JSONEq(t, `{"Scores":[[1.0,2.5]],"None":null}`, encoded(t, reply))
		torch.WithDType(torch.Float64, func() {
			x := new(torch.Tensor)
			require.NoError(t, x.UnmarshalJSON([]byte("[0.1]")))
			assert.Equal(t, torch.Float64, x.DType())
		})
	})
}

func TestTensorsThatAreNotInJSON(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Zeros(torch.Shape{1})
		require.NoError(t, closed.Close())
		for _, c := range []struct {
			x    *torch.Tensor
			kind error
			says string
		}{
			{nil, torch.ErrNil, "self is a nil *Tensor"},
			{closed, torch.ErrClosed, "used after Close"},
			{
				torch.Zeros(torch.Shape{1 << 16, 2}), torch.ErrValue,
				"131072 elements, and JSON is written for up to 65536",
			},
			{torch.Eye(2).ToSparse(), torch.ErrValue, "x.ToDense()"},
			{torch.Zeros(torch.Shape{2}, torch.Meta), torch.ErrValue, "meta"},
		} {
			_, err := c.x.MarshalJSON()
			require.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, c.says)
		}
		for text, kind := range map[string]error{
			"[1,[2]]": torch.ErrShape, "[[1],2]": torch.ErrShape, "[[1],[]]": torch.ErrShape,
			"[[],[[]]]": torch.ErrShape, "[[],1]": torch.ErrShape,
			"[null]": torch.ErrValue, "{}": torch.ErrValue, `["a"]`: torch.ErrValue, "[1,true]": torch.ErrValue,
			"1 2": torch.ErrValue,
			"":    torch.ErrValue, "[1": torch.ErrValue, "[1e999]": torch.ErrValue,
			"[-1,18446744073709551615]": torch.ErrValue,
		} {
			x := new(torch.Tensor)
			assert.ErrorIs(t, x.UnmarshalJSON([]byte(text)), kind, text)
			assert.ErrorIs(t, torch.Try(func() { x.Shape() }), torch.ErrClosed, text)
		}
		for _, text := range []string{
			`["` + strings.Repeat("a", 1000) + `"]`, "[1" + strings.Repeat("0", 1000) + "]",
			`["\u001b[2J"]`,
		} {
			err := new(torch.Tensor).UnmarshalJSON([]byte(text))
			require.ErrorIs(t, err, torch.ErrValue)
			assert.Less(t, len(err.Error()), 300)
			assert.NotContains(t, err.Error(), "\x1b")
		}
		assert.ErrorIs(t, (*torch.Tensor)(nil).UnmarshalJSON([]byte("1")), torch.ErrNil)
		assert.ErrorIs(t, torch.Zeros(nil).UnmarshalJSON([]byte("1")), torch.ErrValue)
	})
}

// Dtypes, devices, layouts and kinds are encoded as their names, in values and in keys.
func TestNamesInJSON(t *testing.T) {
	type settings struct {
		DType  torch.DType
		Device torch.Device
		Layout torch.Layout
		Format torch.MemoryFormat
		Shape  torch.Shape
		Sizes  map[torch.DType]int
	}
	in := settings{
		torch.BFloat16, torch.CUDA.At(1), torch.SparseCSR, torch.ChannelsLast,
		torch.Shape{2, 3},
		map[torch.DType]int{torch.Int8: 1},
	}
	text := encoded(t, in)
	assert.JSONEq(t,
		`{"DType":"bfloat16","Device":"cuda:1","Layout":"sparse_csr","Format":"channels_last",`+
			`"Shape":[2,3],"Sizes":{"int8":1}}`, text)
	var out settings
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	assert.Equal(t, in, out)
	require.NoError(t, json.Unmarshal([]byte(encoded(t, settings{})), &out))
	assert.Equal(t, torch.DType(0), out.DType)
	assert.Equal(t, torch.Device(0), out.Device)
	require.NoError(t, out.DType.UnmarshalText([]byte("torch.float16")))
	assert.Equal(t, torch.Float16, out.DType)
	for name, read := range map[string]func([]byte) error{
		"float": out.DType.UnmarshalText, "dtype(25)": out.DType.UnmarshalText, "tpu": out.Device.UnmarshalText,
		"layout(9)": out.Layout.UnmarshalText, "": out.Format.UnmarshalText,
	} {
		assert.ErrorIs(t, read([]byte(name)), torch.ErrValue, name)
	}
	for _, bad := range []any{torch.DType(99), torch.Device(-5), torch.Layout(99), torch.MemoryFormat(-1)} {
		_, err := json.Marshal(bad)
		assert.ErrorIs(t, err, torch.ErrValue, "%T", bad)
	}
	err := torch.Try(func() { torch.Zeros(torch.Shape{2}).MatMul(torch.Zeros(torch.Shape{3})) })
	text = encoded(t, err)
	assert.Contains(t, text, `"Kind":"ErrShape"`)
	var e torch.Error
	require.NoError(t, json.Unmarshal([]byte(text), &e))
	assert.ErrorIs(t, &e, torch.ErrShape)
	assert.Equal(t, err.Error(), e.Error())
}

// Logs always contain shape and dtype, and the values of small tensors.
func TestTensorsInLogs(t *testing.T) {
	torch.Scope(func() {
		closed := torch.Zeros(torch.Shape{1})
		require.NoError(t, closed.Close())
		for _, c := range []struct {
			v          any
			json, text string
		}{
			{
				torch.FromSlice([]float32{1, 2}), `{"shape":[2],"dtype":"float32","values":[1.0,2.0]}`,
				`v.shape=(2,) v.dtype=float32 v.values=[1.0,2.0]`,
			},
			{
				torch.ScalarTensor(3, torch.Int64), `{"shape":[],"dtype":"int64","values":3}`,
				`v.shape=() v.dtype=int64 v.values=3`,
			},
			{torch.Zeros(torch.Shape{100}), `{"shape":[100],"dtype":"float32"}`, `v.shape=(100,) v.dtype=float32`},
			{
				torch.Zeros(torch.Shape{2}, torch.Meta), `{"shape":[2],"dtype":"float32","device":"meta"}`,
				`v.shape=(2,) v.dtype=float32 v.device=meta`,
			},
			{closed, `"closed"`, "v=closed"},
			{(*torch.Tensor)(nil), `"<nil>"`, "v=<nil>"},
			{torch.Float16, `"float16"`, "v=float16"},
			{torch.CUDA.At(0), `"cuda:0"`, "v=cuda:0"},
		} {
			var asJSON, asText bytes.Buffer
			bare := &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
				if len(groups) == 0 && a.Key != "v" {
					return slog.Attr{}
				}
				return a
			}}
			slog.New(slog.NewJSONHandler(&asJSON, bare)).Info("", "v", c.v)
			slog.New(slog.NewTextHandler(&asText, bare)).Info("", "v", c.v)
			assert.Equal(t, `{"v":`+c.json+"}\n", asJSON.String())
			assert.Equal(t, c.text+"\n", asText.String())
		}
	})
}
