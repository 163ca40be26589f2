// Package nlohmann is empty. Package functorch imports it so that `go mod vendor` copies
// the C++ header in this directory.
package nlohmann
