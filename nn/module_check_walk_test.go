package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type helper struct {
	fc    *nn.Linear
	scale *torch.Tensor
	owner *attic
}

// ring has fields of all kinds through which a ring can refer to itself.
type ring struct {
	kids   []ring
	byName map[string]any
	next   *ring
	any    any
	fc     *nn.Linear
}

// cell is a module that other modules contain by value, not through a pointer.
type cell struct {
	nn.Base
	fc *nn.Linear
	w  *torch.Tensor
}

func (c *cell) setup(opts ...nn.InitOption) *cell {
	c.Init(c, opts...)
	c.fc = nn.NewLinear(2, 2, c.As("fc"))
	c.w = c.RegisterParameter("w", torch.Ones(torch.Shape{2}))
	return c
}

// attic contains modules in places where the check might miss them.
type attic struct {
	nn.Base
	fc      *nn.Linear
	help    *helper
	any     any
	byName  map[string]helper
	twice   **nn.Linear
	ring    *ring
	in      cell
	cells   [2]cell
	list    []cell
	first   *cell
	middle  []cell
	sgd     *optim.SGD
	hook    *nn.Hook
	self    *attic
	ignored *helper `torch:"-"`
}

func newAttic() *attic {
	m := new(attic)
	m.Init(m)
	m.fc = nn.NewLinear(2, 2, m.As("fc"))
	return m
}

func (m *attic) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor { return m.fc.Forward(x) })
}

func TestForgottenRegistrationIsFoundBehindPointers(t *testing.T) {
	scoped(t, func() {
		loose := nn.NewLinear(2, 2)
		defer loose.Close()
		weight := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		for name, c := range map[string]struct {
			forget func(m *attic)
			says   string
		}{
			"helper": {
				func(m *attic) { m.help = &helper{fc: loose} },
				"n.help.fc: holds a Linear that was never registered",
			},
			"parameter": {
				func(m *attic) { m.help = &helper{scale: weight} },
				"n.help.scale: holds a parameter",
			},
			"helper in an interface": {func(m *attic) { m.any = &helper{fc: loose} }, "n.any.fc: holds a Linear"},
			"value in an interface":  {func(m *attic) { m.any = helper{fc: loose} }, "n.any.fc: holds a Linear"},
			"value in a map": {
				func(m *attic) { m.byName = map[string]helper{"a": {fc: loose}} },
				"n.byName[a].fc: holds a Linear",
			},
			"pointer to a pointer": {func(m *attic) { m.twice = &loose }, "n.twice: holds a Linear"},
			"module by value":      {func(m *attic) { m.in.setup() }, "n.in: holds a cell"},
			"modules by value": {
				func(m *attic) { m.list = make([]cell, 2); m.list[1].setup() },
				"n.list[1]: holds a cell",
			},
			"ring": {func(m *attic) {
				r := &ring{fc: loose}
				r.kids = []ring{{next: r}}
				m.ring = r.kids[0].next
			}, "n.ring.fc: holds a Linear"},
		} {
			for what, use := range map[string]func(m *attic){
				"Forward":    func(m *attic) { m.Forward(torch.Ones(torch.Shape{1, 2})) },
				"Parameters": func(m *attic) { m.Parameters() },
				"StateDict":  func(m *attic) { m.StateDict() },
				"DeepCopy":   func(m *attic) { nn.DeepCopy(m) },
			} {
				m := newAttic()
				c.forget(m)
				err := torch.Try(func() { use(m) })
				require.ErrorIs(t, err, torch.ErrValue, "%s, %s", name, what)
				assert.ErrorContains(t, err, c.says, what)
				assert.NoError(t, m.Close())
				_ = m.in.Close()
				for i := range m.list {
					_ = m.list[i].Close()
				}
			}
		}
	})
}

// A layer assigned after the first Forward is found when parameters or modules are
// listed.
func TestFieldSetLaterIsFound(t *testing.T) {
	scoped(t, func() {
		m := newAttic()
		defer m.Close()
		m.Forward(torch.Ones(torch.Shape{1, 2}))
		loose := nn.NewLinear(2, 2)
		defer loose.Close()
		m.help = &helper{fc: loose}
		for name, use := range map[string]func(){
			"Parameters":   func() { m.Parameters() },
			"Buffers":      func() { m.Buffers() },
			"StateDict":    func() { m.StateDict() },
			"NamedModules": func() { nn.NamedModules(m) },
		} {
			assert.ErrorIs(t, torch.Try(use), torch.ErrValue, name)
		}
	})
}

// The check ignores fields tagged torch:"-", at any depth.
func TestTaggedFieldIsLeftAlone(t *testing.T) {
	scoped(t, func() {
		m := newAttic()
		defer m.Close()
		loose := nn.NewLinear(2, 2)
		defer loose.Close()
		m.ignored = &helper{fc: loose}
		m.Forward(torch.Ones(torch.Shape{1, 2}))
		assert.Len(t, m.Parameters(), 2)
	})
}

