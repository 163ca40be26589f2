// Package zstd decompresses Zstandard for the readers of package torch/data:
//
//	set, err := data.NewWebDataset(urls, data.Decompressors{".zst": zstd.NewReader})
package zstd

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// maxWindow is the largest window size in bytes. It is the default limit of the zstd
// program.
const maxWindow = 128 << 20

// NewReader returns a reader that decompresses r. It reads ahead and starts no goroutine.
// Close frees its buffers and does not close r. The reader uses up to three times the
// file's window size in memory, and refuses a window of more than 128 MiB, as the zstd
// program does. If the input is damaged, Read returns an error.
func NewReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}
