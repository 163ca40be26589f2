package main

import (
	"fmt"
	"os"
	"syscall"
)

const tunables = "GLIBC_TUNABLES"

// leanMalloc restarts the program in the same process, with a malloc that has two heaps
// for all threads and no cache per thread. Blocks in a thread's cache count as allocated
// and keep their pages. With a heap per thread, it takes long until each heap has reached
// its largest size. With two heaps and no caches, malloc's statistics are exact, and
// resident memory changes with them. If the caller has set GLIBC_TUNABLES, even to
// nothing, leanMalloc does not change it.
//
// It returns only if restarting is impossible, or has already happened. C libraries other
// than glibc ignore the variable.
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
