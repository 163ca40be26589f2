//go:build !linux

package docs_test

import "testing"

func nobody(t *testing.T) func() {
	t.Skip("a thread cannot be another user here")
	return nil
}
