// Package native is the roof over what runs below package torch: how calls reach
// libtorch, who may be in it, and when native memory is freed. It has no code of its own.
// Each package under it holds one idea and can be read alone.
//
// # The life of a call
//
// Package goroutine says who runs: its Local finds the state of the running goroutine (the
// innermost scope, grad mode, default device), if it has one. If somebody wants to know
// who allocates (a history, a list of live tensors), package trace takes the calling stack
// and gives it a number. Package entry is the way in, with the number of threads that the
// call may use. It asks two others: package gate admits the call, since at most as many as
// there are cores are in native code at a time, and the rest wait in Go; package pacer
// looks whether native memory has passed its threshold, and if so the call collects
// garbage first, while it holds neither a place nor a result. State, thread count and
// stack travel as one word, abi.Ctx, and the C++ side brings its thread into that state.
// Modes that few programs change (autocast, CUDA's current device and streams) are in the
// word as the number of a row of a table, which package modes explains.
// Hooks and custom functions run the other way: libtorch knows them by a number of package
// callback, which also carries a panic across the C++ frames.
//
// # The life of a handle
//
// A handle is a TensorImpl* as a number, with one reference that a torch.Tensor owns.
// Package count has the number of open ones, which pacer reads too: what a handle costs
// beside its elements counts for the threshold. Package live lists them by the line that
// made them, if memory.TrackTensors asked for that. While an operator runs, package use
// counts it as a user of its arguments, so that closing them elsewhere frees nothing
// before its end. A handle ends by Close, with its scope, or with the collection that
// finds its Tensor unreachable, whichever comes first; package own is how containers of
// layers and loaders take part in that.
//
// # The wiring
//
// None of these packages imports package torch. What they need of it, it hands them when
// it is initialised, in torch/native_init.go.
package native
