//go:build race || asan

package torch_test

func init() { sanitized = true }
