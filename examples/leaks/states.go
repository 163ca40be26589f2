package main

import "github.com/gotorch/gotorch/torch"

// A state that is carried over keeps its graph, and therefore all previous states. Detach
// drops the graph.
func leakyStates() (step func(int), end func()) {
	w, state := weights(), torch.Ones(torch.Shape{16, 16})
	return func(int) {
		next := torch.Tidy(func() *torch.Tensor {
			return state.MatMul(w).Tanh() // leaks
		})
		_ = state.Close()
		state = next //torchvet:ignore carried the leak that is looked for
	}, func() { _ = state.Close(); _ = w.Close() }
}

func fixedStates() (step func(int), end func()) {
	w, state := weights(), torch.Ones(torch.Shape{16, 16})
	return func(int) {
		next := torch.Tidy(func() *torch.Tensor { return state.MatMul(w).Tanh().Detach() })
		_ = state.Close()
		state = next
	}, func() { _ = state.Close(); _ = w.Close() }
}
