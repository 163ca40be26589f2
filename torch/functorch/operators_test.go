package functorch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/linalg"
	"github.com/gotorch/gotorch/torchtest"
)

// operator is an operator, called with the tensors of one example.
type operator struct {
	args string
	call func(x ...*torch.Tensor) *torch.Tensor
}

// operators are the operators of testdata/make_goldens.py.
var operators = map[string]operator{
	"exp":      {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Exp() }},
	"sin":      {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sin() }},
	"tanh":     {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Tanh() }},
	"sigmoid":  {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sigmoid() }},
	"relu":     {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].ReLU() }},
	"gelu":     {"x", func(x ...*torch.Tensor) *torch.Tensor { return F.GELU(x[0]) }},
	"softplus": {"x", func(x ...*torch.Tensor) *torch.Tensor { return F.Softplus(x[0]) }},
	"log1p":    {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Abs().Log1p() }},
	"sqrt":     {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Abs().Sqrt() }},
	"pow":      {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].PowScalar(3) }},
	"add":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Add(x[1]) }},
	"sub":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sub(x[1]) }},
	"mul":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Mul(x[1]) }},
	"div":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Div(x[1]) }},
	"dot":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Dot(x[1]) }},
	"outer":    {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Outer(x[1]) }},
	"mv":       {"sq x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Mv(x[1]) }},
	"matmul":   {"sq m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].MatMul(x[1]) }},
	"bmm":      {"img", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Bmm(x[0]) }},
	"einsum":   {"sq m", func(x ...*torch.Tensor) *torch.Tensor { return torch.Einsum("ij,jk->ki", x...) }},
	"sum":      {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sum(torch.Dim(1)) }},
	"mean": {"m", func(x ...*torch.Tensor) *torch.Tensor {
		return x[0].Mean(torch.Dim(0), torch.KeepDim(true))
	}},
	"var":         {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Var(torch.Dim(1)) }},
	"std":         {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Std(torch.Dim(0)) }},
	"amax":        {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Amax(torch.Dim(1)) }},
	"max":         {"m", func(x ...*torch.Tensor) *torch.Tensor { return first(x[0].MaxDim(0)) }},
	"argmax":      {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].ArgMax(torch.Dim(1)) }},
	"cumsum":      {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].CumSum(1) }},
	"cumprod":     {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].CumProd(0) }},
	"softmax":     {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Softmax(1) }},
	"log_softmax": {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].LogSoftmax(0) }},
	"logsumexp":   {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].LogSumExp(torch.Dim(1)) }},
	"norm":        {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Norm() }},
	"sort":        {"x", func(x ...*torch.Tensor) *torch.Tensor { return first(x[0].Sort()) }},
	"topk":        {"m", func(x ...*torch.Tensor) *torch.Tensor { return first(x[0].TopK(2)) }},
	"flip":        {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Flip(0, 1) }},
	"roll":        {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Roll([]int64{1}, []int64{1}) }},
	"transpose":   {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Transpose(0, 1) }},
	"permute":     {"img", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Permute(2, 0, 1) }},
	"reshape":     {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Reshape(5, 3) }},
	"unsqueeze":   {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Unsqueeze(1) }},
	"squeeze":     {"m", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Index(torch.SliceTo(1)).Squeeze() }},
	"cat": {"x w", func(x ...*torch.Tensor) *torch.Tensor {
		return torch.Cat([]*torch.Tensor{x[0], x[1], x[0]})
	}},
	"stack": {"x w", func(x ...*torch.Tensor) *torch.Tensor { return torch.Stack(x, 1) }},
	"slice": {"m", func(x ...*torch.Tensor) *torch.Tensor {
		return x[0].Index(torch.SliceFrom(1), torch.SliceStep(0, torch.End, 2))
	}},
	"gather":       {"m idx", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Gather(1, x[1].Unsqueeze(1)) }},
	"index_select": {"m idx", func(x ...*torch.Tensor) *torch.Tensor { return x[0].IndexSelect(0, x[1]) }},
	"index":        {"m idx", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Index(x[1]) }},
	"where":        {"x mask", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Where(x[1], 0.5) }},
	"masked_fill":  {"x mask", func(x ...*torch.Tensor) *torch.Tensor { return x[0].MaskedFill(x[1], 2.0) }},
	"scatter_add":  {"x idx w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].ScatterAdd(0, x[1], x[2]) }},
	"clamp":        {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Clamp(-0.5, 0.5) }},
	"tril":         {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Tril() }},
	"triu":         {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Triu(1) }},
	"diagonal":     {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Diagonal() }},
	"trace":        {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Trace() }},
	"expand":       {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Expand(2, 3) }},
	"repeat":       {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Repeat(2, 2) }},
	"unfold":       {"x", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Unfold(0, 2, 1) }},
	"det":          {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Det() }},
	"inverse":      {"sq", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Inverse() }},
	"solve":        {"sq m", func(x ...*torch.Tensor) *torch.Tensor { return linalg.Solve(x[0], x[1]) }},
	"linear":       {"x m", func(x ...*torch.Tensor) *torch.Tensor { return F.Linear(x[0], x[1].T(), nil) }},
	"conv2d": {"img ker", func(x ...*torch.Tensor) *torch.Tensor {
		return F.Conv2d(x[0].Unsqueeze(0), x[1], nil)
	}},
	"max_pool2d": {"img", func(x ...*torch.Tensor) *torch.Tensor { return F.MaxPool2d(x[0].Unsqueeze(0), 2) }},
	"avg_pool2d": {"img", func(x ...*torch.Tensor) *torch.Tensor { return F.AvgPool2d(x[0].Unsqueeze(0), 2) }},
	"layer_norm": {"m", func(x ...*torch.Tensor) *torch.Tensor {
		return F.LayerNorm(x[0], torch.Shape{5}, nil, nil)
	}},
	"group_norm": {"img", func(x ...*torch.Tensor) *torch.Tensor {
		return F.GroupNorm(x[0].Unsqueeze(0), 2, nil, nil)
	}},
	"embedding": {"tab idx", func(x ...*torch.Tensor) *torch.Tensor { return F.Embedding(x[1], x[0]) }},
	"attention": {"m", func(x ...*torch.Tensor) *torch.Tensor {
		return F.ScaledDotProductAttention(x[0], x[0], x[0])
	}},
	"pad":           {"m", func(x ...*torch.Tensor) *torch.Tensor { return F.Pad(x[0], []int64{1, 2}) }},
	"one_hot":       {"idx", func(x ...*torch.Tensor) *torch.Tensor { return F.OneHot(x[0], F.NumClasses(3)) }},
	"mse_loss":      {"x w", func(x ...*torch.Tensor) *torch.Tensor { return F.MSELoss(x[0], x[1]) }},
	"cross_entropy": {"x label", func(x ...*torch.Tensor) *torch.Tensor { return F.CrossEntropy(x[0], x[1]) }},
	"add_":          {"x w", func(x ...*torch.Tensor) *torch.Tensor { return x[0].Clone().Add_(x[1]) }},
}

