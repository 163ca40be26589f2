package main

import (
	"fmt"
	"os"
	"syscall"
)

const tunables = "GLIBC_TUNABLES"

// leanMalloc restarts the program in the same process, with a malloc that has two heaps
// for all threads and no cache per thread. Blocks in such caches count as allocated and
// keep their pages, depending on the number of threads, and with a heap per thread it
// takes long until each has seen the worst mix of jobs. Without them malloc's figures are
// exact, and resident memory follows them. Tunables set by the caller are not changed,
// even if they are empty.
//
// It returns only if restarting is impossible, or has already been done. C libraries
// other than glibc ignore the variable.
func leanMalloc() error {
	if _, set := os.LookupEnv(tunables); set {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	env := append(os.Environ(), tunables+"=glibc.malloc.arena_max=2:glibc.malloc.tcache_count=0")
	return fmt.Errorf("%s: %w", self, syscall.Exec(self, os.Args, env))
}
