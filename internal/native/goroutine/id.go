// Package goroutine tells one running goroutine from another.
//
// Go hides goroutine identity on purpose, so that nothing comes to depend on
// which goroutine runs it. Scopes and grad modes do depend on it, by design:
// like Python's "with torch.no_grad()" they hold for the code that runs inside
// a closure, and only for that. Locking the goroutine to a thread would give
// the same answer at the price of one OS thread a scope (see
// docs/concurrency.md for the figures).
package goroutine

// ID returns a number that no other live goroutine has. It stays the same for
// the life of the goroutine and may be used again after its end, so whoever
// stores one must drop it before the goroutine returns. Never zero.
func ID() uintptr { return id() }
