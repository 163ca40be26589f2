package tensorfmt_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// FuzzFormat formats tensors with arbitrary shapes, options and bits. Formatting must not
// panic, and the text must be well-formed.
func FuzzFormat(f *testing.F) {
	f.Add([]byte{2, 3}, []byte{0, 0, 0, 0, 0, 0}, uint64(1))
	f.Add([]byte{}, []byte{1, 200, 7, 3, 9, 1}, uint64(2))
	f.Add([]byte{40, 40}, []byte{2, 0, 5, 255, 30, 2}, uint64(3))
	f.Add([]byte{0, 7}, []byte{0, 255, 255, 255, 255, 0}, uint64(4))
	f.Fuzz(checkFormat)
}

// TestFormatNeverPanics runs the check of FuzzFormat on 1000 random inputs. Without it, a
// test run would check only the seeds.
func TestFormatNeverPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		shape, opts := make([]byte, rng.IntN(6)), make([]byte, 6)
		for i := range shape {
			shape[i] = byte(rng.IntN(12))
		}
		for i := range opts {
			opts[i] = byte(rng.IntN(256))
		}
		checkFormat(t, shape, opts, rng.Uint64())
	}
}

func checkFormat(t *testing.T, dims, opts []byte, seed uint64) {
	if len(dims) > 8 || len(opts) < 6 {
		return
	}
	o := tensorfmt.Options{
		Profile: tensorfmt.Profile(opts[0] % 4), Precision: int(int8(opts[1])), Threshold: int(int8(opts[2])),
		EdgeItems: int(int8(opts[3])), LineWidth: int(int8(opts[4])), SciMode: tensorfmt.SciMode(opts[5] % 4),
	}
	shape := make([]int64, len(dims))
	for i, d := range dims {
		shape[i] = int64(int8(d))
	}
	n := tensorfmt.NewPlan(shape, o).Numel()
	if n > 1<<10 {
		return
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, v := range randomValues(rng, int(n)) {
		tensor := tensorfmt.Tensor{Shape: shape, DType: "float32", Values: v, RequiresGrad: seed%2 == 0}
		got, err := tensorfmt.Format(tensor, o)
		if err != nil {
			require.Empty(t, got)
			require.ErrorContains(t, err, "negative size")
			continue
		}
		require.True(t, strings.HasPrefix(got, "tensor("))
		require.True(t, strings.HasSuffix(got, ")"))
		require.Equal(t, strings.Count(got, "["), strings.Count(got, "]"))

		tensor.Values = tensorfmt.Floats(make([]float64, n+1))
		_, err = tensorfmt.Format(tensor, o)
		require.Equal(t, n != 0, err != nil, "a surplus element is noticed")
	}
}

func randomValues(rng *rand.Rand, n int) []tensorfmt.Values {
	floats, ints, uints := make([]float64, n), make([]int64, n), make([]uint64, n)
	bools, complexes := make([]bool, n), make([]complex128, n)
	special := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324}
	for i := range n {
		uints[i] = rng.Uint64()
		ints[i], bools[i] = int64(uints[i]), uints[i]%2 == 0
		floats[i] = math.Float64frombits(uints[i])
		if rng.IntN(3) == 0 {
			floats[i] = special[rng.IntN(len(special))]
		}
		complexes[i] = complex(floats[i], floats[rng.IntN(i+1)])
	}
	return []tensorfmt.Values{
		tensorfmt.Floats(floats), tensorfmt.Ints(ints), tensorfmt.Uints(uints),
		tensorfmt.Bools(bools), tensorfmt.Complexes(complexes),
	}
}
