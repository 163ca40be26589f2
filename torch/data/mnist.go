package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
)

// FashionMNISTClasses are the class names of Fashion-MNIST: element i is the name of label
// i.
var FashionMNISTClasses = []string{
	"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot",
}

// MNIST reads the training set of MNIST, Fashion-MNIST, KMNIST or another data set in the
// same format, or with [Train](false) the test set. dir is the directory with its files
// (train-images-idx3-ubyte.gz and so on, with or without ".gz"). The inputs have shape
// (n, 1, height, width) and dtype uint8, the targets shape (n) and dtype int64. The
// tensors belong to no scope; close the dataset to free them.
//
// It returns a *FileError: fs.ErrNotExist for missing files, ErrFormat or ErrTruncated
// for a file that is damaged or has a different format, and ErrMismatch if images and
// labels do not belong together. A nil option panics with ErrNil. Follows
// torchvision.datasets.MNIST.
func MNIST(dir string, opts ...MNISTOption) (*TensorDataset, error) {
	prefix := "t10k"
	if readMNIST(opts) {
		prefix = "train"
	}
	images, imagesPath, err := readEither(dir, prefix+"-images-idx3-ubyte")
	if err != nil {
		return nil, err
	}
	labels, labelsPath, err := readEither(dir, prefix+"-labels-idx1-ubyte")
	if err != nil {
		return nil, err
	}
	if err := expectBytes(images, imagesPath, 3); err != nil {
		return nil, err
	}
	if err := expectBytes(labels, labelsPath, 1); err != nil {
		return nil, err
	}
	n := images.Shape[0]
	if labels.Shape[0] != n {
		return nil, &FileError{
			Path: labelsPath, Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf("expected a label for each image, got %d labels for the %d images in %s",
				labels.Shape[0], n, filepath.Base(imagesPath)),
		}
	}
	targets := make([]int64, n)
	for i, c := range labels.Data {
		targets[i] = int64(c)
	}
	return NewTensorDataset(
		torch.Disown(torch.FromSliceWith(images.Data, torch.Shape{n, 1, images.Shape[1], images.Shape[2]}, torch.CPU)),
		torch.Disown(torch.FromSliceWith(targets, torch.Shape{n}, torch.CPU)),
	), nil
}

// readEither reads the file with the given name and the suffix ".gz" or, if there is none, the
// file without the suffix. It returns the path of the file that it has read.
func readEither(dir, name string) (*IDX, string, error) {
	compressed, plain := filepath.Join(dir, name+".gz"), filepath.Join(dir, name)
	for _, path := range []string{compressed, plain} {
		x, err := ReadIDX(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return x, path, err
		}
	}
	detail := "does not exist, and neither does " + filepath.Base(compressed)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		detail = "the folder does not exist"
	}
	return nil, "", &FileError{Path: plain, Detail: detail + " (scripts/get_fashion_mnist.sh fetches Fashion-MNIST " +
		"and prints its folder)", Err: fs.ErrNotExist}
}

func expectBytes(x *IDX, path string, dims int) error {
	if x.DType != torch.Uint8 || len(x.Shape) != dims {
		return &FileError{
			Path: path, Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf("holds %v %v, expected uint8 of %d dimensions", x.DType, x.Shape, dims),
		}
	}
	return nil
}
