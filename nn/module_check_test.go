package nn_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// tower has all kinds of fields that can hold layers.
type tower struct {
	nn.Base
	fc       *nn.Linear
	byName   map[string]nn.Layer
	nested   struct{ deep [1]nn.Module }
	weight   *torch.Tensor
	any      any
	teacher  *nn.Linear `torch:"-"`
	optional *nn.Linear // never made
	numbers  []float64
	x        *torch.Tensor // not a parameter
}

func (m *tower) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor { return m.fc.Forward(x) })
}

func newTower() *tower {
	m := new(tower)
	m.Init(m)
	m.fc = nn.NewLinear(2, 2, m.As("fc"))
	m.teacher = nn.NewLinear(2, 2)
	m.numbers = make([]float64, 10)
	m.x = torch.Ones(torch.Shape{1, 2})
	return m
}

// An unregistered layer is an error, because without the error it would not be trained.
func TestForgottenRegistrationIsFound(t *testing.T) {
	scoped(t, func() {
		loose := nn.NewLinear(2, 2)
		defer loose.Close()
		for name, c := range map[string]struct {
			forget func(m *tower)
			field  string
		}{
			"map": {
				func(m *tower) { m.byName = map[string]nn.Layer{"a": loose} },
				`put the elements into nn.NewModuleDict().Add(...).In(n, "by_name") as well`,
			},
			"nested": {func(m *tower) { m.nested.deep[0] = loose }, "n.nested.deep[0]: holds a Linear"},
			"tensors": {func(m *tower) {
				m.any = []*torch.Tensor{torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))}
			}, "n.any[0]: holds a parameter that was never registered, so that nothing trains, moves or saves it: " +
				`put the elements into nn.NewParameterList(...).In(n, "any")`},
			"interface": {func(m *tower) { m.any = loose }, "n.any: holds a Linear"},
			"parameter": {
				func(m *tower) { m.weight = torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)) },
				"n.weight: holds a parameter that was never registered",
			},
		} {
			for what, use := range map[string]func(m *tower){
				"Forward":      func(m *tower) { m.Forward(m.x) },
				"Parameters":   func(m *tower) { m.Parameters() },
				"StateDict":    func(m *tower) { m.StateDict() },
				"NamedModules": func(m *tower) { nn.NamedModules(m) },
				"in a parent":  func(m *tower) { nn.NewSequential(m).Parameters() },
			} {
				m := newTower()
				c.forget(m)
				err := torch.Try(func() { use(m) })
				require.ErrorIs(t, err, torch.ErrValue, "%s, %s", name, what)
				assert.ErrorContains(t, err, c.field, what)
				assert.NoError(t, m.Close())
				assert.NoError(t, m.teacher.Close())
			}
		}
	})
}

func TestRegisteredFieldsAreFine(t *testing.T) {
	scoped(t, func() {
		m := newTower()
		defer m.Close()
		defer m.teacher.Close()
		m.Forward(m.x)

		// The check runs again for layers that are added later.
		other := nn.NewLinear(2, 2)
		m.byName = map[string]nn.Layer{"other": other}
		require.ErrorIs(t, torch.Try(func() { m.Parameters() }), torch.ErrValue)
		nn.NewModuleDict().Add("other", other).In(m, "by_name")
		m.weight = m.RegisterParameter("weight", torch.Ones(torch.Shape{2}))
		m.any = m
		m.Forward(m.x)
		assert.Len(t, m.Parameters(), 5)

		// Tensors outside of modules may require gradients without being registered.
		x := torch.Ones(torch.Shape{1, 2}, torch.RequiresGrad(true))
		m.Forward(x).Sum().Backward()
		assert.NotNil(t, x.Grad())
	})
}

// plain embeds Base without calling Init.
type plain struct{ nn.Base }

func (p *plain) Forward(x *torch.Tensor) *torch.Tensor {
	return p.Call(x, func(x *torch.Tensor) *torch.Tensor { return x })
}

// byValue embeds a Linear itself, not a pointer to a Linear.
type byValue struct{ nn.Linear }

