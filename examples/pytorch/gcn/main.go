// Command gcn learns the subjects of papers from their words and citations. It is a graph
// convolutional network of two layers over sparse matrices. reference.py is the same
// program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/gcn                   # on generated papers
//	go run ./pytorch/gcn -data ./cora      # cora.content and cora.cites
//	go run ./pytorch/gcn -plot papers.png  # the network's results
package main

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/citation"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/sparse"
)

type config struct {
	frame.Flags
	papers          citation.Flags
	epochs, every   int
	lr, l2, dropout float64
	hidden          int64
	bias            bool
	plot            string
}

func defaults() config {
	c := config{
		Flags: frame.Defaults(), papers: citation.Flags{Papers: 2708},
		epochs: 200, every: 20, lr: 0.01, l2: 5e-4, dropout: 0.5, hidden: 16,
	}
	c.Seed = 42
	return c
}

func main() {
	c := defaults()
	c.Register()
	c.papers.Register()
	flag.IntVar(&c.epochs, "epochs", c.epochs, "steps, each over all papers")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.l2, "l2", c.l2, "weight decay")
	flag.Float64Var(&c.dropout, "dropout-p", c.dropout, "probability of dropout in training")
	flag.Int64Var(&c.hidden, "hidden-dim", c.hidden, "hidden features of a paper")
	flag.IntVar(&c.every, "val-every", c.every, "epochs between two lines of output")
	flag.BoolVar(&c.bias, "include-bias", c.bias, "add a bias in the layers")
	flag.StringVar(&c.plot, "plot", c.plot, "draw the papers before and after training into this PNG file")
	c.Main("gcn", c.train)
}

// graphConv adds to the features of each paper the features of the papers connected to
// it, and multiplies the sum by a weight matrix.
type graphConv struct {
	nn.Base
	kernel *torch.Tensor // (in, out)
	bias   *torch.Tensor // (out), or nil
}

func newGraphConv(in, out int64, bias bool, opts ...nn.InitOption) *graphConv {
	l := new(graphConv)
	l.Init(l, opts...)
	l.kernel = l.RegisterParameter("kernel", nninit.XavierNormal_(torch.Empty(torch.Shape{in, out})))
	if bias {
		l.bias = l.RegisterParameter("bias", torch.Zeros(torch.Shape{out}))
	}
	return l
}

func (l *graphConv) Forward(x, adjacency *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = adjacency.Mm(x.Mm(l.kernel))
		if l.bias != nil {
			x = x.Add(l.bias)
		}
		return x
	})
}

// net maps the words of papers (N, W) to log probabilities of subjects (N, subjects).
type net struct {
	nn.Base
	gc1, gc2 *graphConv
	dropout  *nn.Dropout
}

func newNet(c *config, in, out int64) *net {
	m := new(net)
	m.Init(m)
	m.gc1 = newGraphConv(in, c.hidden, c.bias)
	m.gc2 = newGraphConv(c.hidden, out, c.bias)
	m.dropout = nn.NewDropout(c.dropout)
	return m
}

func (m *net) Forward(x, adjacency *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = m.dropout.Forward(F.ReLU(m.gc1.Forward(x, adjacency)))
		return F.LogSoftmax(m.gc2.Forward(x, adjacency), 1)
	})
}

// normalized returns the sparse matrix D^-1/2 (A + 1) D^-1/2. A is the adjacency matrix
// of the citations, and D contains the number of each paper's citations plus one.
func normalized(g *citation.Graph) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		n := g.Len()
		self := torch.Arange(n).Expand(2, n)
		edges := torch.Cat([]*torch.Tensor{g.Edges, self}, 1)
		a := torch.SparseCOOTensor(edges, torch.Ones(torch.Shape{edges.Size(1)}), torch.Shape{n, n}).Coalesce()
		scale := sparse.Sum(a, torch.Dim(1)).ToDense().Rsqrt()
		from, to := a.Indices().Select(0, 0), a.Indices().Select(0, 1)
		values := a.Values().Mul(scale.IndexSelect(0, from)).Mul(scale.IndexSelect(0, to))
		return torch.SparseCOOTensor(a.Indices(), values, torch.Shape{n, n}).Coalesce()
	})
}

// score returns the loss and the accuracy for the papers in chosen.
func score(m *net, x, adjacency, labels, chosen *torch.Tensor) (loss, accuracy float64) {
	m.Eval()
	defer m.Train()
	torch.Scope(func() {
		torch.NoGrad(func() {
			out, want := m.Forward(x, adjacency).IndexSelect(0, chosen), labels.IndexSelect(0, chosen)
			loss = F.NLLLoss(out, want).Item()
			accuracy = out.ArgMax(torch.Dim(1)).Eq(want).To(torch.Float32).Mean().Item()
		})
	})
	return loss, accuracy
}

func (c *config) train(t *frame.Training) error {
	g, err := c.papers.Open()
	if err != nil {
		return err
	}
	x, adjacency := g.Features.ToSparse(), normalized(g)
	test, validation, learned := g.Split(1000, 500)
	m := newNet(c, x.Size(1), g.Subjects)
	defer m.Close()
	opt := optim.NewAdam(m.Parameters(), optim.LR(c.lr), optim.WeightDecay(c.l2))
	defer opt.Close()
	var views citation.Views
	c.see(&views, "before training", m, g, x, adjacency)
	bar := progress.New(c.epochs, "training", c.Quiet)
	defer bar.End()
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		torch.Scope(func() {
			opt.ZeroGrad()
			out := m.Forward(x, adjacency)
			loss := F.NLLLoss(out.IndexSelect(0, learned), g.Labels.IndexSelect(0, learned))
			loss.Backward()
			opt.Step()
			t.Add(loss.Item())
		})
		if epoch%max(c.every, 1) == 0 {
			loss, accuracy := score(m, x, adjacency, g.Labels, learned)
			lossVal, accuracyVal := score(m, x, adjacency, g.Labels, validation)
			fmt.Fprintf(t.Out, "epoch %d: loss %.4f, accuracy %.4f; validation %.4f, %.4f\n", epoch, loss, accuracy,
				lossVal, accuracyVal)
		}
		bar.Step()
	}
	loss, accuracy := score(m, x, adjacency, g.Labels, test)
	fmt.Fprintf(t.Out, "test: loss %.4f, accuracy %.4f\n", loss, accuracy)
	c.see(&views, "after training", m, g, x, adjacency)
	if c.plot == "" {
		return nil
	}
	return views.Save(c.plot)
}

// see adds a plot of the network's outputs for all papers. Without -plot it does nothing.
func (c *config) see(views *citation.Views, title string, m *net, g *citation.Graph, x, adjacency *torch.Tensor) {
	if c.plot == "" {
		return
	}
	m.Eval()
	defer m.Train()
	torch.Scope(func() {
		torch.NoGrad(func() { views.Add(title, g, m.Forward(x, adjacency)) })
	})
}
