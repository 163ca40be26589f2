// Package soak runs mixed work on several goroutines for a long time and says
// whether memory grows: training with scopes, garbage left to the collector,
// random operators, views, graphs, hooks, mistakes, goroutines that panic, and
// the example program in small.
//
// Time is cut into rounds. At the end of a round every goroutine stops at a
// barrier, garbage is collected, the allocator's cache is emptied, and a sample
// is taken: samples compare like with like. What the goroutines hold between
// rounds, a network and its optimizer each, has the same size every time, so
// native bytes and open tensors should be equal to the byte in all samples.
// A memory.Monitor gives the verdict over the samples after the warm-up, and at
// the end, with everything closed, native bytes, open tensors and callbacks
// have to be what they were at the beginning.
package soak