func TestInitForgotten(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1})
		p, q := new(plain), new(plain)
		parent := nn.NewModuleList()
		copied, original := new(byValue), nn.NewLinear(3, 2)
		defer original.Close()
		reflect.ValueOf(&copied.Linear).Elem().Set(reflect.ValueOf(original).Elem()) // a copy of *original
		wrapped := &lora{Linear: nn.NewLinear(3, 2)}
		defer wrapped.Close()
		for name, c := range map[string]struct {
			fn   func()
			says string
		}{
			"Call": {
				func() { p.Forward(x) },
				"call n.Init(n) first, like super().__init__() (in (*plain).Forward)",
			},
			"CallN":             {func() { p.CallN(nil, nil) }, "call n.Init(n) first"},
			"As":                {func() { p.As("a") }, "call n.Init(n) first"},
			"Register":          {func() { p.Register("a", nn.NewReLU()) }, "call n.Init(n) first"},
			"RegisterParameter": {func() { p.RegisterParameter("a", x) }, "call n.Init(n) first"},
			"RegisterBuffer":    {func() { p.RegisterBuffer("a", x) }, "call n.Init(n) first"},
			"hook":              {func() { p.RegisterForwardHook(nil) }, "call n.Init(n) first"},
			"as a child":        {func() { parent.Append(p) }, `module "0", a plain, was never initialized`},
			"of an embedder":    {func() { parent.Append(wrapped) }, `module "0" is a lora that embeds a Linear`},
			"of another":        {func() { p.Init(q) }, "the plain does not embed this Base"},
			"copied":            {func() { copied.Init(copied) }, "the byValue contains a Linear by value"},
			"literal":           {func() { new(nn.ReLU).Forward(x) }, "make it with nn.NewReLU"},
			"literal of a part": {
				func() { new(nn.Linear).Parameters() },
				"make a layer with its constructor, such as nn.NewLinear",
			},
		} {
			err := torch.Try(c.fn)
			kind := torch.ErrValue
			if strings.HasPrefix(c.says, "call n.Init") || strings.HasPrefix(c.says, "make ") {
				kind = torch.ErrNil
			}
			require.ErrorIs(t, err, kind, name)
			assert.ErrorContains(t, err, c.says, name)
		}
		assert.ErrorIs(t, torch.Try(func() { p.Init(nil) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { p.Init(p, nil) }), torch.ErrNil)
		assert.Empty(t, parent.Children())
		assert.Equal(t, "Base()", p.String())
	})
}

func TestModulesDoNotFormACycle(t *testing.T) {
	a, b := nn.NewModuleList(), nn.NewModuleList()
	a.Append(b)
	assert.ErrorIs(t, torch.Try(func() { b.Append(a) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { b.Append(b) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { b.In(nil, "a") }), torch.ErrNil)
	assert.Empty(t, b.Children())
}

// An error names the called function, not the function that found the mistake.
func TestErrorsNameTheConstructor(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		defer x.Close()
		computed := x.MulScalar(2)
		m := new(holder)
		m.Init(m)
		for says, fn := range map[string]func(){
			"NewSequential: argument layers[1]":     func() { nn.NewSequential(nn.NewReLU(), nil) },
			"NewModuleList: argument modules[0]":    func() { nn.NewModuleList(nil) },
			"Sequential.Append: argument l":         func() { nn.NewSequential().Append(nil) },
			"Sequential.Add: argument l":            func() { nn.NewSequential().Add("a", nil) },
			"ModuleList.Append: argument m":         func() { nn.NewModuleList().Append(nil) },
			"ModuleDict.Add: argument m":            func() { nn.NewModuleDict().Add("a", nil) },
			"RegisterParameter: argument t":         func() { m.RegisterParameter("w", computed) },
			"NewParameter: argument t":              func() { nn.NewParameter(computed) },
			"NewParameterList: argument params[0]":  func() { nn.NewParameterList(computed) },
			"NewParameterList: argument params[1] ": func() { nn.NewParameterList(torch.Disown(x), nil) },
		} {
			assert.ErrorContains(t, torch.Try(fn), "torch: "+says)
		}
	})
}
