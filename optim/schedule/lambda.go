package schedule

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// LambdaLR multiplies the initial rates by a function of the epoch.
type LambdaLR struct{ base }

// NewLambdaLR makes a LambdaLR with one function for all groups. The function is not
// part of the state dict. Its option is [LastEpoch]. It panics as [NewStepLR] does,
// and with ErrNil for a nil function. Follows torch.optim.lr_scheduler.LambdaLR.
func NewLambdaLR(opt optim.Optimizer, lambda func(epoch int) float64, opts ...EpochOption) *LambdaLR {
	return newLambdaLR("NewLambdaLR", opt, oneFunction("NewLambdaLR", opt, lambda), opts)
}

// NewLambdaLRList makes a LambdaLR with a function for each group. It panics as
// [NewLambdaLR] does, and with ErrValue unless there are as many functions as groups.
// Follows torch.optim.lr_scheduler.LambdaLR with a list.
func NewLambdaLRList(opt optim.Optimizer, lambdas []func(epoch int) float64, opts ...EpochOption) *LambdaLR {
	return newLambdaLR("NewLambdaLRList", opt, functions("NewLambdaLRList", opt, lambdas), opts)
}

func newLambdaLR(op string, opt optim.Optimizer, lambdas []lambda, opts []EpochOption) *LambdaLR {
	s := new(LambdaLR)
	s.unsavedFunctions(len(lambdas))
	s.mustFit = func() {
		s.mustHaveBaseLRs()
		s.mustBePerGroup(lambdasKey, len(lambdas))
	}
	s.rate = func(_ *optim.ParamGroup, i int) float64 { return s.baseLRs[i] * lambdas[i](int(s.lastEpoch)) }
	s.start("LambdaLR", opt, epochOptions(op, opts))
	return s
}

// lambdasKey is the name of the functions in Python.
const lambdasKey = "lr_lambdas"

// unsavedFunctions makes StateDict return None for each of n functions, as Python's dict
// does.
func (b *base) unsavedFunctions(n int) {
	b.ignoredEntries = []string{lambdasKey}
	b.addEntries = func(sd StateDict) { sd[lambdasKey] = make([]any, n) }
}

// lambda is the function of a group.
type lambda = func(epoch int) float64

// oneFunction returns a list with a function for each group, all the same.
func oneFunction(op string, opt optim.Optimizer, f lambda) []lambda {
	mustBeOptimizer(op, opt)
	if f == nil {
		panic(torch.NilFunc(op, "lr_lambda"))
	}
	return slices.Repeat([]lambda{f}, len(opt.ParamGroups()))
}

// functions checks that there is a function for each group, and returns a copy of the list.
func functions(op string, opt optim.Optimizer, lambdas []lambda) []lambda {
	mustBeOptimizer(op, opt)
	if len(lambdas) != len(opt.ParamGroups()) {
		panic(torch.NewError(op, torch.ErrValue, "lr_lambda",
			fmt.Sprintf("expected a function for each of %d groups, got %d", len(opt.ParamGroups()), len(lambdas))))
	}
	for i, f := range lambdas {
		if f == nil {
			panic(torch.NilFunc(op, fmt.Sprintf("lr_lambda[%d]", i)))
		}
	}
	return slices.Clone(lambdas)
}

// MultiplicativeLR multiplies the rates by a function of the epoch in every epoch.
type MultiplicativeLR struct{ base }

// NewMultiplicativeLR makes a MultiplicativeLR with one function for all groups. The
// function is not part of the state dict. Its option is [LastEpoch]. It panics as
// [NewLambdaLR] does. Follows torch.optim.lr_scheduler.MultiplicativeLR.
func NewMultiplicativeLR(opt optim.Optimizer, lambda func(epoch int) float64, opts ...EpochOption) *MultiplicativeLR {
	return newMultiplicativeLR("NewMultiplicativeLR", opt, oneFunction("NewMultiplicativeLR", opt, lambda), opts)
}

// NewMultiplicativeLRList makes a MultiplicativeLR with a function for each group.
// It panics as [NewLambdaLRList] does.
// Follows torch.optim.lr_scheduler.MultiplicativeLR with a list.
func NewMultiplicativeLRList(opt optim.Optimizer, lambdas []func(epoch int) float64,
	opts ...EpochOption,
) *MultiplicativeLR {
	const op = "NewMultiplicativeLRList"
	return newMultiplicativeLR(op, opt, functions(op, opt, lambdas), opts)
}

func newMultiplicativeLR(op string, opt optim.Optimizer, lambdas []lambda, opts []EpochOption) *MultiplicativeLR {
	s := new(MultiplicativeLR)
	s.unsavedFunctions(len(lambdas))
	s.mustFit = func() { s.mustBePerGroup(lambdasKey, len(lambdas)) }
	s.rate = func(g *optim.ParamGroup, i int) float64 {
		if s.initial {
			return g.LR()
		}
		return g.LR() * lambdas[i](int(s.lastEpoch))
	}
	s.start("MultiplicativeLR", opt, epochOptions(op, opts))
	return s
}
