package nn

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// AdaptiveLogSoftmaxWithLoss is an efficient softmax over very many classes. The
// classes are sorted by frequency, the most frequent first. The head scores the
// classes below the first cutoff and has one entry for each cluster of the remaining
// classes. A cluster is computed only for targets in it.
// Follows torch.nn.AdaptiveLogSoftmaxWithLoss.
type AdaptiveLogSoftmaxWithLoss struct {
	Base
	Head Layer       // a Linear, unless SetSubmodule replaced it
	Tail *ModuleList // one Layer per cluster

	classes   int64
	cutoffs   []int64 // the cutoffs, followed by the number of classes
	shortlist int64
}

// ASMOutput is the result of AdaptiveLogSoftmaxWithLoss.
type ASMOutput struct {
	Output *torch.Tensor // the log probability of each target, of the target's shape
	Loss   *torch.Tensor // the mean of the negative log probabilities, a scalar
}

// NewAdaptiveLogSoftmaxWithLoss makes a softmax over nClasses classes for vectors of
// size inFeatures. The cutoffs say where clusters begin, from 1 to nClasses-1 in
// increasing order; the slice is copied. [DivValue] is 4 by default: cluster i,
// counted from 1, uses vectors of size inFeatures / DivValue^i, rounded down.
// [HeadBias] is false by default.
//
// It panics with ErrValue for invalid cutoffs, for sizes that are negative or too
// large and for a DivValue that is not positive. It panics with ErrDevice for a
// [Device] that does not exist. Follows torch.nn.AdaptiveLogSoftmaxWithLoss.
func NewAdaptiveLogSoftmaxWithLoss(inFeatures, nClasses int64, cutoffs []int64,
	opts ...AdaptiveLogSoftmaxOption,
) *AdaptiveLogSoftmaxWithLoss {
	const op = "NewAdaptiveLogSoftmaxWithLoss"
	var maker paramMaker
	d, b := opt.ReadOr2(op, opts, maker.read, DivValue(4), HeadBias(false))
	div, bias := float64(d), bool(b)
	maker.setSizes(op, size{"inFeatures", inFeatures}, size{"nClasses", nClasses})
	mustBeCutoffs(op, nClasses, cutoffs)
	if !(div > 0) {
		panic(torch.NewError(op, torch.ErrValue, "DivValue", fmt.Sprintf("expected a positive number, got %v", div)))
	}
	a := &AdaptiveLogSoftmaxWithLoss{
		classes: nClasses, shortlist: cutoffs[0],
		cutoffs: append(append([]int64(nil), cutoffs...), nClasses),
	}
	a.startLayer(a)
	// The program can assign different layers to Head and Tail, so calls check the fields
	// as in a user's module.
	a.setFlag(flagUser)
	returned := false
	defer maker.closeAfterPanic(&a.Base, &returned)
	inner := maker
	inner.as = a.As("head")
	a.Head = newLinear(op, inFeatures, a.shortlist+int64(len(cutoffs)), bias, inner)
	a.Tail = NewModuleList().In(a, "tail")
	for i := range cutoffs {
		cluster := NewSequential()
		a.Tail.Append(cluster)
		hidden := floorDivide(float64(inFeatures), math.Pow(div, float64(i+1)))
		inner.as = cluster.As("0")
		newLinear(op, inFeatures, hidden, false, inner)
		inner.as = cluster.As("1")
		newLinear(op, hidden, a.cutoffs[i+1]-a.cutoffs[i], false, inner)
	}
	maker.as.register(a)
	returned = true
	return a
}

func mustBeCutoffs(op string, classes int64, cutoffs []int64) {
	last := int64(0)
	for _, c := range cutoffs {
		if c <= last || c >= classes {
			last = -1
			break
		}
		last = c
	}
	if last <= 0 {
		list := append([]int64(nil), cutoffs...)
		panic(torch.NewError(op, torch.ErrValue, "cutoffs",
			fmt.Sprintf("expected increasing numbers from 1 to %d, got %v", classes-1, list)))
	}
}

// floorDivide is Python's a // b of positive numbers.
func floorDivide(a, b float64) int64 {
	q := (a - math.Mod(a, b)) / b
	if floor := math.Floor(q); q-floor <= 0.5 {
		return int64(floor)
	}
	return int64(math.Floor(q)) + 1
}

