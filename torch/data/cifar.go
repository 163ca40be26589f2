package data

import (
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A CIFAROption is an argument of [CIFAR10] and [CIFAR100] that Python takes by keyword:
// [Train].
//
//gotorch:options Train
type CIFAROption interface{ cifarOption() }

// CIFAR10Classes are the class names of CIFAR-10: element i is the name of label i.
var CIFAR10Classes = []string{
	"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
}

// CIFAR10 reads the training set of CIFAR-10, or with [Train](false) the test set. dir is
// the directory with the files of the binary version (data_batch_1.bin and so on); the
// archive calls it cifar-10-batches-bin. The inputs have shape (n, 3, 32, 32) and dtype
// uint8, the targets shape (n) and dtype int64, in torchvision's order. The tensors
// belong to no scope; close the dataset to free them.
//
// It returns a *FileError: fs.ErrNotExist for a missing file, ErrTruncated for a file
// that ends within an image, and ErrFormat for an invalid label. A nil option panics with
// ErrNil. Follows torchvision.datasets.CIFAR10, which reads the version for Python.
func CIFAR10(dir string, opts ...CIFAROption) (*TensorDataset, error) {
	if !readCIFAR("data.CIFAR10", opts) {
		return cifar(dir, 1, 10, "test_batch.bin")
	}
	return cifar(dir, 1, 10, "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
		"data_batch_5.bin")
}

// CIFAR100 is [CIFAR10] for CIFAR-100. The files are train.bin and test.bin, in the
// archive's directory cifar-100-binary. The targets are the fine labels, 0 to 99. Follows
// torchvision.datasets.CIFAR100.
func CIFAR100(dir string, opts ...CIFAROption) (*TensorDataset, error) {
	if !readCIFAR("data.CIFAR100", opts) {
		return cifar(dir, 2, 100, "test.bin")
	}
	return cifar(dir, 2, 100, "train.bin")
}

// readCIFAR reads the options and reports whether they select the training set.
func readCIFAR(op string, opts []CIFAROption) bool {
	return bool(opt.Read(op, opts, Train(true)))
}

// maxCIFAR is the largest accepted file size in bytes. The largest real file is a seventh
// as large.
const maxCIFAR = 1 << 30

// cifar reads files of images. Before each image, the file has some labels of one byte
// each. The last of these labels is the image's target.
func cifar(dir string, labels, classes int, names ...string) (*TensorDataset, error) {
	const image = 3 * 32 * 32
	var pixels []byte
	var targets []int64
	for _, name := range names {
		path := filepath.Join(dir, name)
		b, err := files.Read(path, maxCIFAR)
		if err != nil {
			return nil, openError(path, err)
		}
		record := labels + image
		if len(b) == 0 || len(b)%record != 0 {
			return nil, &FileError{
				Path: path, Kind: torch.ErrTruncated,
				Detail: fmt.Sprintf("the file has %d bytes, expected a multiple of the %d bytes of an image", len(b),
					record),
			}
		}
		if pixels == nil {
			pixels = make([]byte, 0, len(names)*len(b)/record*image)
		}
		for ; len(b) > 0; b = b[record:] {
			label := int64(b[labels-1])
			if label >= int64(classes) {
				return nil, &FileError{
					Path: path, Kind: torch.ErrFormat,
					Detail: fmt.Sprintf("label %d of image %d is too large, expected less than %d", label, len(targets),
						classes),
				}
			}
			targets = append(targets, label)
			pixels = append(pixels, b[labels:record]...)
		}
	}
	n := int64(len(targets))
	return NewTensorDataset(
		torch.Disown(torch.FromSliceWith(pixels, torch.Shape{n, 3, 32, 32}, torch.CPU)),
		torch.Disown(torch.FromSliceWith(targets, torch.Shape{n}, torch.CPU)),
	), nil
}
