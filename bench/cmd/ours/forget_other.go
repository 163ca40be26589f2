//go:build !linux

package main

import "errors"

// forget panics, because a file can be removed from the page cache only on Linux.
func forget(string) { check(errors.ErrUnsupported) }
