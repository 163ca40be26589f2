//go:build !linux

package main

import "errors"

// forget takes a file out of the system's cache, which only Linux offers.
func forget(string) { check(errors.ErrUnsupported) }
