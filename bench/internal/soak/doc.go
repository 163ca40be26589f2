// Package soak runs mixed work on several goroutines for a long time and reports whether
// memory grew. The work includes training with scopes, garbage left to the collector,
// random operators, views, graphs, hooks, mistakes, goroutines that panic, and a small
// version of the example program.
//
// Time is divided into rounds. At the end of a round every goroutine stops at a barrier,
// garbage is collected, the allocator's cache is emptied, and a sample is taken, so that
// samples are comparable. Between rounds each goroutine holds a network and its
// optimizer, whose size is constant. So native bytes and open tensors should be exactly
// equal in all samples. A memory.Monitor judges the samples after the warm-up. After
// everything is closed, native bytes, open tensors and callbacks must be the same as at
// the start.
package soak
