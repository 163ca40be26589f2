// Package citation has what the programs of examples/pytorch that learn from a graph share:
// papers that cite each other, and a picture of what a model makes of them.
package citation

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Flags say which papers there are.
type Flags struct {
	Data   string
	Papers int
}

// Register adds the flags to the command line.
func (f *Flags) Register() {
	flag.StringVar(&f.Data, "data", f.Data, "folder with cora.content and cora.cites; without it papers are made up")
	flag.IntVar(&f.Papers, "papers", f.Papers, "papers that are made up")
}

// Graph is N papers about one of several subjects each. The tensors belong to the scope in which
// the graph was opened.
type Graph struct {
	Features *torch.Tensor // float32 (N, W), the words of a paper; each row adds up to 1
	Labels   *torch.Tensor // int64 (N), the subject
	Edges    *torch.Tensor // int64 (2, E), who is cited and by whom
	Subjects int64
}

// Open reads a graph, or makes one up.
func (f Flags) Open() (g *Graph, err error) {
	switch {
	case f.Data != "":
		if g, err = read(f.Data); err != nil {
			return nil, err
		}
	case f.Papers < 10:
		return nil, fmt.Errorf("-papers has to be 10 or more, and is %d", f.Papers)
	default:
		g = madeUp(int64(f.Papers))
	}
	torch.Scope(func() {
		g.Features.Div_(g.Features.Sum(torch.Dim(1), torch.KeepDim(true)).ClampMin(1))
	})
	return g, nil
}

// Len is the number of papers.
func (g *Graph) Len() int64 { return g.Labels.Numel() }

// Split draws which papers are for the test and for validation, shares as of 2708, and which
// are learned.
func (g *Graph) Split(test, validation int64) (forTest, forValidation, learned *torch.Tensor) {
	n := g.Len()
	order := torch.RandPerm(n)
	a, b := n*test/2708, n*(test+validation)/2708
	return order.Narrow(0, 0, a), order.Narrow(0, a, b-a), order.Narrow(0, b, n-b)
}

// subjects and words are as many as Cora has.
const subjects, words = 7, 1433

// madeUp returns n papers. A word belongs to a subject, whose papers have it more often, and
// four of five citations are of papers about the same. Python draws the same numbers.
func madeUp(n int64) *Graph {
	random := torch.NewGenerator(torch.CPU).ManualSeed(1)
	g := &Graph{Subjects: subjects, Labels: torch.RandInt(0, subjects, torch.Shape{n}, random)}
	found := wordsOf(g.Labels, random)
	g.Features = found.To(torch.Float32)
	found.Close()
	g.Edges = torch.Tidy(func() *torch.Tensor {
		from := torch.RandInt(0, n, torch.Shape{2 * n}, random)
		count := g.Labels.BinCount(torch.MinLength(subjects))
		first := count.CumSum(0).Sub(count)
		subject := g.Labels.IndexSelect(0, from)
		place := torch.RandInt(0, 1<<30, torch.Shape{2 * n}, random).Remainder(count.IndexSelect(0, subject))
		bySubject := g.Labels.ArgSort(torch.Stable(true))
		near := bySubject.IndexSelect(0, first.IndexSelect(0, subject).Add(place))
		far := torch.RandInt(0, n, torch.Shape{2 * n}, random)
		same := torch.Rand(torch.Shape{2 * n}, random).LtScalar(0.8)
		return torch.Stack([]*torch.Tensor{from, torch.Where(same, near, far)})
	})
	return g
}

// wordsOf says which words a paper has, (N, W).
func wordsOf(labels *torch.Tensor, random *torch.Generator) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		topic := torch.RandInt(0, subjects, torch.Shape{words}, random)
		same := labels.Unsqueeze(1).Eq(topic)
		drawn := torch.Rand(torch.Shape{labels.Numel(), words}, random)
		return torch.Where(same, drawn.LtScalar(0.04), drawn.LtScalar(0.01))
	})
}
