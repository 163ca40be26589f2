// Package harness measures this library beside others that do the same work.
//
// Each contestant is a child process that stays alive and answers one line on
// standard output for each line on standard input:
//
//	run CASE ITERATIONS [key=value ...]
//	ok NANOSECONDS [key=value ...]
//	err TEXT
//
// The nanoseconds are those of all iterations; a child warms up by itself
// before it takes the time. Further values (peak bytes, threads) follow by
// name. A measure marked Fresh gets a process of its own, because what it reads
// depends on what ran before: allocator state, threads that never end. A
// contestant can also be a whole program that runs once and says what it
// measured on a line that starts with "bench".
//
// The contestants of a group take turns for some rounds, so that a change in
// the machine's mood meets all of them, and each row of the result compares the
// medians of two. What a row is held to stands in targets.tsv. The harness
// reports; it never fails because something was slow.
package harness
