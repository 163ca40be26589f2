package functional_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// When memory runs out and an operator is called again, it and later operators draw the
// same random numbers as without the failure.
func TestRandomOperatorsCalledAgain(t *testing.T) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{8, 8, 6})
		image := torch.Rand(torch.Shape{1, 2, 6, 6})
		rates := torch.Rand(torch.Shape{100})
		one := func(fn func() *torch.Tensor) func() []*torch.Tensor {
			return func() []*torch.Tensor { return []*torch.Tensor{fn()} }
		}
		lstm := nn.NewLSTM(6, 4, nn.NumLayers(2), nn.DropoutP(0.5))
		defer lstm.Close()
		encoder := nn.NewTransformerEncoderLayer(6, 2, nn.DropoutP(0.5))
		defer encoder.Close()
		for name, draw := range map[string]func() []*torch.Tensor{
			"Dropout":       one(func() *torch.Tensor { return F.Dropout(x) }),
			"Dropout1d":     one(func() *torch.Tensor { return F.Dropout1d(x) }),
			"AlphaDropout":  one(func() *torch.Tensor { return F.AlphaDropout(x, F.Training(true)) }),
			"FeatureAlpha":  one(func() *torch.Tensor { return F.FeatureAlphaDropout(x, F.Training(true)) }),
			"RReLU":         one(func() *torch.Tensor { return F.RReLU(x.Neg(), F.Training(true)) }),
			"GumbelSoftmax": one(func() *torch.Tensor { return F.GumbelSoftmax(x) }),
			"Fractional": one(func() *torch.Tensor {
				return F.FractionalMaxPool2d(image, []int64{2, 2}, F.OutputSizes{3, 3})
			}),
			"Attention": one(func() *torch.Tensor {
				return F.ScaledDotProductAttention(x, x, x, F.DropoutP(0.5))
			}),
			"Rand":           one(func() *torch.Tensor { return torch.Rand(torch.Shape{700}) }),
			"Randn":          one(func() *torch.Tensor { return torch.Randn(torch.Shape{7}) }),
			"RandPerm":       one(func() *torch.Tensor { return torch.RandPerm(30) }),
			"RandInt":        one(func() *torch.Tensor { return torch.RandInt(0, 9, torch.Shape{7}) }),
			"RandLike":       one(func() *torch.Tensor { return torch.RandLike(x) }),
			"Bernoulli":      one(func() *torch.Tensor { return rates.Bernoulli() }),
			"Multinomial":    one(func() *torch.Tensor { return rates.Multinomial(20) }),
			"Poisson":        one(func() *torch.Tensor { return rates.Poisson() }),
			"Normal":         one(func() *torch.Tensor { return torch.Normal(1, 2, torch.Shape{40}) }),
			"Exponential_":   one(func() *torch.Tensor { return rates.Clone().Exponential_(1) }),
			"Normal_":        one(func() *torch.Tensor { return rates.Clone().Normal_(0, 1) }),
			"LSTM":           one(func() *torch.Tensor { y, _, _ := lstm.Forward(x, nil, nil); return y }),
			"a layer of all": one(func() *torch.Tensor { return encoder.Forward(x) }),
			"a generator": one(func() *torch.Tensor {
				g := torch.NewGenerator(torch.CPU).ManualSeed(4)
				return rates.Multinomial(20, g).Add(rates.Multinomial(20, g))
			}),
		} {
			t.Run(name, func(t *testing.T) {
				scoped(t, func() {
					run := func(after int64) (drawn []*torch.Tensor, next *torch.Tensor, failed bool) {
						torch.ManualSeed(1)
						failed = failing.At(after, func() { require.NoError(t, torch.Try(func() { drawn = draw() })) })
						return drawn, torch.Rand(torch.Shape{3}), failed
					}
					want, next, _ := run(1 << 40)
					recovered := memory.GC().Recovered
					n := int64(0)
					for ; ; n++ {
						drawn, then, failed := run(n)
						for i := range want {
							require.True(t, want[i].Equal(drawn[i]), "allocation %d", n)
						}
						require.True(t, next.Equal(then), "allocation %d", n)
						if !failed {
							break
						}
					}
					assert.Positive(t, n, "no allocation failed")
					assert.EqualValues(t, n, memory.GC().Recovered-recovered)
				})
			})
		}
	})
}
