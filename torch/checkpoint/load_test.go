package checkpoint_test

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// saved saves a state in a new directory, and returns the path of the checkpoint.
func saved(t *testing.T, state checkpoint.State) string {
	t.Helper()
	dir := t.TempDir()
	m := open(t, dir)
	require.NoError(t, m.Save(t.Context(), 5, state, checkpoint.Metrics{"loss": 0.5}))
	require.NoError(t, m.Close())
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	require.Len(t, infos, 1)
	return infos[0].Path
}

type plain struct {
	B      bool
	I      int8
	U      uint64
	F32    float32
	F      float64
	C      complex128
	S      string
	Bytes  []byte
	Nil    []int
	Empty  []int
	List   []float64
	Fixed  [2]int
	Names  map[string][]string
	Counts map[int]float64
	At     time.Time
	P      *float64
	NilP   *float64
	Any    any
	Big    *big.Int
	DType  torch.DType
	Device torch.Device
	Nested struct{ X, Y int }
	T      *torch.Tensor
	Twice  []*torch.Tensor
}

// Plain values keep their types and bits, and nil stays nil.
func TestPlainValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := math.Nextafter(1, 2)
	x := torch.Arange(0, 3)
	defer func() { _ = x.Close() }()
	want := plain{
		B: true, I: -7, U: math.MaxUint64, F32: 0.1, F: math.Copysign(0, -1), C: complex(1, math.Inf(-1)), S: "a\x00ß",
		Bytes: []byte{0, 255},
		Empty: []int{}, List: []float64{math.Pi, math.SmallestNonzeroFloat64}, Fixed: [2]int{1, -2},
		Names: map[string][]string{"x": {"a"}, "": nil}, Counts: map[int]float64{-3: 1},
		At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), P: &f,
		Any: map[string]any{"n": int64(3), "l": []any{1.5, "s", nil, true}, "b": []byte("x")},
		Big: new(big.Int).Lsh(big.NewInt(1), 100), DType: torch.BFloat16, Device: torch.CPU, T: x,
		Twice: []*torch.Tensor{x, x},
	}
	want.Nested.X = 4
	number, word, nan, many := 3, "w", math.NaN(), map[string]any{"deep": map[string]any{"er": []any{}}}
	path := saved(t, checkpoint.State{"plain": &want, "number": &number, "word": &word, "nan": &nan, "many": &many})

	var got plain
	got.Nested.Y = 9
	number, word, nan = 0, "", 0
	old := many
	many = nil
	torch.Scope(func() {
		r, err := checkpoint.Load(path,
			checkpoint.State{"plain": &got, "number": &number, "word": &word, "nan": &nan, "many": &many})
		require.NoError(t, err)
		assert.Equal(t, 5, r.Step)
		assert.Equal(t, map[string]float64{"loss": 0.5}, r.Metrics)
		assert.Equal(t, x.Int64s(), got.T.Int64s(), "the caller's scope owns the tensor")
		assert.Same(t, got.T, got.Twice[1])
	})
	got.T, got.Twice, want.T, want.Twice = nil, nil, nil, nil
	assert.True(t, math.Signbit(got.F))
	assert.True(t, math.IsNaN(nan))
	assert.Equal(t, want, got)
	assert.Equal(t, 3, number)
	assert.Equal(t, "w", word)
	assert.Equal(t, old, many)
}

// A struct may have fields that the file lacks, but the file may not have fields that the
// struct lacks.
func TestStructsChange(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	one := struct{ A, B int }{1, 2}
	path := saved(t, checkpoint.State{"x": &one})
	more := struct{ A, B, C int }{C: 7}
	_, err := checkpoint.Load(path, checkpoint.State{"x": &more})
	require.NoError(t, err)
	assert.Equal(t, struct{ A, B, C int }{1, 2, 7}, more)
	less := struct{ A int }{9}
	_, err = checkpoint.Load(path, checkpoint.State{"x": &less})
	require.ErrorIs(t, err, torch.ErrMismatch)
	assert.ErrorContains(t, err, "'B'")
	assert.Equal(t, 9, less.A)
}

// If a value does not match the type of the variable, the error names the part.
func TestValuesThatDoNotFit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, c := range []struct{ from, to any }{
		{ptr(300), new(int8)},
		{ptr(-1), new(uint)},
		{ptr("x"), new(int)},
		{ptr(1.5), new(int)},
		{ptr(nil), new(int)},
		{ptr([]int{1}), new([2]int)},
		{ptr([]any{1, "x"}), new([]int)},
		{ptr(map[string]int{"x": 1}), new(map[int]int)},
		{ptr("x"), new(time.Time)},
		{ptr("x"), new(bool)},
		{ptr(1), new(string)},
		{ptr("x"), new(float64)},
		{ptr("x"), new(complex128)},
		{ptr("x"), new([]byte)},
		{ptr("x"), new(map[string]int)},
		{ptr("x"), new(struct{ A int })},
		{ptr("x"), new(torch.DType)},
		{ptr("x"), new(*torch.Tensor)},
		{ptr("x"), new(func())},
		{ptr(map[int]int{1: 1}), new(struct{ A int })},
	} {
		path := saved(t, checkpoint.State{"x": c.from})
		_, err := checkpoint.Load(path, checkpoint.State{"x": c.to})
		require.ErrorIs(t, err, torch.ErrMismatch, "%v to %T", c.from, c.to)
		assert.ErrorContains(t, err, `part "x"`)
	}
}

