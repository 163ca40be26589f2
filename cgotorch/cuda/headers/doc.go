// Package headers is empty. Package cuda imports it so that `go mod vendor` copies the C
// headers in this directory.
package headers
