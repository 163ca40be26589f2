//go:build !linux

package main

import "errors"

// forget panics, because only on Linux can it remove a file from the page cache.
func forget(string) { check(errors.ErrUnsupported) }
