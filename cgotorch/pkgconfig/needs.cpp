//go:build (linux && (amd64 || arm64)) || (darwin && arm64)

// Has no code. Because there is a C++ file, Go calls the C++ compiler, which first reads libtorch_check.h.
