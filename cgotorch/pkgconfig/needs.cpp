//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Empty. A C++ file makes Go call the C++ compiler, which first reads libtorch_check.h.