func first(values, _ *torch.Tensor) *torch.Tensor { return values }

// goldens are the contents of testdata/goldens.json.
type goldens struct {
	inputs    map[string]torchtest.Value
	operators map[string]map[string]torchtest.Value
	nested    map[string][]torchtest.Value
}

func load(t *testing.T) (g goldens) {
	t.Helper()
	all := torchtest.LoadGoldens(t, "testdata/goldens.json")
	all.Decode("inputs", &g.inputs)
	all.Decode("operators", &g.operators)
	all.Decode("nested", &g.nested)
	return g
}

func (g goldens) input(t *testing.T, names string) []*torch.Tensor {
	t.Helper()
	var in []*torch.Tensor
	for _, name := range strings.Fields(names) {
		in = append(in, tensor(t, g.inputs[name]))
	}
	return in
}

func tensor(t *testing.T, v torchtest.Value) *torch.Tensor {
	t.Helper()
	x, err := v.Tensor()
	require.NoError(t, err)
	return x
}

var rounding = torchtest.Rounding(64, torch.Float64)

// For every operator, VMap, VMap of Grad and VMap of JVP equal Python's.
func TestOperators(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	assert.Len(t, operators, len(g.operators))
	for name, want := range g.operators {
		op, ok := operators[name]
		if !assert.True(t, ok, name) {
			continue
		}
		torch.Scope(func() {
			in := g.input(t, op.args)
			fn := functorch.OfMany(op.call)
			assert.True(t, torchtest.AllClose(t, tensor(t, want["y"]), functorch.VMap(fn).One(in...), rounding), name)
			if _, ok := want["grad"]; !ok {
				return
			}
			loss := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return op.call(x...).Sin().Sum() })
			assert.True(t,
				torchtest.AllClose(t, tensor(t, want["grad"]), functorch.VMap(functorch.Grad(loss)).One(in...),
					rounding), name)
			along := functorch.VMap(func(x ...*torch.Tensor) []*torch.Tensor {
				by := functorch.OfMany(func(a ...*torch.Tensor) *torch.Tensor {
					return op.call(append(a, x[1:]...)...)
				})
				_, d := functorch.JVP(by, x[:1], []*torch.Tensor{x[0].Cos()})
				return d
			})
			assert.True(t, torchtest.AllClose(t, tensor(t, want["jvp"]), along.One(in...), rounding), name)
		})
	}
}
