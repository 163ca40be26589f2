package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// lm is a language model whose head may share the embedding's table.
type lm struct {
	nn.Base
	tok  *nn.Embedding
	head *nn.Linear
}

func newLM() *lm {
	m := new(lm)
	m.Init(m)
	m.tok = nn.NewEmbedding(5, 3, m.As("tok"))
	m.head = nn.NewLinear(3, 5, nn.Bias(false), m.As("head"))
	return m
}

func (m *lm) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor { return m.head.Forward(m.tok.Forward(x)) })
}

// Assigning to the field and registering under its name have the same effect, as in Python.
func TestTiedWeights(t *testing.T) {
	for name, tie := range map[string]func(m *lm){
		"field":    func(m *lm) { m.head.Weight = m.tok.Weight },
		"register": func(m *lm) { m.head.RegisterParameter("weight", m.tok.Weight) },
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				m := newLM()
				defer m.Close()
				old := m.head.Weight
				tie(m)
				require.NoError(t, old.Close())
				check := func(m *lm) {
					assert.Same(t, m.tok.Weight, m.head.Weight)
					assert.Len(t, m.Parameters(), 1)
					assert.Equal(t, []string{"tok.weight", "head.weight"}, m.StateDict().Names())
					assert.Same(t, m.tok.Weight, m.StateDict().Get("head.weight"))
				}
				check(m)
				twin := nn.DeepCopy(m).(*lm)
				defer twin.Close()
				check(twin)
				assert.NotSame(t, m.tok.Weight, twin.tok.Weight)

				opt := optim.NewSGD(m.Parameters(), optim.LR(0.1))
				defer opt.Close()
				x := torch.FromSlice([]int64{1, 4})
				m.Forward(x).Sum().Backward()
				// The head uses all rows of the shared table, so row 0 gets a gradient,
				// although x looks up only rows 1 and 4.
				assert.NotZero(t, m.tok.Weight.Grad().Index(0).Abs().Sum().Item())
				before := m.Forward(x).Float32s()
				opt.Step()
				assert.NotEqual(t, before, m.Forward(x).Float32s())
				check(m)
				m.To(torch.Float64)
				check(m)
				assert.Equal(t, torch.Float64, m.Forward(x).DType())
			})
		})
	}
}

// A tensor assigned to a layer's field is listed, moved, saved and copied.
func TestAssignedFields(t *testing.T) {
	scoped(t, func() {
		e := nn.NewEmbedding(2, 2)
		defer e.Close()
		old := e.Weight
		defer old.Close()
		torch.Scope(func() {
			//torchvet:ignore scopeescape the layer takes it out of the scope
			e.Weight = torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2)
			assert.Same(t, e.Weight, e.Parameters()[0])
		})
		assert.False(t, e.Weight.IsClosed(), "the layer owns it")
		assert.True(t, e.Weight.RequiresGrad())
		assert.Contains(t, e.Weight.String(), "Parameter containing:")
		e.To(torch.Float64)
		assert.Equal(t, []float64{3, 4}, e.Forward(torch.FromSlice([]int64{1})).Float64s())
		twin := nn.DeepCopy(e).(*nn.Embedding)
		defer twin.Close()
		assert.Same(t, twin.Weight, twin.StateDict().Get("weight"))
		assert.Equal(t, e.Weight.Float64s(), twin.Weight.Float64s())
		require.NoError(t, twin.Weight.Close())
		twin.Weight = nil
		assert.Empty(t, twin.Parameters())
		require.NoError(t, e.LoadStateDict(nn.StateDict{{Name: "weight", Tensor: torch.Zeros(torch.Shape{2, 2})}}))
		assert.Zero(t, e.Weight.Sum().Item())

		// A frozen parameter stays frozen.
		e.SetRequiresGrad(false)
		other := nn.NewEmbedding(2, 2)
		defer other.Close()
		require.NoError(t, other.Weight.Close())
		other.Weight = e.Weight
		assert.False(t, other.Parameters()[0].RequiresGrad())

		bad := nn.NewLinear(2, 2)
		defer bad.Close()
		first := bad.Weight
		defer first.Close()
		bad.Weight = old.MulScalar(2)
		err := torch.Try(func() { bad.Parameters() })
		require.ErrorIs(t, err, torch.ErrAutograd)
		assert.ErrorContains(t, err, "Linear: argument weight: ")
	})
}

func TestAssignedBuffers(t *testing.T) {
	scoped(t, func() {
		bn := nn.NewBatchNorm1d(2)
		defer bn.Close()
		require.NoError(t, bn.RunningMean.Close())
		bn.RunningMean = torch.FromSlice([]float32{3, 3})
		assert.Equal(t, []float32{3, 3}, bn.StateDict().Get("running_mean").Float32s())
		twin := nn.DeepCopy(bn).(*nn.BatchNorm1d)
		defer twin.Close()
		twin.RunningMean.Zero_()
		assert.Equal(t, []float32{0, 0}, twin.Buffers()[0].Float32s())
		assert.Equal(t, []float32{3, 3}, bn.RunningMean.Float32s())
		bn.To(torch.Float64)
		assert.Equal(t, torch.Float64, bn.RunningMean.DType())
		require.NoError(t, bn.RunningVar.Close())
		bn.RegisterBuffer("running_var", nil)
		assert.Nil(t, bn.RunningVar)
		assert.Len(t, bn.Buffers(), 2)
	})
}

