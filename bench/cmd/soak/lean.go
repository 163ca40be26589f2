package main

import (
	"fmt"
	"os"
	"syscall"
)

const tunables = "GLIBC_TUNABLES"

// leanMalloc starts the program again, in the same process, with a malloc that
// has two heaps for all threads and no cache for each. Blocks in such a cache
// count as handed out and keep their pages, as many as threads come to be, and
// with a heap for each thread it takes long until each has seen the worst mix of
// jobs. Without them what malloc says it has handed out is exact, and resident
// memory follows it. Tunables that the caller has set are left alone, be it to
// nothing.
//
// It returns only if that is not possible, or is done. Other C libraries than
// glibc ignore the variable.
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