// The check ends even if values refer to themselves, and copies of such values have the
// same structure.
func TestFieldsThatHoldThemselves(t *testing.T) {
	scoped(t, func() {
		m := newAttic()
		defer m.Close()
		r := &ring{kids: make([]ring, 1), byName: map[string]any{}}
		r.kids[0].kids, r.byName["self"], r.next = r.kids, r.byName, r
		self := make([]any, 1)
		self[0] = self
		r.any = self
		for range 1 << 12 { // a list so long that recursion over it could overflow the stack
			r = &ring{next: r}
		}
		m.ring, m.self = r, m
		m.help = &helper{fc: m.fc, owner: m}
		m.sgd = optim.NewSGD([]*torch.Tensor{torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(0.1))
		m.hook = nn.NewReLU().RegisterForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
			return nil
		})
		m.Forward(torch.Ones(torch.Shape{1, 2}))
		require.Len(t, m.Parameters(), 2)

		m.sgd, m.hook = nil, nil
		c := nn.DeepCopy(m).(*attic)
		defer c.Close()
		assert.Same(t, c, c.self)
		assert.Same(t, c, c.help.owner)
		assert.Same(t, c.fc, c.help.fc)
		last := c.ring
		for last.next != last {
			last = last.next
		}
		assert.Same(t, &last.kids[0], &last.kids[0].kids[0])
		assert.Contains(t, last.byName["self"], "self")
		list := last.any.([]any)
		assert.Same(t, &list[0], &list[0].([]any)[0])
	})
}

// If a field contains a module by value, the copy's field contains the module's copy.
func TestDeepCopyOfModulesByValue(t *testing.T) {
	scoped(t, func() {
		m := newAttic()
		defer m.Close()
		m.in.setup(m.As("in"))
		m.cells[0].setup(m.As("cell0"))
		m.cells[1].setup(m.As("cell1"))
		m.list = make([]cell, 3)
		for i, name := range []string{"a", "b", "c"} {
			m.list[i].setup(m.As(name))
		}
		m.first, m.middle = &m.list[0], m.list[1:2]
		c := nn.DeepCopy(m).(*attic)
		defer c.Close()
		for name, want := range map[string]*cell{
			"in": &c.in, "cell0": &c.cells[0], "cell1": &c.cells[1], "a": &c.list[0], "b": &c.list[1], "c": &c.list[2],
		} {
			assert.Same(t, want, c.Get(name), name)
			assert.Same(t, want.fc, c.Get(name+".fc"), name)
			assert.Same(t, want.w, c.StateDict().Get(name+".w"), name)
			assert.NotSame(t, want.w, m.StateDict().Get(name+".w"), name)
		}
		assert.Same(t, &c.list[0], c.first)
		assert.Same(t, &c.list[1], &c.middle[0])
		assert.Equal(t, m.String(), c.String())
	})
}

// adapter embeds one layer and contains another, without registering it.
type adapter struct {
	*nn.Linear
	a *nn.Linear
}

func (l *adapter) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor { return l.Linear.Forward(x).Add(l.a.Forward(x)) })
}

func TestInitForgottenIsFoundEverywhere(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 2})
		a := &adapter{nn.NewLinear(2, 2), nn.NewLinear(2, 2)}
		defer a.Linear.Close()
		defer a.a.Close()
		for name, fn := range map[string]func(){
			"Call":         func() { a.Forward(x) },
			"DeepCopy":     func() { nn.DeepCopy(a) },
			"NamedModules": func() { nn.NamedModules(a) },
			"Apply":        func() { nn.Apply(a, func(nn.Module) {}) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrValue, name)
		}
		p := new(plain)
		for name, fn := range map[string]func(){
			"Parameters":       func() { p.Parameters() },
			"Buffers":          func() { p.Buffers() },
			"StateDict":        func() { p.StateDict() },
			"To":               func() { p.To(torch.Float64) },
			"ZeroGrad":         func() { p.ZeroGrad() },
			"SetRequiresGrad":  func() { p.SetRequiresGrad(true) },
			"DeepCopy":         func() { nn.DeepCopy(p) },
			"Modules":          func() { nn.Modules(p) },
			"Apply":            func() { nn.Apply(p, func(nn.Module) {}) },
			"layer as literal": func() { new(nn.Linear).Parameters() },
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "call n.Init(n) first", name)
		}
		assert.ErrorIs(t, p.LoadStateDict(nil), torch.ErrNil)
		assert.NoError(t, p.Close())
	})
}

func TestNilModulesAndFunctions(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 2})
		m := newAttic()
		defer m.Close()
		for name, fn := range map[string]func(){
			"Modules":            func() { nn.Modules(nil) },
			"NamedModules":       func() { nn.NamedModules((*nn.Linear)(nil)) },
			"Apply":              func() { nn.Apply(nil, func(nn.Module) {}) },
			"Apply without fn":   func() { nn.Apply(m, nil) },
			"DeepCopy":           func() { nn.DeepCopy(new(adapter)) },
			"Call without fn":    func() { m.Call(x, nil) },
			"CallN without fn":   func() { m.CallN(nil, nil) },
			"Remove":             func() { (*nn.Hook)(nil).Remove() },
			"Append of an empty": func() { nn.NewModuleList().Append(new(adapter)) },
		} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
		}
		assert.ErrorContains(t, torch.Try(func() { nn.Modules(nil) }), "torch: Modules: argument root")
	})
}
