// Package zstd unpacks Zstandard for the readers of package torch/data:
//
//	set, err := data.NewWebDataset(urls, data.Decompressors{".zst": zstd.NewReader})
package zstd

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is what the zstd program takes without being asked for more.
const maxWindow = 128 << 20

// NewReader returns what r holds, unpacked. It reads ahead of what it returns and starts
// no goroutine. Close frees its buffers and does not close r; a reader takes up to three
// times the window of the file, and refuses one of more than 128 MiB, as the zstd program
// does. Errors of damage come from Read.
func NewReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