type stateful struct {
	state  map[string]any
	refuse error
}

func (s *stateful) StateDict() map[string]any { return s.state }

func (s *stateful) LoadStateDict(m map[string]any) error {
	if s.refuse != nil {
		return s.refuse
	}
	s.state = m
	return nil
}

// Load supports all kinds of parts, and reports unused entries. It refuses an entry that
// belongs to a different kind of part.
func TestKinds(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torch.NewGenerator(torch.CPU).ManualSeed(3)
	x := torch.Ones(torch.Shape{2, 3}).T()
	defer func() { _ = x.Close() }()
	tensors := nn.StateDict{{Name: "x", Tensor: x}}
	own := &stateful{state: map[string]any{"n": 3, "list": []int{1}}}
	path := saved(t, checkpoint.State{"g": g, "x": x, "tensors": tensors, "own": own})
	draw := func() float64 {
		var v float64
		torch.Scope(func() { v = torch.Rand(torch.Shape{}, g).Item() })
		return v
	}
	first := draw()
	x.Fill_(2)
	own.state = nil
	r, err := checkpoint.Load(path, checkpoint.State{"g": g, "tensors": tensors, "own": own})
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, r.Unused)
	assert.Equal(t, first, draw())
	assert.Equal(t, 1.0, x.Index(2, 1).Item())
	assert.Equal(t, map[string]any{"n": int64(3), "list": []any{int64(1)}}, own.state)

	_, err = checkpoint.Load(path, checkpoint.State{"y": x})
	require.ErrorIs(t, err, torch.ErrNotFound)
	assert.ErrorContains(t, err,
		`there is no part "y"; the parts are ['step', 'metrics', 'g', 'own', 'tensors', 'x', 'rng_state']`)
	small := torch.Zeros(torch.Shape{2})
	defer func() { _ = small.Close() }()
	model := nn.NewLinear(2, 2)
	defer func() { _ = model.Close() }()
	opt := optim.NewSGD(model.Parameters())
	defer func() { _ = opt.Close() }()
	for name, s := range map[string]checkpoint.State{
		"shape":     {"x": small},
		"tensor":    {"g": small},
		"kind":      {"own": small},
		"dict":      {"tensors": nn.StateDict{{Name: "y", Tensor: small}}},
		"fewer":     {"tensors": nn.StateDict{}},
		"module":    {"x": model},
		"optimizer": {"x": opt},
		"empty":     {"own": opt},
		"scheduler": {"x": schedule.NewStepLR(opt, 2)},
		"generator": {"own": g},
		"stateful":  {"x": own},
		"no state":  {"x": g},
	} {
		_, err := checkpoint.Load(path, s)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, path, name)
	}
}

// Load restores the default generators, except with RNG(false).
func TestRNG(t *testing.T) {
	n := 0
	draw := func() float64 {
		var v float64
		torch.Scope(func() { v = torch.Rand(torch.Shape{}).Item() })
		return v
	}
	path := saved(t, checkpoint.State{"n": &n})
	want := draw()
	require.NotEqual(t, want, draw())
	_, err := checkpoint.Load(path, checkpoint.State{"n": &n})
	require.NoError(t, err)
	assert.Equal(t, want, draw())
	other := draw()
	_, err = checkpoint.Load(path, checkpoint.State{"n": &n})
	require.NoError(t, err)
	draw()
	_, err = checkpoint.Load(path, checkpoint.State{"n": &n}, checkpoint.RNG(false))
	require.NoError(t, err)
	assert.Equal(t, other, draw())
}

