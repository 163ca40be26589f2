// Package native contains the packages below package torch: they handle calls to
// libtorch, limit how many run at once, and decide when native memory is freed. The
// package itself has no code. Each package below it can be read on its own.
//
// # A call
//
// Package goroutine identifies the running goroutine. Its Local returns the goroutine's
// state (innermost scope, grad mode, default device), if it has any. If a feature such as
// the history needs call stacks, package trace records the stack and gives it a number.
// Package entry admits the call to native code and chooses the number of threads that the
// call may use. It uses two other packages. Package gate limits the calls in native code
// to the number of cores; other calls wait in Go. Package pacer checks whether native
// memory has passed its threshold. If so, the call first collects garbage, before it has
// a slot or a result.
//
// State, thread count and stack travel as one word, abi.Ctx, and the C++ side switches
// its thread to that state. A program seldom changes the other modes: autocast, and
// CUDA's current device and streams. Each combination of them is a row of a table, and
// the word contains the row's number; see package modes. Hooks and custom functions are
// calls in the other direction. libtorch refers to them by a number from package
// callback, which also carries a panic across the C++ frames.
//
// # A handle
//
// A handle is a TensorImpl* as a number, with one reference owned by a torch.Tensor.
// Package count counts the open handles. Package pacer adds their overhead to the native
// memory that counts for the threshold. If memory.TrackTensors is on, package live lists
// the handles by the line that created them. While an operator runs, package use counts
// it as a user of its arguments. Another goroutine can then close the arguments, but they
// are not freed before the operator ends. A handle is freed by Close, with its scope, or
// by the garbage collection that finds its Tensor unreachable, whichever comes first.
// Containers of layers and loaders use package own to change owners.
//
// # Initialization
//
// None of these packages imports package torch. torch/native_init.go passes them what
// they need when package torch is initialized.
package native
