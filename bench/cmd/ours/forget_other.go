//go:build !linux

package main

import "errors"

// forget removes a file from the system's cache, which is possible only on Linux.
func forget(string) { check(errors.ErrUnsupported) }
