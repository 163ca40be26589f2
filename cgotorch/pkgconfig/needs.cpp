//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// This file has no code. Because it is C++, Go calls the C++ compiler, which first reads
// libtorch_check.h.
