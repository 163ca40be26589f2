package torch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// sameBits reports whether two tensors have the same values, where NaN equals NaN.
func sameBits(a, b *torch.Tensor) bool {
	return a.DType() == b.DType() && a.ViewDType(torch.Int32).Equal(b.ViewDType(torch.Int32))
}

// Products of matrices with all layouts have the same bits as without a graph, with any current
// float32 precision.
func TestCaptureProducts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	before := torch.Float32MatmulPrecision()
	defer torch.SetFloat32MatmulPrecision(before)
	sizes := []int64{1, 2, 3, 17, 64, 130}
	layouts := map[string]func(rows, columns int64) *torch.Tensor{
		"rows":    func(r, c int64) *torch.Tensor { return torch.Randn(torch.Shape{r, c}) },
		"columns": func(r, c int64) *torch.Tensor { return torch.Randn(torch.Shape{c, r}).T() },
		"part":    func(r, c int64) *torch.Tensor { return torch.Randn(torch.Shape{r, c + 3}).Narrow(1, 1, c) },
		"steps": func(r, c int64) *torch.Tensor {
			return torch.Randn(torch.Shape{2 * r, c}).Index(torch.SliceStep(0, 2*r, 2))
		},
	}
	for left, makeLeft := range layouts {
		for right, makeRight := range layouts {
			t.Run(left+" "+right, func(t *testing.T) {
				for i, n := range sizes {
					torch.Scope(func() {
						m, k := sizes[(i+1)%len(sizes)], sizes[(i+4)%len(sizes)]
						x, w, bias := makeLeft(n, k), makeRight(k, m), torch.Randn(torch.Shape{m})
						step := func() []*torch.Tensor {
							y := x.MatMul(w)
							return []*torch.Tensor{y.Exp().Neg(), F.Linear(x, w.T(), bias).Sin(), y.Addmm(x, w).Abs()}
						}
						g := torch.Capture(step)
						defer g.Close()
						for j := range 4 {
							torch.SetFloat32MatmulPrecision([]torch.MatmulPrecision{
								torch.MatmulHighest,
								torch.MatmulMedium,
							}[j%2])
							torch.NoGrad(func() { x.Normal_(0, 1); w.Normal_(0, 1); bias.Normal_(0, 1) })
							got := g.Replay()
							for r, want := range step() {
								require.True(t, sameBits(want, got[r]), "result %d of (%d, %d, %d), replay %d", r, n, k,
									m, j)
							}
						}
					})
				}
			})
		}
	}
}

// Elementwise operators have the same bits as without a graph, for values such as NaN,
// infinities and zeros of both signs.
func TestCaptureElements(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	odd := []float32{
		0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
		1, -1, 1e-40, -1e-40, 3e38,
	}
	for _, n := range []int{1, 2, 3, 4, 7, 64, 100, 8192, 8193} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			torch.Scope(func() {
				values := func(by int) *torch.Tensor {
					v := make([]float32, n)
					for i := range v {
						v[i] = odd[(i/by+i)%len(odd)]
					}
					return torch.FromSlice(v, int64(n))
				}
				x, y := values(1), values(len(odd))
				leaf := values(3).RequiresGrad_()
				step := func() []*torch.Tensor {
					leaf.SetGrad(nil)
					F.ReLU(leaf.Mul(y)).Mul(x).Sum().Backward()
					z := x.Add(y)
					z.Mul_(x).Sub_(y).Div_(x).Add_(z)
					return []*torch.Tensor{
						x.Add(y).Neg(), x.Sub(y).Neg(), x.Mul(y).Neg(), x.Div(y).Neg(), F.ReLU(x).Neg(),
						x.ClampMin(0.5).Neg(),
						x.Add(y, torch.Alpha(2)).Neg(), z, leaf.Grad().Neg(),
					}
				}
				g := torch.Capture(step)
				defer g.Close()
				for j := range 3 {
					torch.NoGrad(func() {
						x.Copy_(x.Roll([]int64{1}, []int64{0}))
						leaf.Copy_(leaf.Roll([]int64{3}, []int64{0}))
					})
					got := g.Replay()
					for r, want := range step() {
						require.True(t, sameBits(want, got[r]), "result %d, replay %d: %v, not %v", r, j, got[r], want)
					}
				}
			})
		})
	}
}

// If a clamped value equals the lower limit 0 or -0, the sign of the zero is the same as
// without a graph.
func TestCaptureClampsAtMinusZero(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for _, limit := range []float64{0, math.Copysign(0, -1)} {
			x := torch.FromSlice([]float32{-1, 0, float32(math.Copysign(0, -1)), 2})
			step := func() []*torch.Tensor { return []*torch.Tensor{x.ClampMin(limit).Reciprocal()} }
			g := torch.Capture(step)
			defer g.Close()
			assert.Equal(t, step()[0].Float32s(), g.Replay()[0].Float32s(), limit)
		}
	})
}
