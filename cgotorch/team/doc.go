// Package team runs the parallel regions of libtorch's kernels by one team of threads for
// the process.
//
// libtorch's kernels divide their work by OpenMP: a kernel opens a region of n shares, and
// threads run them. GNU's runtime, libgomp, keeps a pool of threads for each thread that
// ever opened a region. A goroutine changes its thread now and then, so a Go program soon has
// several pools, more threads than cores, and waits of tens of microseconds in each region.
//
// The functions of OpenMP that libtorch imports are defined here too. The linker exports
// them, since a library on the link line refers to them, and the definition of the program
// comes before that of a library. The rule is: whoever opens a region runs share 0, then
// each share that no worker has begun. So no region waits for a worker to wake up, and the
// division into shares, and with it every bit of the result, does not depend on what else
// runs. A region that meets a barrier gets all its threads.
//
//	region    runs a region and its shares           slots      the open regions, who begins what
//	workers   start, look for shares, sleep          keeper     no share is left unbegun
//	barrier   barriers and single                    loops      loops, ordered ones, sections
//	critical  mutexes                                icv        numbers of threads
//	settings  environment, CPUs                      cgroup     limits of a container
//	objects   whose regions are the team's           libgomp    the runtime for all others
//	wait      spinning and sleeping                  fork       the child starts anew
package team
