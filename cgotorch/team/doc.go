// Package team runs the parallel regions of libtorch's kernels on one team of threads per
// process.
//
// libtorch's kernels divide their work with OpenMP: a kernel opens a region of n shares,
// and threads run them. GNU's runtime, libgomp, keeps a pool of threads for each thread
// that ever opened a region. Goroutines sometimes move to a different thread, so a Go
// program would soon have several pools, more threads than cores, and waits of tens of
// microseconds in each region.
//
// So this package defines the OpenMP functions that libtorch imports. The linker exports
// them because a library on the link line refers to them, and the program's definition
// takes precedence over a library's. The thread that opens a region runs share 0, and
// then each share that no worker has started. So no region waits for a worker to wake up.
// The division into shares, and every bit of the result, do not depend on what else is
// running. A region with a barrier gets all its threads.
//
//	region    runs a region and its shares           slots      open regions, claims of shares
//	workers   start, take shares, sleep              keeper     makes sure that every share begins
//	barrier   barriers and single                    loops      loops, ordered loops, sections
//	critical  mutexes                                icv        thread numbers and limits
//	settings  environment, CPUs                      cgroup     limits of a container
//	objects   libraries whose regions the team runs  libgomp    the runtime for all other regions
//	wait      spinning and sleeping                  fork       a new team for the child
package team
