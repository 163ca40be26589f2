//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Nothing: that there is a C++ file makes Go call the C++ compiler, which reads
// libtorch_check.h first.
