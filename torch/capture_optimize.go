package torch

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/capture"
)

// Optimize says whether [Capture] and [CaptureByShape] make faster graphs of steps that only
// compute results, such as a model's forward pass within [NoGrad]. The default is false.
//
// An optimized graph computes constants once, folds batch normalization into convolutions,
// packs weights, and computes a layer with its bias, addition and activation in one pass. For
// each layer it uses the kernel that is fastest when the step is captured. Last bits of the
// results may therefore differ from the step's own, and from process to process.
// [Graph.Report] measures the difference.
//
// A replay notices that a weight has changed: it panics with ErrValue, and a graph of
// CaptureByShape is recorded again. A tensor that changes from call to call must be an input.
// Changes of inference tensors are not noticed, nor those of memory that belongs to something
// else, such as a Go slice or a mapped file. Such weights are used as they are, without folding
// or packing.
//
// A step that records gradients, draws random numbers, or writes to tensors from outside is
// captured as without Optimize; [GraphReport] has the reason.
type Optimize bool

// ComputeDType is the dtype that layers of a graph with [Optimize] compute in: Float32, which is
// the default, or BFloat16. With BFloat16 weights take half the memory, and a processor with
// instructions for bfloat16 multiplies several times faster; others may be slower.
// Convolutions, linear layers, attention and the operators between them compute in BFloat16,
// and all other operators in Float32. Results keep their dtypes. [Graph.Report] measures the
// error. On a processor that cannot compute in BFloat16, layers compute in Float32, and the
// report says so.
type ComputeDType DType

// checkComputeDType returns the dtype of the option.
func checkComputeDType(op string, o ComputeDType) DType {
	if d := DType(o); d == Float32 || d == BFloat16 {
		return d
	}
	panic(argError(op, ErrValue, "opts", fmt.Sprintf("ComputeDType: expected Float32 or BFloat16, got %v", DType(o))))
}

// needOptimize fails if a graph has a dtype to compute in but is not optimized.
func needOptimize(op string, compute DType, optimize bool) {
	if compute != 0 && !optimize {
		panic(argError(op, ErrValue, "opts", "ComputeDType has an effect only with Optimize(true)"))
	}
}

// GraphReport describes a graph that was captured with [Optimize].
type GraphReport struct {
	Reason string      // why the graph was not optimized, or does not compute in the ComputeDType, or ""
	Nodes  []GraphNode // the calls of a replay, in order
	// MaxDifference and MeanDifference are the largest and the mean absolute difference between the
	// results of a replay and of the step without the graph, and MaxResult is the largest absolute
	// value of the latter. They are 0 for a graph that was not optimized.
	MaxDifference, MeanDifference, MaxResult float64
}

// GraphNode is a call of a graph's replay.
type GraphNode struct {
	Kernel string        // the operator, or the kernel that replaces several operators
	Time   time.Duration // the shortest time of several replays; 0 if the graph was not optimized
}

// String returns the report as a table, with one line for each kind of kernel.
func (r GraphReport) String() string {
	var b strings.Builder
	if r.Reason != "" {
		fmt.Fprintf(&b, "not optimized as asked: %s\n", r.Reason)
	}
	if r.MaxResult > 0 {
		fmt.Fprintf(&b, "largest difference %.3g, mean %.3g, largest result %.3g\n", r.MaxDifference, r.MeanDifference,
			r.MaxResult)
	}
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "%10v  %s\n", n.Time, n.Kernel)
	}
	return b.String()
}

// Report replays a graph that was made with [Optimize] several times, runs the captured
// function once without the graph, both with the inputs' current values, and compares the
// results. If the graph was not optimized, the report has the reason, and nothing is run. It
// panics with ErrValue for a graph without Optimize, and like [Graph.Replay].
func (g *Graph) Report() GraphReport {
	const op = "Graph.Report"
	g.lock(op)
	defer g.mu.Unlock()
	return g.report(op, g.fn)
}

// Report returns the report of each graph that has been recorded. See [Graph.Report].
func (s *Graphs) Report() []GraphReport {
	const op = "Graphs.Report"
	s.lock(op)
	defer s.mu.Unlock()
	var all []GraphReport
	for _, v := range s.byUse {
		if v.rec == nil {
			all = append(all, v.g.report(op, func() []*Tensor { return s.fn(v.g.inputs) }))
		}
	}
	return all
}

func (g *Graph) report(op string, fn func() []*Tensor) (report GraphReport) {
	if !g.optimize {
		panic(&Error{Op: op, Kind: ErrValue, Message: "the graph was captured without Optimize"})
	}
	if e := g.prepareReplay(op); e != nil {
		panic(e)
	}
	r := BeginRaw(op)
	var st abi.Status
	text, st := capture.Report(r.Ctx, g.native)
	r.Status(st)
	lines := strings.Split(text, "\n")
	reason, optimized, _ := strings.Cut(lines[0], "\t")
	report.Reason = reason
	for _, line := range lines[1:] {
		kernel, ns, _ := strings.Cut(line, "\t")
		n, _ := strconv.ParseInt(ns, 10, 64)
		report.Nodes = append(report.Nodes, GraphNode{kernel, time.Duration(n)})
	}
	if optimized == "1" {
		Scope(func() { report.compare(TidyAll(fn), g.results) })
	}
	return report
}

// compare sets the differences between the results of the step and of the graph.
func (r *GraphReport) compare(want, got []*Tensor) {
	var sum float64
	var count int64
	for i, w := range want {
		a, b := w.Detach().To(Float64), got[i].Detach().To(Float64)
		same := a.Eq(b).LogicalOr(a.IsNaN().LogicalAnd(b.IsNaN()))
		d := a.Sub(b).Abs().MaskedFill(same, 0)
		if d.Numel() == 0 {
			continue
		}
		r.MaxDifference = math.Max(r.MaxDifference, d.Max().Item())
		r.MaxResult = math.Max(r.MaxResult, a.Abs().Max().Item())
		sum += d.Sum().Item()
		count += d.Numel()
	}
	if count > 0 {
		r.MeanDifference = sum / float64(count)
	}
}