// ResetParameters draws new values for all parameters, as the constructor does. It panics
// with ErrType, and changes nothing, if the program has replaced one of the layers with a
// layer that has parameters but no method ResetParameters.
func (a *AdaptiveLogSoftmaxWithLoss) ResetParameters() {
	const op = "AdaptiveLogSoftmaxWithLoss.ResetParameters"
	mustBeMade(op, a)
	for _, reset := range append(resetsOf(op, a.Head), resetsOf(op, a.Tail)...) {
		reset()
	}
}

// resetsOf returns the methods that draw new values for the parameters of m and of the
// modules below it. It panics with ErrType for parameters that no method draws.
func resetsOf(op string, m Module) (resets []func()) {
	if r, ok := m.(interface{ ResetParameters() }); ok {
		return []func(){r.ResetParameters}
	}
	if len(m.ModuleBase().params) > 0 {
		panic(torch.NewError(op, torch.ErrType, "receiver",
			fmt.Sprintf("the parameters of a %s cannot be drawn: it has no method ResetParameters", goName(m))))
	}
	for _, c := range m.ModuleBase().Children() {
		resets = append(resets, resetsOf(op, c.Module)...)
	}
	return resets
}

func (a *AdaptiveLogSoftmaxWithLoss) clusterAt(i int) Layer {
	m := a.Tail.At(i)
	l, ok := m.(Layer)
	if !ok {
		panic(torch.NewError("AdaptiveLogSoftmaxWithLoss", torch.ErrType, "tail",
			fmt.Sprintf("cluster %d, a %s, is not an nn.Layer", i, goName(m))))
	}
	return l
}

// Forward returns the log probability of each target and the loss, both new tensors. The
// input has shape (N, inFeatures) or (inFeatures); the targets are int64 class indices of
// shape (N) or (). It panics with ErrIndex for a target that is not a class, with
// ErrShape for sizes that do not match and with ErrDType for targets of any other dtype.
func (a *AdaptiveLogSoftmaxWithLoss) Forward(input, target *torch.Tensor) ASMOutput {
	out := callLayerN(a, []*torch.Tensor{input, target}, func(in []*torch.Tensor) []*torch.Tensor {
		return a.logProbsOf(in[0], in[1])
	})
	return ASMOutput{Output: out[0], Loss: out[1]}
}

func (a *AdaptiveLogSoftmaxWithLoss) logProbsOf(input, target *torch.Tensor) []*torch.Tensor {
	const op = "AdaptiveLogSoftmaxWithLoss(input, target)"
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	x, t := input.Shape(), target.Shape()
	if len(t) > 1 || len(x) != len(t)+1 || len(t) == 1 && x[0] != t[0] {
		panic(torch.NewError(op, torch.ErrShape, "target", fmt.Sprintf(
			"expected size (N) for input (N, features) or size () for input (features), got size %v for input %v", t,
			x)))
	}
	if d := target.DType(); d != torch.Int64 {
		panic(torch.NewError(op, torch.ErrDType, "target", "expected int64, got "+d.String()))
	}
	batched := len(t) == 1
	if !batched {
		input, target = input.Unsqueeze(0), target.Unsqueeze(0)
	}
	n := target.Size(0)
	output := input.NewZeros(torch.Shape{n})
	entry := target.NewEmpty(torch.Shape{n}) // for each target, its column in the output of the head
	found := int64(0)
	for i := range a.cutoffs {
		torch.Scope(func() { found += a.fillPart(i, input, target, output, entry) })
	}
	if found != n {
		panic(torch.NewError(op, torch.ErrIndex, "target", fmt.Sprintf(
			"expected classes from 0 to %d, got values from %d to %d", a.classes-1, target.Min().ItemInt(),
			target.Max().ItemInt())))
	}
	torch.Scope(func() {
		head := F.LogSoftmax(a.Head.Forward(input), 1)
		output.Add_(head.Gather(1, entry.Unsqueeze(1)).Squeeze(1))
	})
	loss := output.Neg().Mean()
	if !batched {
		output = output.Squeeze(0)
	}
	return []*torch.Tensor{output, loss}
}

