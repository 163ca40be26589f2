// Package harness runs the same work with gotorch and with other libraries, and compares
// time and memory.
//
// Each contestant is a child process that stays alive and writes one line to standard
// output for each line on standard input:
//
//	run CASE ITERATIONS [key=value ...]
//	ok NANOSECONDS [key=value ...]
//	err TEXT
//
// The nanoseconds are the time of all iterations. A child warms up before the
// measurement. Other values, such as peak bytes, follow as key=value. A measure marked
// Fresh gets a new process, because its result depends on what ran before, such as the
// allocator's state or threads that never end. A contestant can also be a whole program
// that runs once and prints its results on a line that starts with "bench".
//
// The contestants of a group take turns for several rounds, so that changes in the
// machine's load affect all of them. Each row of the result compares the medians of two
// contestants. targets.tsv contains the targets of the rows. A missed target is reported
// but is not an error.
package harness
