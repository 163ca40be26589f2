package nn_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested returns n nested Sequentials.
func nested(n int) *nn.Sequential {
	s := nn.NewSequential()
	for range n {
		s = nn.NewSequential(s)
	}
	return s
}

// wrapper is a program's own module.
type wrapper struct {
	nn.Base
	inner nn.Module
}

func wrapped(n int) nn.Module {
	var m nn.Module = nn.NewReLU()
	for range n {
		w := &wrapper{inner: m}
		w.Init(w)
		w.Register("inner", m)
		m = w
	}
	return m
}

// allocated returns the bytes that fn allocates.
func allocated(fn func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

func TestWorkGrowsWithTheTree(t *testing.T) {
	const n = 500
	grows := func(name string, most float64, work func(n int) func()) {
		t.Run(name, func(t *testing.T) {
			small, large := work(n), work(8*n)
			assert.Less(t, allocated(large), 8*most*allocated(small))
		})
	}
	made := map[string]func(n int) nn.Module{
		"nested":      func(n int) nn.Module { return nested(n) },
		"of programs": wrapped,
		"lists": func(n int) nn.Module {
			l := nn.NewModuleList()
			for range n {
				l = nn.NewModuleList(l)
			}
			return l
		},
		"dictionaries": func(n int) nn.Module {
			d := nn.NewModuleDict()
			for range n {
				d = nn.NewModuleDict().Add("d", d)
			}
			return d
		},
		"wide": func(n int) nn.Module {
			s := nn.NewSequential()
			for range n {
				s.Append(nn.NewReLU())
			}
			return s
		},
		"downward": func(n int) nn.Module {
			root := nn.NewSequential()
			for s := root; n > 0; n-- {
				next := nn.NewSequential()
				s.Append(next)
				s = next
			}
			return root
		},
	}
	for name, make := range made {
		grows("build "+name, 1.5, func(n int) func() { return func() { make(n) } })
		grows("check "+name, 1.5, func(n int) func() {
			m := make(n)
			return func() { m.Parameters(); m.Train(); m.ZeroGrad(); m.To(torch.Float32) }
		})
		t.Run("print "+name, func(t *testing.T) {
			m := make(8 * n)
			// In the printed form of a deep tree, the indentation takes most of the
			// space.
			text := float64(len(m.String()))
			assert.Less(t, allocated(func() { _ = m.String() }), 2*text+8*1000*n)
		})
	}
}

func TestNamesOfManyStayRight(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	l, d, p := nn.NewModuleList(), nn.NewModuleDict(), nn.NewParameterDict()
	defer func() { _ = p.Close() }()
	var params []*torch.Tensor
	for step := range 600 {
		switch n := l.Len(); {
		case n < 20 || random.IntN(3) > 0:
			l.Insert(random.IntN(n+1), nn.NewReLU())
		case random.IntN(2) == 0:
			l.Pop(random.IntN(n))
		default:
			l.Set(random.IntN(n), nn.NewReLU())
		}
		name := strconv.Itoa(random.IntN(100))
		switch {
		case !d.Has(name):
			d.Add(name, nn.NewReLU())
			q := torch.Disown(torch.Zeros(torch.Shape{1}))
			//torchvet:ignore growing they are closed at the end
			params = append(params, q)
			p.Add(name, q)
		case random.IntN(3) > 0:
			d.Pop(name)
			p.Pop(name)
		case random.IntN(2) == 0:
			d.Unregister(name)
			p.Unregister(name)
		default:
			d.Add(name, nn.NewReLU())
		}
		for i, c := range l.Children() {
			require.Equal(t, strconv.Itoa(i), c.Name)
			require.Same(t, c.Module, l.Get(c.Name), "step %d", step)
		}
		require.Nil(t, l.Get(strconv.Itoa(l.Len())))
		for i := range 100 {
			name := strconv.Itoa(i)
			var want nn.Module
			for _, c := range d.Children() {
				if c.Name == name {
					want = c.Module
				}
			}
			require.Equal(t, want, d.Get(name), "step %d", step)
			require.Equal(t, want != nil, p.Has(name), "step %d", step)
		}
		for _, n := range p.NamedParameters() {
			require.Same(t, n.Tensor, p.At(n.Name))
		}
	}
	for _, q := range params {
		_ = q.Close()
	}
}

func refuses(t *testing.T, text string, fn func()) {
	t.Helper()
	err := torch.Try(fn)
	require.ErrorIs(t, err, torch.ErrValue)
	assert.ErrorContains(t, err, text)
}

func TestCyclesAreStillRefused(t *testing.T) {
	root := nested(100)
	inner := root
	for inner.Len() > 0 {
		inner = inner.At(0).(*nn.Sequential)
	}
	refuses(t, "contains this module", func() { inner.Append(root) })
	refuses(t, "cannot be its own child", func() { root.Append(root) })
	refuses(t, "contains this module", func() { inner.Insert(0, root) })
	a, b := nn.NewSequential(), nn.NewSequential()
	a.Append(b)
	copied := nn.DeepCopy(a).(*nn.Sequential)
	refuses(t, "contains this module", func() { copied.At(0).(*nn.Sequential).Append(copied) })
	b.Append(copied) // allowed: copied is the root of another tree, which does not contain b
	assert.Equal(t, 3, strings.Count(a.String(), "Sequential(\n"))
}

// shouting has its own String, which differs from the String of the embedded module.
type shouting struct{ nn.Sequential }

func (s *shouting) String() string { return "LOUD\n  " + s.Sequential.String() }

// quiet inherits the String of shouting.
type quiet struct{ shouting }

func TestStringOfTheProgramIsPrinted(t *testing.T) {
	s, q := new(shouting), new(quiet)
	s.Init(s)
	q.Init(q)
	q.Append(nn.NewReLU())
	list := nn.NewModuleList(s, nn.NewReLU(), nn.NewReLU(), q, nn.NewModuleList(nn.NewReLU()),
		nn.NewModuleList(nn.NewReLU()))
	assert.Equal(t, `Sequential(
  (0): Sequential(
    (list): ModuleList(
      (0): LOUD
        shouting()
      (1-2): 2 x ReLU()
      (3): LOUD
        quiet(
        (0): ReLU()
      )
      (4-5): 2 x ModuleList(
        (0): ReLU()
      )
    )
  )
)`, fmt.Sprint(nn.NewSequential(func() nn.Layer { s := nn.NewSequential(); s.Register("list", list); return s }())))
}
