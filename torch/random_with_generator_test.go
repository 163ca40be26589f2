package torch_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// drawAll draws random numbers with functions that accept a generator, and with functions that do
// not.
func drawAll() (all []float32) {
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{8})
		for _, y := range []*torch.Tensor{
			torch.Rand(torch.Shape{3}), torch.Randn(torch.Shape{3}), torch.RandPerm(5).To(torch.Float32),
			x.Bernoulli(), x.Clone().Uniform_(0, 1), F.Dropout(x, F.P(0.5)), F.AlphaDropout(x, F.P(0.5)),
			F.RReLU(x.Neg(), F.Training(true)),
		} {
			all = append(all, y.Float32s()...)
		}
	})
	return all
}

// Each goroutine draws the same numbers as a program with the same seed, even if other goroutines
// draw at the same time.
func TestWithGenerator(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(7)
	want := drawAll()
	torch.ManualSeed(3)
	rest := drawAll()
	torch.ManualSeed(3)
	var wg sync.WaitGroup
	got := make([][]float32, 8)
	for i := range got {
		wg.Go(func() {
			g := torch.NewGenerator(torch.CPU).ManualSeed(7)
			torch.WithGenerator(g, func() {
				got[i] = drawAll()
				torch.WithGenerator(torch.NewGenerator(torch.CPU), func() { drawAll() })
				if i%2 == 0 {
					torch.ManualSeed(7)
					assert.Equal(t, want, drawAll(), "ManualSeed seeds the goroutine's own generator")
				}
				assert.Same(t, g, torch.DefaultGenerator(torch.CPU))
				assert.EqualValues(t, 7, torch.InitialSeed())
			})
		})
	}
	wg.Wait()
	for _, g := range got {
		assert.Equal(t, want, g)
	}
	assert.Equal(t, rest, drawAll(), "the process's generator is unchanged")
	assert.EqualValues(t, 3, torch.InitialSeed())
}

func TestWithGeneratorEndsByPanic(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(3)
	want := drawAll()
	torch.ManualSeed(3)
	assert.PanicsWithValue(t, "stop", func() {
		torch.WithGenerator(torch.NewGenerator(torch.CPU), func() { panic("stop") })
	})
	assert.Equal(t, want, drawAll())
}

func TestWithGeneratorMistakes(t *testing.T) {
	g := torch.NewGenerator(torch.CPU)
	assert.ErrorIs(t, torch.Try(func() { torch.WithGenerator(nil, func() {}) }), torch.ErrNil)
	assert.ErrorIs(t, torch.Try(func() { torch.WithGenerator(g, nil) }), torch.ErrNil)
}

// If there are more goroutines than slots, they take turns. Nested calls need no additional slot.
func TestManyGenerators(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(7)
	want := drawAll()
	var nest func(g *torch.Generator, n int) []float32
	nest = func(g *torch.Generator, n int) (got []float32) {
		torch.WithGenerator(g, func() {
			if n > 0 {
				got = nest(g, n-1)
			} else {
				got = drawAll()
			}
		})
		return got
	}
	var wg sync.WaitGroup
	got := make([][]float32, 100)
	for i := range got {
		wg.Go(func() { got[i] = nest(torch.NewGenerator(torch.CPU).ManualSeed(7), 40) })
	}
	wg.Wait()
	for _, g := range got {
		assert.Equal(t, want, g)
	}
}
