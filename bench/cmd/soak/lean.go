package main

import (
	"fmt"
	"os"
	"syscall"
)

const tunables = "GLIBC_TUNABLES"

// leanMalloc restarts the program in the same process, with a malloc that has two heaps
// for all threads and no per-thread caches. Then malloc's statistics are exact, and
// resident memory follows them. Otherwise blocks in a thread's cache count as allocated
// and keep their pages, and heaps of many threads take a long time to reach their largest
// size. If the caller has set GLIBC_TUNABLES, even to "", leanMalloc does not change it.
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