// A removed bias is not used, listed or printed; an added one is.
func TestBiasComesAndGoes(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 1)
		defer l.Close()
		require.NoError(t, l.Bias.Close())
		l.Bias = nil
		assert.Equal(t, "Linear(in_features=2, out_features=1, bias=False)", l.String())
		assert.Equal(t, []string{"weight"}, l.StateDict().Names())
		assert.Zero(t, l.Forward(torch.Zeros(torch.Shape{2})).Item())
		assert.NotContains(t, torch.Try(func() { l.Forward(nil) }).Error(), "bias")
		l.Bias = torch.Ones(torch.Shape{1})
		assert.Equal(t, []string{"weight", "bias"}, l.StateDict().Names())
		assert.Equal(t, "Linear(in_features=2, out_features=1, bias=True)", l.String())
		assert.InDelta(t, 1, l.Forward(torch.Zeros(torch.Shape{2})).Item(), 0)
		c := nn.NewConv1d(1, 1, 2)
		defer c.Close()
		require.NoError(t, c.Bias.Close())
		c.RegisterParameter("bias", nil)
		assert.Nil(t, c.Bias)
		assert.Equal(t, "Conv1d(1, 1, kernel_size=(2,), stride=(1,), bias=False)", c.String())
	})
}

// The fields of a program's own module are plain Go fields, so a tensor assigned to one
// later must be registered.
func TestReassignedFieldsAreFound(t *testing.T) {
	scoped(t, func() {
		loose := nn.NewLinear(2, 2)
		defer loose.Close()
		for name, c := range map[string]struct {
			assign func(m *tower)
			says   string
		}{
			"parameter": {
				func(m *tower) { m.weight = torch.Ones(torch.Shape{2}) },
				`n.weight: is no longer the tensor registered as "w", and only that tensor is trained, moved and ` +
					`saved: assign the new one with n.weight = n.RegisterParameter("w", t)`,
			},
			"nil":    {func(m *tower) { m.weight = nil }, "n.weight: is no longer"},
			"buffer": {func(m *tower) { m.x = torch.Ones(torch.Shape{2}) }, `n.x = n.RegisterBuffer("x", t)`},
			"layer": {
				func(m *tower) { m.optional = loose },
				`n.optional: is no longer the module registered as "spare"`,
			},
			"interface": {
				func(m *tower) { m.nested.deep[0] = loose },
				`n.nested.deep[0]: is no longer the module registered as "deep"`,
			},
			"alias": {func(m *tower) { m.any, m.optional = nil, nil }, ""},
		} {
			m := newTower()
			m.weight = m.RegisterParameter("w", torch.Ones(torch.Shape{2}))
			m.x = m.RegisterBuffer("x", m.x)
			m.nested.deep[0] = nn.NewReLU(m.As("deep"))
			m.optional = nn.NewLinear(1, 1, m.As("spare"))
			if name == "alias" {
				m.any, m.optional = m.fc, m.fc
			}
			m.Parameters()
			c.assign(m)
			err := torch.Try(func() { m.StateDict() })
			if c.says == "" {
				assert.NoError(t, err, name)
			} else if assert.ErrorIs(t, err, torch.ErrValue, name) {
				assert.ErrorContains(t, err, c.says, name)
			}
			assert.NoError(t, m.Close())
			assert.NoError(t, m.teacher.Close())
		}
		a := nn.NewMultiheadAttention(2, 1)
		defer a.Close()
		a.Parameters()
		require.NoError(t, a.OutProj.Close())
		a.OutProj = loose
		assert.Len(t, a.Parameters(), 4)
		assert.Same(t, loose.Weight, a.GetParameter("out_proj.weight"))
	})
}

// Integer parameters have no gradient, so RequiresGrad(false) must be given.
func TestParametersOfIntegers(t *testing.T) {
	ints := func() *torch.Tensor { return torch.Ones(torch.Shape{2, 2}, torch.Int64) }
	for name, fn := range map[string]func(){
		"NewParameter":               func() { nn.NewParameter(ints()) },
		"RegisterParameter":          func() { m := nn.NewSequential(); m.RegisterParameter("ints", ints()) },
		"NewParameterList":           func() { nn.NewParameterList(ints()) },
		"ParameterList.Extend":       func() { nn.NewParameterList().Extend(ints()) },
		"NewEmbeddingFromPretrained": func() { nn.NewEmbeddingFromPretrained(ints(), nn.Freeze(false)) },
		"a field": func() {
			l := nn.NewLinear(2, 2)
			l.Weight.Close()
			l.Bias.Close()
			l.Weight = ints()
			l.Parameters()
		},
	} {
		scoped(t, func() {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrDType, name)
			assert.ErrorContains(t, err, "RequiresGrad(false)", name)
		})
	}
	scoped(t, func() {
		p := nn.NewParameter(ints(), nn.RequiresGrad(false))
		frozen := nn.NewParameter(torch.Ones(torch.Shape{2}), nn.RequiresGrad(false))
		l := nn.NewParameterList(p, frozen)
		assert.Same(t, p, l.At(0))
		assert.Equal(t, torch.Int64, p.DType())
		assert.False(t, frozen.RequiresGrad(), "a parameter stays as it is")
		assert.Contains(t, p.String(), "Parameter containing:")
		twin := nn.DeepCopy(l).(*nn.ParameterList)
		assert.Equal(t, torch.Int64, twin.At(0).DType())
		assert.False(t, twin.At(1).RequiresGrad())
		require.NoError(t, twin.Close())
		require.NoError(t, l.Close())
		e := nn.NewEmbeddingFromPretrained(ints())
		assert.False(t, e.Weight.RequiresGrad())
		require.NoError(t, e.Close())
	})
}
