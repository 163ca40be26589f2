package parallel_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/internal/sanitized"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// branches runs one of two branches, depending on the sum of its input.
type branches struct {
	nn.Base
	a, b, c *nn.Linear
}

func newBranches() *branches {
	m := new(branches)
	m.Init(m)
	m.a, m.b, m.c = nn.NewLinear(6, 8, m.As("a")), nn.NewLinear(6, 8, m.As("b")), nn.NewLinear(8, 3, m.As("c"))
	return m
}

func (m *branches) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		branch := m.b
		if x.Sum().Item() > 0 {
			branch = m.a
		}
		return m.c.Forward(F.ReLU(branch.Forward(x)))
	})
}

func wideMLP() nn.Layer {
	return nn.NewSequential(nn.NewLinear(6, 32), nn.NewReLU(), nn.NewLinear(32, 32), nn.NewTanh(), nn.NewLinear(32, 3))
}

func frozen() nn.Layer {
	model := wideMLP()
	for _, p := range model.ModuleBase().Parameters()[:2] {
		p.SetRequiresGrad(false)
	}
	return model
}

func convnet() nn.Layer {
	return nn.NewSequential(nn.NewConv2d(2, 4, 3, nn.Padding(1)), nn.NewBatchNorm2d(4), nn.NewReLU(),
		nn.NewConv2d(4, 4, 3),
		nn.NewBatchNorm2d(4), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(64, 3))
}

func sparse() nn.Layer {
	return nn.NewSequential(nn.NewEmbedding(10, 6, nn.Sparse(true)), nn.NewFlatten(), nn.NewLinear(24, 3))
}

// cases are the test cases, the same as in testdata/ddp.py.
var cases = []struct {
	name  string
	make  func() nn.Layer
	opts  []parallel.Option
	hook  distributed.CommHook
	every int
	join  []join.Option
}{
	{name: "mlp", make: wideMLP},
	{name: "view", make: wideMLP, opts: []parallel.Option{parallel.GradientAsBucketView(true)}},
	{name: "caps", make: wideMLP, opts: []parallel.Option{parallel.BucketCapMB(0.001)}},
	{name: "list", make: wideMLP, opts: []parallel.Option{parallel.BucketCapMBList{0.001, 0.004}}},
	{name: "static", make: wideMLP, opts: []parallel.Option{parallel.StaticGraph(true), parallel.BucketCapMB(0.001)}},
	{name: "convnet", make: convnet},
	{name: "no buffers", make: convnet, opts: []parallel.Option{parallel.BroadcastBuffers(false)}},
	{
		name: "unused", make: func() nn.Layer { return newBranches() },
		opts: []parallel.Option{parallel.FindUnusedParameters(true)},
	},
	{
		name: "unused, view", make: func() nn.Layer { return newBranches() },
		opts: []parallel.Option{
			parallel.FindUnusedParameters(true), parallel.GradientAsBucketView(true),
			parallel.BucketCapMB(0.0001),
		},
	},
	{name: "sparse", make: sparse},
	{name: "frozen", make: frozen},
	{name: "no sync", make: wideMLP, every: 3},
	{
		name: "allreduce", make: wideMLP, opts: []parallel.Option{parallel.BucketCapMB(0.001)},
		hook: parallel.AllReduceHook,
	},
	{
		name: "fp16", make: wideMLP, opts: []parallel.Option{parallel.BucketCapMB(0.001)},
		hook: parallel.FP16CompressHook,
	},
	{name: "bf16", make: wideMLP, hook: parallel.BF16CompressHook},
	{name: "join", make: wideMLP, join: []join.Option{join.Enable(true)}},
	{
		name: "join, active", make: wideMLP, opts: []parallel.Option{parallel.BucketCapMB(0.001)},
		join: []join.Option{join.DivideByInitialWorldSize(false)},
	},
	{name: "join, frozen", make: frozen, join: []join.Option{join.Enable(true)}},
	{name: "join, buffers", make: convnet, join: []join.Option{join.Enable(true)}},
	{
		name: "join, unused", make: func() nn.Layer { return newBranches() },
		opts: []parallel.Option{parallel.FindUnusedParameters(true)}, join: []join.Option{join.Enable(true)},
	},
}