// fillPart handles the targets in part i of the classes: the shortlist if i is 0,
// otherwise cluster i-1. For each of these targets, it stores in entry the target's
// column in the output of the head. For a cluster, it also stores in output the target's
// log probability within the cluster. It returns the number of these targets.
func (a *AdaptiveLogSoftmaxWithLoss) fillPart(i int, input, target, output, entry *torch.Tensor) int64 {
	low := int64(0)
	if i > 0 {
		low = a.cutoffs[i-1]
	}
	mask := target.GeScalar(low).BitwiseAnd(target.LtScalar(a.cutoffs[i]))
	rows := mask.Nonzero().Squeeze(1)
	n := rows.Numel()
	switch {
	case n == 0:
	case i == 0:
		entry.IndexCopy_(0, rows, target.MaskedSelect(mask))
	default:
		class := target.MaskedSelect(mask).SubScalar(low).Unsqueeze(1)
		entry.IndexFill_(0, rows, a.shortlist+int64(i)-1)
		logs := F.LogSoftmax(a.clusterAt(i-1).Forward(input.IndexSelect(0, rows)), 1)
		output.IndexCopy_(0, rows, logs.Gather(1, class).Squeeze(1))
	}
	return n
}

// LogProb returns the log probabilities of all classes as a new tensor of shape (N,
// nClasses), for input of shape (N, inFeatures). It panics with ErrShape or ErrDType if
// input has the wrong shape or dtype. Follows AdaptiveLogSoftmaxWithLoss.log_prob.
func (a *AdaptiveLogSoftmaxWithLoss) LogProb(input *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return a.logProbs("AdaptiveLogSoftmaxWithLoss.LogProb(input)", input, nil)
	})
}

// logProbs does the work of LogProb. scores is the output of the head for input; if
// scores is nil, logProbs computes it.
func (a *AdaptiveLogSoftmaxWithLoss) logProbs(op string, input, scores *torch.Tensor) *torch.Tensor {
	if scores == nil {
		scores = a.headScores(op, input)
	}
	out := input.NewEmpty(torch.Shape{scores.Size(0), a.classes})
	head := F.LogSoftmax(scores, 1)
	torch.Scope(func() { out.Narrow(1, 0, a.shortlist).Copy_(head.Narrow(1, 0, a.shortlist)) })
	for i := range a.Tail.Len() {
		torch.Scope(func() {
			logs := F.LogSoftmax(a.clusterAt(i).Forward(input), 1)
			from, to := a.cutoffs[i], a.cutoffs[i+1]
			out.Narrow(1, from, to-from).Copy_(logs.Add(head.Narrow(1, a.shortlist+int64(i), 1)))
		})
	}
	return out
}

// headScores returns the output of the head for input, a batch of vectors.
func (a *AdaptiveLogSoftmaxWithLoss) headScores(op string, input *torch.Tensor) *torch.Tensor {
	input.HandleFor(op, 0)
	if input.Dim() != 2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected size (N, features), got %v", input.Shape())))
	}
	return a.Head.Forward(input)
}

// Predict returns the most probable class of each vector as a new int64 tensor of shape
// (N), for input of shape (N, inFeatures). Predict computes the clusters only for
// vectors that the head assigns to a cluster. It panics as LogProb does.
// Follows AdaptiveLogSoftmaxWithLoss.predict.
func (a *AdaptiveLogSoftmaxWithLoss) Predict(input *torch.Tensor) *torch.Tensor {
	const op = "AdaptiveLogSoftmaxWithLoss.Predict(input)"
	return torch.Tidy(func() *torch.Tensor {
		scores := a.headScores(op, input)
		output := scores.ArgMax(torch.Dim(1))
		beyond := output.GeScalar(a.shortlist)
		switch {
		case !beyond.Any().ItemBool():
		case beyond.All().ItemBool():
			output = a.logProbs(op, input, scores).ArgMax(torch.Dim(1))
		default:
			logs := a.logProbs(op, input.Index(beyond), scores.Index(beyond))
			output.SetIndex(logs.ArgMax(torch.Dim(1)), beyond)
		}
		return output
	})
}
