//go:build !((linux && (amd64 || arm64)) || (darwin && arm64))

package pkgconfig

// The text is converted to bytes because the compiler would shorten a constant in its
// error message.
var _ uint = []byte("gotorch builds for linux/amd64, linux/arm64 and darwin/arm64; on other systems, see https://github.com/gotorch/gotorch/blob/main/docs/platforms.md")
