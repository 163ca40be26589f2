// Package goroutine identifies the running goroutine.
//
// Go hides the identity of goroutines so that nothing depends on it. Scopes and grad
// modes do depend on it: like Python's "with torch.no_grad()", they apply only to the
// code inside a closure. Locking the goroutine to a thread would have the same effect,
// but would need an OS thread per scope (see the measurements in docs/concurrency.md).
package goroutine

// ID returns a nonzero number that no other live goroutine has. It stays the same for the
// life of the goroutine, and may be reused afterwards. So code that stores an ID must
// delete it before the goroutine ends.
func ID() uintptr { return id() }