// If a part fails to load, Load restores the parts that it has already loaded.
func TestAllOrNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	tr := newTraining()
	defer tr.Close()
	own := &stateful{state: map[string]any{}}
	x := torch.Ones(torch.Shape{2})
	defer func() { _ = x.Close() }()
	state := tr.state()
	state["a"], state["x"] = own, x
	tr.run(func(float64) bool { return tr.place.Step < 4 })
	path := saved(t, state)
	tr.run(func(float64) bool { return tr.place.Step < 7 })
	x.Fill_(2)
	own.refuse = errors.New("no")
	other := nn.NewLinear(1, 1)
	defer func() { _ = other.Close() }()
	now := func() (text string) {
		torch.Scope(func() {
			text = tr.model.StateDict().String() + tr.opt.StateDict().String() + tr.sched.StateDict().String() +
				x.String()
			var b bytes.Buffer
			for _, v := range torch.RNGState().Uint8s() {
				b.WriteByte(v)
			}
			text += b.String()
		})
		return text
	}
	before := now()
	_, err := checkpoint.Load(path, state)
	require.ErrorContains(t, err, "no")
	assert.Equal(t, before, now())
	assert.Equal(t, 7, tr.place.Step)
	own.refuse = nil
	state["model"] = other // loaded last
	_, err = checkpoint.Load(path, state)
	require.Error(t, err)
	assert.ErrorContains(t, err, `part "model"`)
	assert.Equal(t, before, now())
	assert.Equal(t, 7, tr.place.Step)
	state["model"] = tr.model
	_, err = checkpoint.Load(path, state)
	require.NoError(t, err)
	assert.NotEqual(t, before, now())
	assert.Equal(t, 4, tr.place.Step)
}

// An optimizer that has loaded a state continues exactly like the optimizer that was saved.
// This holds for every kind of optimizer.
func TestOptimizersAndSchedulers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, every := range optimtest.All() {
		name := every.Name
		// step steps an optimizer. The gradient depends on the values of the parameter.
		step := func(p *torch.Tensor, o optim.Optimizer) {
			torch.Scope(func() {
				closure := func() *torch.Tensor {
					o.ZeroGrad()
					loss := p.PowScalar(4).Sum()
					loss.Backward()
					return loss
				}
				if l, ok := o.(*optim.LBFGS); ok {
					l.StepClosure(closure)
					return
				}
				closure()
				if every.Sparse {
					p.SetGrad(p.Grad().ToSparse(torch.DenseDim(1)))
				}
				o.Step()
			})
		}
		fresh := func() (*torch.Tensor, optim.Optimizer, checkpoint.State) {
			var p *torch.Tensor
			torch.Scope(func() {
				p = torch.Disown(torch.Arange(1, 7).To(torch.Float32).Reshape(3, 2).Clone().RequiresGrad_())
			})
			o := every.New([]*torch.Tensor{p})
			return p, o, checkpoint.State{"p": p, "opt": o}
		}
		p, o, state := fresh()
		step(p, o)
		step(p, o)
		path := saved(t, state)
		step(p, o)
		step(p, o)
		q, again, state := fresh()
		_, err := checkpoint.Load(path, state)
		require.NoError(t, err, name)
		step(q, again)
		step(q, again)
		torch.Scope(func() { assert.Equal(t, p.Float32s(), q.Float32s(), name) })
		_ = o.Close()
		_ = again.Close()
		_ = p.Close()
		_ = q.Close()
	}
}

func TestSchedulers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p := torch.Ones(torch.Shape{2}).RequiresGrad_()
	defer func() { _ = p.Close() }()
	opt := optim.NewSGD([]*torch.Tensor{p}, optim.LR(0.1), optim.Momentum(0.5))
	defer func() { _ = opt.Close() }()
	for name, construct := range map[string]func() schedule.Scheduler{
		"sequence": func() schedule.Scheduler {
			return schedule.NewSequentialLR(opt, []schedule.Scheduler{
				schedule.NewLinearLR(opt, schedule.TotalIters(2)), schedule.NewMultiStepLR(opt, []int{2, 3}),
			}, []int{3})
		},
		"chain": func() schedule.Scheduler {
			return schedule.NewChainedScheduler([]schedule.Scheduler{
				schedule.NewExponentialLR(opt, 0.5), schedule.NewCosineAnnealingLR(opt, 9),
			})
		},
		"cycle": func() schedule.Scheduler { return schedule.NewCyclicLR(opt, 0.1, 0.5) },
		"one":   func() schedule.Scheduler { return schedule.NewOneCycleLR(opt, 1, schedule.TotalSteps(20)) },
	} {
		a := construct()
		path := saved(t, checkpoint.State{"s": a})
		for range 5 {
			opt.Step()
			a.Step()
		}
		later := saved(t, checkpoint.State{"s": a})
		want := a.StateDict()
		b := construct()
		_, err := checkpoint.Load(later, checkpoint.State{"s": b})
		require.NoError(t, err, name)
		assert.Equal(t, want, b.StateDict(), name)
		_, err = checkpoint.Load(path, checkpoint.State{"s": b})
		require.NoError(t, err, name)
		assert.NotEqual(t, want, b.StateDict(), name)
	}
	plateau := schedule.NewReduceLROnPlateau(opt)
	plateau.Step(3)
	path := saved(t, checkpoint.State{"s": plateau})
	_, err := checkpoint.Load(path, checkpoint.State{"s": schedule.NewReduceLROnPlateau(opt)})
	require.NoError(t, err)
	_, err = checkpoint.Load(path, checkpoint.State{"s": schedule.NewStepLR(opt, 2)})
	require.Error(t, err)
}
