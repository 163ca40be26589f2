package functional_test

import (
	"maps"
	"math"
	"path"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/torch"
)

// A variant is an option, the same option with a different value, and the expected result
// with the first value.
type variant[O any] struct {
	given, other O
	want         func() *torch.Tensor
}

// allocating are the options that need more allocations in Go than a call without them: they
// take more operators, or shapes are read.
var allocating = map[string]bool{
	"HuberLoss.Weight": true, "L1Loss.Weight": true, "MSELoss.Weight": true, "EmbeddingBag.PerSampleWeights": true,
	"TripletMarginWithDistanceLoss.DistanceFunction": true,
	"MultiHeadAttentionForward.AttnMask":             true, "MultiHeadAttentionForward.KeyPaddingMask": true,
	"MultiHeadAttentionForward.StaticK": true, "MultiHeadAttentionForward.StaticV": true,
}

// A member holds the tests of a function with options.
type member struct {
	options map[string]bool // the types of the options in its variants
	check   func(t *testing.T)
}

// rowOf returns a member for call, whose options all have type O.
func rowOf[O any](call func(...O) *torch.Tensor, variants ...variant[O]) member {
	options := map[string]bool{}
	for _, v := range variants {
		options[reflect.TypeOf(v.given).Name()] = true
	}
	return member{options: options, check: func(t *testing.T) {
		cost := func(opts ...O) float64 {
			return optiontest.LeastAllocations(func() { torch.Scope(func() { call(opts...) }) })
		}
		plain := math.Inf(1) // for functions that need one of several options
		_ = torch.Try(func() { plain = cost() })
		for _, v := range variants {
			scoped(t, func() {
				name := reflect.TypeOf(v.given).Name()
				want := v.want()
				same(t, want, call(v.given), "%s alone: %v", name, v.given)
				same(t, want, call(v.other, v.given), "%s: the last of %v, %v counts", name, v.other, v.given)
				var none O
				require.ErrorIs(t, torch.Try(func() { call(v.given, none) }), torch.ErrNil, "a nil option after %s",
					name)
				require.ErrorIs(t, torch.Try(func() { call(none, v.given) }), torch.ErrNil, "a nil option before %s",
					name)
				pointer := optiontest.Pointer(v.given).(O)
				require.ErrorIs(t, torch.Try(func() { call(pointer) }), torch.ErrValue, "a pointer to %s", name)
				if !sanitized.On && !allocating[path.Base(t.Name())+"."+name] {
					assert.LessOrEqual(t, cost(v.given), plain, "%s allocates", name)
				}
			})
		}
	}}
}

func same(t *testing.T, want, got *torch.Tensor, message string, args ...any) {
	t.Helper()
	args = append([]any{message}, args...)
	require.Equal(t, want.Shape(), got.Shape(), args...)
	require.Equal(t, want.DType(), got.DType(), args...)
	require.True(t, want.Equal(got), args...)
}

// Each option works alone, and if an option is given twice, the last one counts. A nil
// option or a pointer to an option panics. A call allocates no more in Go with the option than
// without, unless the option is in allocating.
func TestOptions(t *testing.T) {
	torch.Scope(func() {
		members := members()
		for name, m := range members {
			t.Run(name, m.check)
		}
	})
}

// Every function with options is in members, and every member tests all options of its
// function.
func TestRegistryIsComplete(t *testing.T) {
	source := optiontest.Read(t, ".", "../../internal/opt")
	torch.Scope(func() {
		table := map[string][]string{}
		for name, m := range members() {
			table[name] = slices.Collect(maps.Keys(m.options))
		}
		source.Complete(t, table)
	})
}

// Options whose value is a variable stay on the caller's stack.
func TestOptionsDoNotEscape(t *testing.T) {
	optiontest.Read(t, ".", "../../internal/opt").DoNotEscape(t, "F", "github.com/gotorch/gotorch/nn/functional",
		map[string]string{
			"DistanceFunction": "F.DistanceFunction(nil)", "DType": "F.DType(torch.DType(i))",
			"Threshold": "F.WithThreshold(f)",
		}, func(string) bool { return false })
}

// join combines several calls into one member.
func join(parts ...member) member {
	all := member{options: map[string]bool{}}
	for _, p := range parts {
		for o := range p.options {
			all.options[o] = true
		}
	}
	all.check = func(t *testing.T) {
		for _, p := range parts {
			p.check(t)
		}
	}
	return all
}

// An option of another function does not compile, and neither does a plain number.
func TestForeignOptionsDoNotCompile(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "F github.com/gotorch/gotorch/nn/functional"},
		Decls:   "var x, y *torch.Tensor",
	}
	s.Accepts(t,
		"F.MSELoss(x, y, F.ReductionSum)",
		`F.MSELoss(x, y, F.Reduction("sum"))`,
		"F.Conv2d(x, y, nil, F.Stride(2), F.Paddings{1, 0}, F.Groups(2))",
		"F.Conv2d(x, y, nil, F.PaddingSame)",
		"F.CrossEntropy(x, y, F.Weight(x), F.IgnoreIndex(0))",
	)
	s.Rejects(t,
		"F.MSELoss(x, y, 1)",
		`F.MSELoss(x, y, "sum")`,
		"F.MSELoss(x, y, F.Beta(1))",
		"F.CrossEntropy(x, y, F.PosWeight(x))",
		"F.NLLLoss(x, y, F.LabelSmoothing(0.1))",
		"F.Conv2d(x, y, nil, 2)",
		"F.Conv2d(x, y, nil, F.OutputPadding(1))",
		"F.ConvTranspose2d(x, y, nil, F.PaddingSame)",
		"F.MaxPool2d(x, 2, F.CountIncludePad(true))",
		"F.MaxPool2d(x, 2, F.PaddingSame)",
		"F.AvgPool2d(x, 2, F.Dilation(2))",
		"F.Softmax(x, 1, torch.Float64)",
		"F.ReLU(x, F.Alpha(1))",
		"F.LayerNorm(x, torch.Shape{1}, nil, nil, 1e-5)",
		"F.LayerNorm(x, torch.Shape{1}, nil, nil, F.Momentum(0.1))",
		"F.Dropout(x, 0.5)",
	)
}
