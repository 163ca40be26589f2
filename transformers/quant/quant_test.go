package quant_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/gguf"
	"github.com/gotorch/gotorch/transformers/quant"
)

// randomBlocks returns rows of valid blocks with random weights.
func randomBlocks(r *rand.Rand, t gguf.Type, rows, blocks int64) *torch.Tensor {
	b := make([]byte, rows*blocks*t.BlockBytes())
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	halves := map[gguf.Type][]int64{
		gguf.TypeQ4_0: {0}, gguf.TypeQ4_1: {0, 2}, gguf.TypeQ8_0: {0}, gguf.TypeQ4_K: {0, 2}, gguf.TypeQ6_K: {208},
	}
	for at := int64(0); at < int64(len(b)); at += t.BlockBytes() {
		for _, h := range halves[t] {
			b[at+h], b[at+h+1] = byte(r.Uint32()), 0x10|byte(r.Uint32()&0x83) // small numbers of both signs
		}
	}
	return torch.FromSlice(b, rows, blocks*t.BlockBytes())
}

var types = []gguf.Type{gguf.TypeQ4_0, gguf.TypeQ4_1, gguf.TypeQ8_0, gguf.TypeQ4_K, gguf.TypeQ6_K}

// The kernels unpack blocks to the same bits as package gguf, which equals Python's.
func TestBlocksEqualGGUF(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range types {
		torch.Scope(func() {
			b := randomBlocks(r, kind, 7, 3)
			want := make([]float32, 7*3*kind.BlockSize())
			require.NoError(t, gguf.Dequantize(kind, b.Uint8s(), want))
			l := quant.NewLinear(b, kind, nil)
			assert.Equal(t, want, l.Dequantize().Reshape(-1).Float32s(), kind)
			rows := quant.NewEmbedding(b, kind).Forward(torch.FromSlice([]int64{6, 0, 3}, 3))
			all := l.Dequantize()
			assert.True(t, rows.Equal(all.IndexSelect(0, torch.FromSlice([]int64{6, 0, 3}))), kind)
		})
	}
}

// A product differs from that of the unpacked matrix only by the rounding of x to 16 bits,
// and with many rows not at all.
func TestLinearEqualsUnpacked(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	r := rand.New(rand.NewPCG(3, 4))
	for _, kind := range types {
		for _, rows := range []int64{1, 2, 16, 17, 40} {
			torch.Scope(func() {
				torch.ManualSeed(5)
				b := randomBlocks(r, kind, 300, 512/kind.BlockSize())
				l := quant.NewLinear(b, kind, torch.Randn(torch.Shape{300}))
				x := torch.Randn(torch.Shape{rows, 512})
				w := l.Dequantize()
				want, got := F.Linear(x, w, l.Bias), l.Forward(x)
				if rows > 16 {
					torchtest.AllClose(t, want, got)
					return
				}
				// Each feature is off by at most half a step, 1/65534 of the largest of its 32.
				largest := x.Abs().View(rows, 16, 32).Amax(torch.Dim(-1), torch.KeepDim(true))
				step := largest.DivScalar(65534).Expand(rows, 16, 32)
				bound := step.Reshape(rows, 512).MatMul(w.Abs().T()).MulScalar(1.001).AddScalar(1e-4)
				assert.True(t, got.Sub(want).Abs().Le(bound).All().ItemBool(), "%v, %d rows", kind, rows)
			})
		}
	}
}

// Gradients pass through a quantised layer as through the unpacked one.
func TestLinearGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	torch.Scope(func() {
		for _, bias := range []*torch.Tensor{torch.Zeros(torch.Shape{10}), nil} {
			l := quant.NewLinear(randomBlocks(r, gguf.TypeQ8_0, 10, 2), gguf.TypeQ8_0, bias)
			x := torch.Randn(torch.Shape{20, 64}).RequiresGrad_(true)
			l.Forward(x).PowScalar(2).Sum().Backward()
			y := x.Detach().RequiresGrad_(true)
			F.Linear(y, l.Dequantize(), nil).PowScalar(2).Sum().Backward()
			torchtest.AllClose(t, y.Grad(), x.Grad())
			if bias != nil {
				assert.NotNil(t, l.Bias.Grad())
			}
		}
	})
}

// Quantize replaces the Linears of a model and keeps its results close.
func TestQuantize(t *testing.T) {
	torch.Scope(func() {
		m := nn.NewSequential(nn.NewLinear(64, 96), nn.NewReLU(), nn.NewLinear(96, 32, nn.Bias(false)),
			nn.NewLinear(32, 33), nn.NewLinear(33, 2))
		x := torch.Randn(torch.Shape{4, 64})
		want := m.Forward(x).Detach()
		n, err := quant.Quantize(m, gguf.TypeQ8_0)
		require.NoError(t, err)
		assert.Equal(t, 3, n)
		torchtest.AllClose(t, want, m.Forward(x), torchtest.ATol(0.05))
		require.NoError(t, m.Close())
	})
}

// A layer that a field cannot hold stays, and nothing leaks.
func TestDequantizeTypedField(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type typed struct {
		nn.Base
		Proj *quant.Linear
	}
	m := &typed{Proj: quant.NewLinear(torch.Disown(torch.Zeros(torch.Shape{2, 34}, torch.Uint8)), gguf.TypeQ8_0, nil)}
	m.Init(m)
	assert.ErrorIs(t, torch.Try(func() { quant.Dequantize(m) }), torch.ErrType)
	torch.Scope(func() { assert.Equal(t, torch.Shape{1, 2}, m.Proj.Forward(torch.Ones(torch.Shape{1, 32})).Shape()) })
	require.NoError(t, m.Close())
}
