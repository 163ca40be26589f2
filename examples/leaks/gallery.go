package main

import "github.com/gotorch/gotorch/torch"

// pattern is a leak that is common in Python programs, with its fix. Each has its own
// file, where the comment "leaks" marks the line that the tools report.
type pattern struct {
	name, title, remedy string
	// Each returns two functions: one to call in each step, and one that frees everything
	// at the end.
	leaky, fixed func() (step func(int), end func())
	// garbage is true if the collector would free the leak. The check must then run
	// before a collection.
	garbage bool
}

// gallery is in the order of docs/leaks.md.
var gallery = []pattern{
	{
		name: "gradients", title: "gradients never zeroed",
		remedy: "`torch.ZeroGrad` or `opt.ZeroGrad()` in every step",
		leaky:  leakyGradients, fixed: fixedGradients,
	},
	{
		name: "states", title: "outputs kept with their graph",
		remedy: "`Detach` the state before the next step",
		leaky:  leakyStates, fixed: fixedStates,
	},
	{
		name: "losses", title: "losses kept without Item",
		remedy: "keep `loss.Item()`",
		leaky:  leakyLosses, fixed: fixedLosses,
	},
	{
		name: "devices", title: "results on a device never released",
		remedy: "copy the values out with `Float32s`; a scope frees the tensor",
		leaky:  leakyDevices, fixed: fixedDevices,
	},
	{
		name: "cycles", title: "reference cycles",
		remedy: "none needed: Go's collector frees them",
		leaky:  leakyCycles, fixed: fixedCycles,
	},
	{
		name: "hooks", title: "a hook that refers to its own tensor",
		remedy: "let the hook refer to `x.Detach()`, or `Remove` the hook",
		leaky:  leakyHooks, fixed: fixedHooks,
	},
	{
		name: "globals", title: "tensors added to a global variable",
		remedy: "limit the size, and `Close` the tensors that you remove",
		leaky:  leakyGlobals, fixed: fixedGlobals,
	},
	{
		name: "figures", title: "figures and plots in loops",
		remedy: "close the figure in the loop",
		leaky:  leakyFigures, fixed: fixedFigures,
	},
	{
		name: "metrics", title: "metrics collected without a limit",
		remedy: "keep running sums of plain numbers",
		leaky:  leakyMetrics, fixed: fixedMetrics,
	},
	{
		name: "norms", title: "a history of gradient norms",
		remedy: "keep numbers, with `Item`, in a ring buffer",
		leaky:  leakyNorms, fixed: fixedNorms,
	},
	{
		name: "caches", title: "caches that hold tensors",
		remedy: "limit the size, and `Close` on eviction",
		leaky:  leakyCaches, fixed: fixedCaches,
	},
	{
		name: "goroutines", title: "tensors captured by goroutines that never end",
		remedy: "cancel their context",
		leaky:  leakyGoroutines, fixed: fixedGoroutines,
	},
	{
		name: "returns", title: "Close forgotten on an early return",
		remedy: "`defer x.Close()`, or a scope",
		leaky:  leakyReturns, fixed: fixedReturns, garbage: true,
	},
}

// scoped returns a function that runs each step in a scope, as a loader does.
func scoped(fn func(int)) func(int) {
	return func(i int) { torch.Scope(func() { fn(i) }) }
}

func weights() *torch.Tensor { return torch.Ones(torch.Shape{16, 16}).RequiresGrad_() }

func closing(t *torch.Tensor) func() { return func() { _ = t.Close() } }

// bag keeps tensors until empty is called.
type bag struct{ ts []*torch.Tensor }

func (b *bag) put(t *torch.Tensor) { b.ts = append(b.ts, torch.Disown(t)) }

func (b *bag) empty() { b.limit(0) }

// limit closes all tensors except the newest n.
func (b *bag) limit(n int) {
	old := max(len(b.ts)-n, 0)
	for _, t := range b.ts[:old] {
		_ = t.Close()
	}
	b.ts = append(b.ts[:0], b.ts[old:]...)
}
