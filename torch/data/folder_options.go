package data

import (
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

type (
	// A DatasetFolderOption is an argument of [NewDatasetFolder] that Python takes by
	// keyword: [Extensions], [IsValidFile], [AllowEmpty], [WithTransform] or
	// [TargetTransform].
	//
	//gotorch:options Extensions IsValidFile AllowEmpty TransformOption TargetTransform
	DatasetFolderOption interface{ datasetFolderOption() }
	// An ImageFolderOption is an argument of [NewImageFolder] that Python takes by
	// keyword: [IsValidFile], [AllowEmpty], [WithTransform] or [TargetTransform]; or an
	// option for reading images: [ImageReadMode], [ApplyEXIFOrientation], [Decoder] or
	// [MaxPixels].
	//gotorch:options IsValidFile AllowEmpty TransformOption TargetTransform ImageReadMode
	//gotorch:options ApplyEXIFOrientation Decoder MaxPixels
	ImageFolderOption interface{ imageFolderOption() }
)

// Extensions are the file name endings of a [DatasetFolder], such as ".npy"; case does not
// matter. Either Extensions or [IsValidFile] is required. It is extensions in torchvision.
type Extensions []string

// IsValidFile reports whether a file belongs to the dataset, given its path;
// is_valid_file in torchvision. The default, and nil, checks the file name's ending:
// against the Extensions of a [DatasetFolder], or against [ImageExtensions] for an
// [ImageFolder].
type IsValidFile func(path string) bool

// AllowEmpty says whether a class may have no files. The default is false. It is
// allow_empty in torchvision.
type AllowEmpty bool

// TargetTransform is a function that changes the index of the class; target_transform in
// torchvision. The default, and nil, leaves the index unchanged.
type TargetTransform func(class int64) int64

// A TensorTransform maps a tensor to a tensor, as the transforms of package
// torch/data/transforms do. It may return its argument.
type TensorTransform interface {
	Forward(x *torch.Tensor) *torch.Tensor
}

// TransformOption is the type of [WithTransform].
type TransformOption struct{ transform TensorTransform }

// WithTransform transforms the input of each example when it is read; transform in
// torchvision. Temporary tensors of the transform are freed. The default, and nil, leaves
// inputs unchanged. [Transform] does the same for whole batches.
func WithTransform(t TensorTransform) TransformOption { return TransformOption{t} }

// ImageExtensions returns the file name endings that [NewImageFolder] accepts. They are
// IMG_EXTENSIONS of torchvision. The decoder may not support all of these formats.
func ImageExtensions() []string {
	return []string{".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}
}

// folderSettings holds the option values of a DatasetFolder or ImageFolder.
type folderSettings struct {
	extensions []string
	isValid    func(string) bool
	allowEmpty bool
	transform  TensorTransform
	target     func(int64) int64
}

// read reads o if it is an option of both DatasetFolder and ImageFolder. It reports
// whether o is such an option.
func (f *folderSettings) read(o any) bool {
	switch o := o.(type) {
	case IsValidFile:
		f.isValid = o
	case AllowEmpty:
		f.allowEmpty = bool(o)
	case TransformOption:
		f.transform = o.transform
	case TargetTransform:
		f.target = o
	default:
		return false
	}
	return true
}

func readDatasetFolder(opts []DatasetFolderOption) folderSettings {
	const op = "data.NewDatasetFolder"
	var f folderSettings
	for _, o := range opts {
		if e, ok := o.(Extensions); ok {
			f.extensions = slices.Clone(e)
		} else if !f.read(o) {
			panic(torch.BadOption(op, o))
		}
	}
	if (f.extensions == nil) == (f.isValid == nil) {
		panic(torch.NewError(op, torch.ErrValue, "opts", "expected exactly one of Extensions and IsValidFile"))
	}
	return f
}

func readImageFolder(opts []ImageFolderOption) (folderSettings, imageSettings) {
	var f folderSettings
	im := newImaging()
	im.Mode = ImageReadModeRGB
	for _, o := range opts {
		if !f.read(o) {
			im.read("data.NewImageFolder", o)
		}
	}
	if f.isValid == nil {
		f.extensions = ImageExtensions()
	}
	return f, im
}

// belongs reports whether a file belongs to the dataset, given its path.
func (f *folderSettings) belongs(path string) bool {
	if f.isValid != nil {
		return f.isValid(path)
	}
	path = strings.ToLower(path)
	return slices.ContainsFunc(f.extensions, func(e string) bool { return strings.HasSuffix(path, strings.ToLower(e)) })
}
