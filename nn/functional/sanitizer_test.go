//go:build race || asan

package functional_test

func init() { sanitized = true }
