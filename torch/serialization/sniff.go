package serialization

import (
	"bytes"

	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// kindOfFile is a kind of file, which is determined from the first bytes.
type kindOfFile int

const (
	isOther kindOfFile = iota
	isEmpty
	isZip
	isLegacy
	isTar
	isSafetensors
	isPickle
	isHDF5
)

// magic is the beginning of a file in the format before PyTorch 1.6 with pickle protocol 2:
// the number 0x1950a86a20f9469cfc6c. In files with other protocols, other bytes come before
// the number.
var magic = []byte("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")

// magicText is the same number in decimal, as pickle protocol 0 stores it.
var magicText = []byte("119547037146038801333356")

func sniff(head []byte) kindOfFile {
	first := head[:min(len(head), 64)]
	switch {
	case len(head) == 0:
		return isEmpty
	case ziparchive.Begins(head):
		return isZip
	case bytes.Contains(first, magic) || bytes.Contains(first, magicText):
		return isLegacy
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return isTar
	case len(head) > 8 && head[8] == '{' && head[7] == 0 && head[6] == 0:
		return isSafetensors
	case bytes.HasPrefix(head, []byte("\x89HDF\r\n")):
		return isHDF5
	case head[0] == 0x80 && len(head) > 1 && head[1] <= 5:
		return isPickle
	}
	return isOther
}

func (k kindOfFile) error() error {
	switch k {
	case isEmpty:
		return torch.ErrTruncated
	case isTar, isSafetensors, isHDF5:
		return torch.ErrUnsupported
	}
	return torch.ErrFormat
}

func (k kindOfFile) text() string {
	switch k {
	case isEmpty:
		return "an empty file"
	case isTar:
		return "a tar archive, as written by PyTorch before version 0.1.12; if you trust it, load it in Python with " +
			"weights_only=False and save it again"
	case isSafetensors:
		return "a safetensors file; package torch/safetensors reads it"
	case isHDF5:
		return "an HDF5 file, not a file of PyTorch"
	case isPickle:
		return "a pickle that torch.save did not write"
	}
	return "not written by torch.save: neither a zip archive nor the magic number of the format before PyTorch 1.6"
}
