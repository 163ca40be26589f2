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
	return newLambdaLR("NewLambdaLR", opt, oneFunction("NewLambdaLR", lambda), opts)
}

// NewLambdaLRList makes a LambdaLR with a function for each group. It panics as
// [NewLambdaLR] does, and with ErrValue unless there are as many functions as groups.
// Follows torch.optim.lr_scheduler.LambdaLR with a list.
func NewLambdaLRList(opt optim.Optimizer, lambdas []func(epoch int) float64, opts ...EpochOption) *LambdaLR {
	return newLambdaLR("NewLambdaLRList", opt, functions("NewLambdaLRList", "LambdaLR.Step", opt, lambdas), opts)
}

func newLambdaLR(op string, opt optim.Optimizer, of lambdaOf, opts []EpochOption) *LambdaLR {
	s := new(LambdaLR)
	s.unsavedFunctions()
	s.rate = func(_ *optim.ParamGroup, i int) float64 { return s.baseLRs[i] * of(i)(int(s.lastEpoch)) }
	s.start("LambdaLR", opt, epochOptions(op, opts))
	return s
}

// unsavedFunctions makes StateDict return what Python's dict contains for functions: None for each
// group.
func (b *base) unsavedFunctions() {
	const key = "lr_lambdas"
	b.ignoredEntries = []string{key}
	b.addEntries = func(sd StateDict) { sd[key] = make([]any, len(b.baseLRs)) }
}

// lambdaOf returns the function of a group.
type lambdaOf func(i int) func(epoch int) float64

func oneFunction(op string, lambda func(epoch int) float64) lambdaOf {
	if lambda == nil {
		panic(torch.NilFunc(op, "lr_lambda"))
	}
	return func(int) func(int) float64 { return lambda }
}

func functions(op, step string, opt optim.Optimizer, lambdas []func(epoch int) float64) lambdaOf {
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
	lambdas = slices.Clone(lambdas)
	return func(i int) func(int) float64 {
		if i >= len(lambdas) {
			panic(torch.NewError(step, torch.ErrValue, "lr_lambda",
				fmt.Sprintf("there is no function for group %d, which was added after the scheduler was made", i)))
		}
		return lambdas[i]
	}
}

// MultiplicativeLR multiplies the rates by a function of the epoch in every epoch.
type MultiplicativeLR struct{ base }

// NewMultiplicativeLR makes a MultiplicativeLR with one function for all groups. The
// function is not part of the state dict. Its option is [LastEpoch]. It panics as
// [NewLambdaLR] does. Follows torch.optim.lr_scheduler.MultiplicativeLR.
func NewMultiplicativeLR(opt optim.Optimizer, lambda func(epoch int) float64, opts ...EpochOption) *MultiplicativeLR {
	return newMultiplicativeLR("NewMultiplicativeLR", opt, oneFunction("NewMultiplicativeLR", lambda), opts)
}

// NewMultiplicativeLRList makes a MultiplicativeLR with a function for each group.
// It panics as [NewLambdaLRList] does.
// Follows torch.optim.lr_scheduler.MultiplicativeLR with a list.
func NewMultiplicativeLRList(opt optim.Optimizer, lambdas []func(epoch int) float64,
	opts ...EpochOption,
) *MultiplicativeLR {
	const op = "NewMultiplicativeLRList"
	return newMultiplicativeLR(op, opt, functions(op, "MultiplicativeLR.Step", opt, lambdas), opts)
}

func newMultiplicativeLR(op string, opt optim.Optimizer, of lambdaOf, opts []EpochOption) *MultiplicativeLR {
	s := new(MultiplicativeLR)
	s.unsavedFunctions()
	s.rate = func(g *optim.ParamGroup, i int) float64 {
		if s.initial {
			return g.LR()
		}
		return g.LR() * of(i)(int(s.lastEpoch))
	}
	s.start("MultiplicativeLR", opt, epochOptions(op, opts))
	return s
}