// Losses, gradients, parameters and buffers of 50 steps have the same bits as Python's
// DistributedDataParallel.
func TestPython(t *testing.T) {
	if sanitized.On && !thorough.Asked() {
		t.Skip("the other tests run the same code on goroutines")
	}
	python := pythontest.Interpreter(t, "torch")
	worlds := []int{2, 3}
	for _, n := range worlds[:sanitized.Or(thorough.Or(2, 1), 1)] {
		dir := t.TempDir()
		var all sync.WaitGroup
		for r := range n {
			all.Go(func() {
				out, err := exec.Command(python, "testdata/ddp.py", fmt.Sprint(r), fmt.Sprint(n), dir).CombinedOutput()
				assert.NoError(t, err, "%s", out)
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		if version := versionOf(t, dir); version != torch.Version() {
			t.Skip("Python has torch " + version + ", whose kernels may round otherwise than those of " +
				torch.Version())
		}
		for i, c := range cases {
			t.Run(fmt.Sprintf("%s/%d", c.name, n), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				ranks.AllWell(t, n, func(g *distributed.ProcessGroup) (err error) {
					want, err := serialization.Load(filepath.Join(dir, fmt.Sprintf("%d.pt", g.Rank())))
					if err != nil {
						return err
					}
					// One thread, as in Python, because several threads add in a
					// different order.
					torch.WithNumThreads(1, func() { err = sameAsPython(g, i, want) })
					return err
				})
			})
		}
	}
}

// versionOf returns the version of Python's torch.
func versionOf(t *testing.T, dir string) string {
	t.Helper()
	all, err := serialization.Load(filepath.Join(dir, "0.pt"))
	require.NoError(t, err)
	defer serialization.Close(all)
	version, _ := all.(*serialization.Dict).Get("version")
	return version.(string)
}

// outcome is the result of one case, as a rank of the Python program wrote it.
type outcome struct{ *serialization.Dict }

func (o outcome) tensor(name string) *torch.Tensor {
	t, err := o.Tensor(name)
	if err != nil {
		panic(err)
	}
	return t
}

func (o outcome) state(name string) map[string]*torch.Tensor {
	d := outcome{o.Dict.Dict(name)}
	m := map[string]*torch.Tensor{}
	for _, k := range d.Names() {
		m[k] = d.tensor(k)
	}
	return m
}

func sameAsPython(g *distributed.ProcessGroup, i int, all any) error {
	c := cases[i]
	want := outcome{all.(*serialization.Dict).Dict(c.name)}
	model := c.make()
	if err := model.LoadStateDict(nn.NewStateDict(want.state("first"))); err != nil {
		return err
	}
	net, err := parallel.NewDistributedDataParallel(background, model, g, c.opts...)
	if err != nil {
		return err
	}
	defer net.Close()
	if c.hook != nil {
		if err := net.RegisterCommHook(c.hook); err != nil {
			return err
		}
	}
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.05), optim.Momentum(0.9))
	defer opt.Close()
	xs, ys, losses, grads := want.tensor("x"), want.tensor("y"), want.tensor("loss"), want.state("grads")
	every := max(c.every, 1)
	step := func(i int64) error {
		var loss *torch.Tensor
		pass := func() {
			loss = F.CrossEntropy(net.Forward(xs.Select(0, i)), ys.Select(0, i))
			loss.Backward()
		}
		if int(i)%every < every-1 {
			net.NoSync(pass)
		} else {
			pass()
		}
		if !loss.Equal(losses.Select(0, i)) {
			return fmt.Errorf("loss %d: %v, not %v", i, loss, losses.Select(0, i))
		}
		return nil
	}
	loop := func() error {
		for s := range xs.Size(0) / int64(every) {
			var err error
			torch.Scope(func() {
				for i := range int64(every) {
					err = errors.Join(err, step(s*int64(every)+i))
				}
				for i, p := range model.Parameters() {
					grad := torch.Empty(torch.Shape{0})
					if p.Grad() != nil {
						grad = p.Grad().ToDense()
					}
					if w := grads[fmt.Sprintf("%d.%d", s, i)]; !grad.Equal(w) {
						err = errors.Join(err, fmt.Errorf("step %d, gradient %d: %v, not %v", s, i, grad, w))
					}
				}
			})
			if err != nil {
				return err
			}
			opt.Step()
			opt.ZeroGrad()
		}
		return nil
	}
	if c.join != nil {
		err = net.Join(background, loop, c.join...)
	} else {
		err = loop()
	}
	if err != nil {
		return err
	}
	for name, w := range want.state("last") {
		if got := model.StateDict().Get(name); !got.Equal(w) {
			return fmt.Errorf("%s: %v, not %v", name, got, w)
		}
	}
	return nil
}
