package torch_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// draws holds the calls of testdata/make_random.py. A nil generator means the default one.
var draws = map[string]func(g *torch.Generator) *torch.Tensor{
	"rand":     func(g *torch.Generator) *torch.Tensor { return torch.Rand(torch.Shape{5}, g) },
	"rand f64": func(g *torch.Generator) *torch.Tensor { return torch.Rand(torch.Shape{20}, torch.Float64, g) },
	"randn":    func(g *torch.Generator) *torch.Tensor { return torch.Randn(torch.Shape{7}, g) },
	"randn long": func(g *torch.Generator) *torch.Tensor {
		return torch.Randn(torch.Shape{40}, g)
	},
	"randn f64": func(g *torch.Generator) *torch.Tensor { return torch.Randn(torch.Shape{17}, torch.Float64, g) },
	"randint":   func(g *torch.Generator) *torch.Tensor { return torch.RandInt(-5, 1000, torch.Shape{9}, g) },
	"randint int32": func(g *torch.Generator) *torch.Tensor {
		return torch.RandInt(0, 7, torch.Shape{9}, torch.Int32, g)
	},
	"randperm":      func(g *torch.Generator) *torch.Tensor { return torch.RandPerm(10, g) },
	"randperm long": func(g *torch.Generator) *torch.Tensor { return torch.RandPerm(100, g) },
}

func TestSeedGivesPythonsNumbers(t *testing.T) {
	raw, err := os.ReadFile("testdata/random.json")
	require.NoError(t, err)
	var seeds map[string][][]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &seeds))
	require.Len(t, seeds, 3)
	for text, list := range seeds {
		t.Run(text, func(t *testing.T) {
			leakFree(t, func() {
				seed, err := strconv.ParseUint(text, 10, 64)
				require.NoError(t, err)
				require.Len(t, list, len(draws))
				torch.ManualSeed(seed)
				own := torch.NewGenerator(torch.CPU).ManualSeed(seed)
				require.Equal(t, seed, own.InitialSeed())
				require.Equal(t, seed, torch.DefaultGenerator(torch.CPU).InitialSeed())
				for _, item := range list {
					var name string
					var want []float64
					require.NoError(t, json.Unmarshal(item[0], &name))
					require.NoError(t, json.Unmarshal(item[1], &want))
					for _, g := range []*torch.Generator{nil, own} {
						got := draws[name](g)
						w := torch.FromSliceWith(want, got.Shape(), got.DType())
						// Normal numbers take a logarithm, a root, a cosine and a product.
						require.Empty(t, torchtest.Difference(w, got, torchtest.Rounding(16, got.DType())), name)
					}
				}
			})
		})
	}
}

func TestGeneratorState(t *testing.T) {
	leakFree(t, func() {
		g := torch.NewGenerator(torch.CPU).ManualSeed(7)
		draws["randn"](g)
		state := g.State()
		require.Equal(t, torch.Uint8, state.DType())
		first := draws["rand"](g).Float32s()
		require.NotEqual(t, first, draws["rand"](g).Float32s())
		g.SetState(state)
		require.Equal(t, first, draws["rand"](g).Float32s())
		other := torch.NewGenerator(torch.CPU)
		other.SetState(state)
		require.Equal(t, first, draws["rand"](other).Float32s())
		require.Equal(t, uint64(7), other.InitialSeed())

		// All handles of the default generator refer to the same generator.
		torch.ManualSeed(3)
		d := torch.DefaultGenerator(torch.CPU)
		state = d.State()
		want := draws["randperm"](nil).Int64s()
		torch.DefaultGenerator(torch.CPU).SetState(state)
		require.Equal(t, want, draws["randperm"](d).Int64s())
	})
}

// beyond returns a copy of state that claims 624 remaining numbers, although the next one is the
// last. libtorch would read past the end of the state.
func beyond(state *torch.Tensor) *torch.Tensor {
	b := state.Uint8s()
	binary.LittleEndian.PutUint32(b[8:], 624)
	binary.LittleEndian.PutUint64(b[16:], 623)
	return torch.FromSlice(b)
}

func TestGeneratorErrors(t *testing.T) {
	leakFree(t, func() {
		g := torch.NewGenerator(torch.CPU)
		state := g.State()
		for name, bad := range map[string]*torch.Tensor{
			"short": torch.Zeros(torch.Shape{3}, torch.Uint8),
			"dtype": torch.Zeros(state.Shape()),
			"place": beyond(state),
		} {
			require.Error(t, torch.Try(func() { g.SetState(bad) }), name)
		}
		require.Equal(t, state.Uint8s(), g.State().Uint8s(), "an invalid state changes nothing")
		var none *torch.Generator
		require.ErrorIs(t, torch.Try(func() { none.ManualSeed(1) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { none.State() }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { new(torch.Generator).InitialSeed() }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { g.SetState(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { torch.NewGenerator(torch.CUDA.At(99)) }), torch.ErrDevice)
	})
}

func TestGeneratorsPrint(t *testing.T) {
	require.Equal(t, "Generator(seed 7)", torch.NewGenerator(torch.CPU).ManualSeed(7).String())
	var none *torch.Generator
	require.Equal(t, "no generator", none.String())
}
