// Package citation is shared by the programs of examples/pytorch that learn from a graph.
// It provides papers that cite each other, and draws a model's outputs for them.
package citation

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Flags choose the papers.
type Flags struct {
	Data   string
	Papers int
}

// Register adds the flags to the command line.
func (f *Flags) Register() {
	flag.StringVar(&f.Data, "data", f.Data, "folder with cora.content and cora.cites; without it papers are generated")
	flag.IntVar(&f.Papers, "papers", f.Papers, "number of generated papers")
}

// Graph contains N papers and their citations. Each paper has one subject. The tensors
// belong to the scope in which Open was called.
type Graph struct {
	// Features, float32 (N, W), has a row for each paper with a weight for each word. Each
	// row adds up to 1.
	Features *torch.Tensor
	Labels   *torch.Tensor // int64 (N), the subject of each paper
	Edges    *torch.Tensor // int64 (2, E), the cited and the citing paper
	Subjects int64
}

// Open reads a graph from the directory -data, or generates one if no directory is given.
func (f Flags) Open() (g *Graph, err error) {
	switch {
	case f.Data != "":
		if g, err = read(f.Data); err != nil {
			return nil, err
		}
	case f.Papers < 10:
		return nil, fmt.Errorf("-papers must be at least 10, got %d", f.Papers)
	default:
		g = madeUp(int64(f.Papers))
	}
	torch.Scope(func() {
		g.Features.Div_(g.Features.Sum(torch.Dim(1), torch.KeepDim(true)).ClampMin(1))
	})
	return g, nil
}

// Len returns the number of papers.
func (g *Graph) Len() int64 { return g.Labels.Numel() }

// Split divides the papers at random into a test set, a validation set and the rest, for
// training. The arguments are the sizes of the first two sets for Cora's 2708 papers. For
// a different number of papers they are scaled.
func (g *Graph) Split(test, validation int64) (forTest, forValidation, learned *torch.Tensor) {
	n := g.Len()
	order := torch.RandPerm(n)
	a, b := n*test/2708, n*(test+validation)/2708
	return order.Narrow(0, 0, a), order.Narrow(0, a, b-a), order.Narrow(0, b, n-b)
}

// These are the numbers of subjects and words in Cora.
const subjects, words = 7, 1433

// madeUp generates n papers. Each word belongs to a subject and occurs more often in
// papers about that subject. In four of five citations, both papers are about the same
// subject. Python generates the same papers.
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

// wordsOf draws random words for each paper, (N, W).
func wordsOf(labels *torch.Tensor, random *torch.Generator) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		topic := torch.RandInt(0, subjects, torch.Shape{words}, random)
		same := labels.Unsqueeze(1).Eq(topic)
		drawn := torch.Rand(torch.Shape{labels.Numel(), words}, random)
		return torch.Where(same, drawn.LtScalar(0.04), drawn.LtScalar(0.01))
	})
}
