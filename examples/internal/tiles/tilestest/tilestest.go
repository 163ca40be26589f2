// Package tilestest reads the pictures that examples draw.
package tilestest

import (
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// PNG reads a PNG file, and fails the test if it is not one.
func PNG(t testing.TB, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err, path)
	return img
}
