// Command gat learns the subjects of papers from their words and citations. It is a graph
// attention network of two layers, which learns which citations matter. reference.py is the
// same program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/gat                   # on generated papers
//	go run ./pytorch/gat -data ./cora      # cora.content and cora.cites
//	go run ./pytorch/gat -plot papers.png  # the network's results
package main

import (
	"errors"
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
)

type config struct {
	frame.Flags
	papers          citation.Flags
	epochs, every   int
	lr, l2, dropout float64
	hidden, heads   int64
	concat          bool
	plot            string
}

func defaults() config {
	c := config{
		Flags: frame.Defaults(), papers: citation.Flags{Papers: 1000},
		epochs: 300, every: 20, lr: 0.005, l2: 5e-4, dropout: 0.6, hidden: 64, heads: 8,
	}
	c.Seed = 13
	return c
}

func main() {
	c := defaults()
	c.Register()
	c.papers.Register()
	flag.IntVar(&c.epochs, "epochs", c.epochs, "steps, each over all papers")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.l2, "l2", c.l2, "weight decay")
	flag.Float64Var(&c.dropout, "dropout-p", c.dropout,
		"probability of dropout of features and citations in training")
	flag.Int64Var(&c.hidden, "hidden-dim", c.hidden, "hidden features of a paper")
	flag.IntVar(&c.every, "val-every", c.every, "epochs between two lines of output")
	flag.Int64Var(&c.heads, "num-heads", c.heads, "heads of the first layer")
	flag.BoolVar(&c.concat, "concat-heads", c.concat, "concatenate the heads' features instead of averaging them")
	flag.StringVar(&c.plot, "plot", c.plot, "draw the papers before and after training into this PNG file")
	c.Main("gat", c.train)
}

// graphAttention mixes the features of each paper with the features of its neighbors,
// weighted by attention. Each head has its own weights.
type graphAttention struct {
	nn.Base
	w, a          *torch.Tensor // (in, heads*out) and (heads, 2*out, 1)
	heads, out    int64
	concat        bool
	dropout, leak float64
}

func newGraphAttention(c *config, in, out, heads int64, concat bool, opts ...nn.InitOption) *graphAttention {
	if concat {
		out /= heads
	}
	l := &graphAttention{heads: heads, out: out, concat: concat, dropout: c.dropout, leak: 0.2}
	l.Init(l, opts...)
	l.w = l.RegisterParameter("W", nninit.XavierNormal_(torch.Empty(torch.Shape{in, out * heads})))
	l.a = l.RegisterParameter("a", nninit.XavierNormal_(torch.Empty(torch.Shape{heads, 2 * out, 1})))
	return l
}

// Forward maps features of papers (N, in) to (N, heads*out). If the layer averages its
// heads, the result is their mean, (N, out). next is the adjacency matrix.
func (l *graphAttention) Forward(x, next *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		p, training, n := F.P(l.dropout), F.Training(l.Training()), x.Size(0)
		h := F.Dropout(x.Mm(l.w), p, training).View(n, l.heads, l.out).Permute(1, 0, 2) // (H, N, out)
		attention := torch.Tidy(func() *torch.Tensor {                                  // (H, N, N)
			from, to := h.MatMul(l.a.Narrow(1, 0, l.out)), h.MatMul(l.a.Narrow(1, l.out, l.out))
			e := torch.Tidy(func() *torch.Tensor {
				return F.LeakyReLU(from.Add(to.MT()), F.NegativeSlope(l.leak)).Where(next, -9e16)
			})
			return F.Dropout(F.Softmax(e, -1), p, training)
		})
		y := attention.MatMul(h)
		if l.concat {
			return y.Permute(1, 0, 2).Flatten(1, 2)
		}
		return y.Mean(torch.Dim(0))
	})
}

// net maps the words of papers (N, W) to log probabilities of subjects (N, subjects).
type net struct {
	nn.Base
	gat1, gat2 *graphAttention
}

func newNet(c *config, in, out int64) *net {
	m := new(net)
	m.Init(m)
	m.gat1 = newGraphAttention(c, in, c.hidden, c.heads, c.concat)
	m.gat2 = newGraphAttention(c, c.hidden, out, 1, false)
	return m
}

func (m *net) Forward(x, next *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return F.LogSoftmax(m.gat2.Forward(F.ELU(m.gat1.Forward(x, next)), next), 1)
	})
}

// adjacency returns the adjacency matrix of the papers, bool (N, N). Element (i, j) is true
// if paper j cites paper i, or if j is i.
func adjacency(g *citation.Graph) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		n := g.Len()
		next := torch.Eye(n, torch.Bool)
		return next.SetIndex(true, g.Edges.Select(0, 0), g.Edges.Select(0, 1))
	})
}

// score returns the loss and the accuracy for the papers in chosen.
func score(m *net, x, next, labels, chosen *torch.Tensor) (loss, accuracy float64) {
	m.Eval()
	defer m.Train()
	torch.Scope(func() {
		torch.NoGrad(func() {
			out, want := m.Forward(x, next).IndexSelect(0, chosen), labels.IndexSelect(0, chosen)
			loss = F.NLLLoss(out, want).Item()
			accuracy = out.ArgMax(torch.Dim(1)).Eq(want).To(torch.Float32).Mean().Item()
		})
	})
	return loss, accuracy
}

func (c *config) train(t *frame.Training) error {
	if c.hidden < 1 || c.heads < 1 || c.concat && c.hidden%c.heads != 0 {
		return errors.New("-hidden-dim and -num-heads must be at least 1, and with -concat-heads -hidden-dim a " +
			"multiple of -num-heads")
	}
	g, err := c.papers.Open()
	if err != nil {
		return err
	}
	x, next := g.Features, adjacency(g)
	test, validation, learned := g.Split(1200, 400)
	m := newNet(c, x.Size(1), g.Subjects)
	defer m.Close()
	opt := optim.NewAdam(m.Parameters(), optim.LR(c.lr), optim.WeightDecay(c.l2))
	defer opt.Close()
	var views citation.Views
	c.see(&views, "before training", m, g, x, next)
	bar := progress.New(c.epochs, "training", c.Quiet)
	defer bar.End()
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		torch.Scope(func() {
			opt.ZeroGrad()
			out := m.Forward(x, next)
			loss := F.NLLLoss(out.IndexSelect(0, learned), g.Labels.IndexSelect(0, learned))
			loss.Backward()
			opt.Step()
			t.Add(loss.Item())
		})
		if epoch%max(c.every, 1) == 0 {
			loss, accuracy := score(m, x, next, g.Labels, learned)
			lossVal, accuracyVal := score(m, x, next, g.Labels, validation)
			fmt.Fprintf(t.Out, "epoch %d: loss %.4f, accuracy %.4f; validation %.4f, %.4f\n", epoch, loss, accuracy,
				lossVal, accuracyVal)
		}
		bar.Step()
	}
	loss, accuracy := score(m, x, next, g.Labels, test)
	fmt.Fprintf(t.Out, "test: loss %.4f, accuracy %.4f\n", loss, accuracy)
	c.see(&views, "after training", m, g, x, next)
	if c.plot == "" {
		return nil
	}
	return views.Save(c.plot)
}

// see adds a plot of the network's outputs for all papers. Without -plot it does nothing.
func (c *config) see(views *citation.Views, title string, m *net, g *citation.Graph, x, next *torch.Tensor) {
	if c.plot == "" {
		return
	}
	m.Eval()
	defer m.Train()
	torch.Scope(func() {
		torch.NoGrad(func() { views.Add(title, g, m.Forward(x, next)) })
	})
}
