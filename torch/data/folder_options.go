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
	// keyword: [IsValidFile], [AllowEmpty], [WithTransform] or [TargetTransform]; or what
	// in Python belongs to its loader: [ImageReadMode], [ApplyEXIFOrientation],
	// [Decoder] or [MaxPixels].
	//
	//gotorch:options IsValidFile AllowEmpty TransformOption TargetTransform ImageReadMode
	//gotorch:options ApplyEXIFOrientation Decoder MaxPixels
	ImageFolderOption interface{ imageFolderOption() }
)

// Extensions are the ends of the names of the files that belong to a [DatasetFolder],
// such as ".npy", in any case; extensions in torchvision. It has no default: either this
// or [IsValidFile] has to be given.
type Extensions []string

// IsValidFile says which files belong to the dataset, by their path; is_valid_file in
// torchvision. The default, and nil, goes by the end of the name: the Extensions of a
// [DatasetFolder], [ImageExtensions] for an [ImageFolder].
type IsValidFile func(path string) bool

// AllowEmpty lets a class have no file; allow_empty in torchvision. The default is
// false.
type AllowEmpty bool

// TargetTransform changes the number of the class; target_transform in torchvision. The
// default, and nil, leaves it as it is.
type TargetTransform func(class int64) int64

// A TensorTransform makes one tensor of another, as those of package
// torch/data/transforms do. The result may be the argument.
type TensorTransform interface {
	Forward(x *torch.Tensor) *torch.Tensor
}

// TransformOption is what [WithTransform] returns.
type TransformOption struct{ transform TensorTransform }

// WithTransform changes the input of each example as it is read; transform in
// torchvision. What it makes besides its result is freed. The default, and nil, leaves
// inputs as they are. [Transform] is the like for whole batches.
func WithTransform(t TensorTransform) TransformOption { return TransformOption{t} }

// ImageExtensions are the ends of the names that [NewImageFolder] looks for,
// torchvision's IMG_EXTENSIONS. What of them can be decoded is the decoder's matter.
func ImageExtensions() []string {
	return []string{".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"}
}

// foldering is a list of options of folders, read.
type foldering struct {
	extensions []string
	valid      func(string) bool
	allowEmpty bool
	transform  TensorTransform
	target     func(int64) int64
}

// read takes an option that both kinds of folders have and reports whether it is one.
func (f *foldering) read(o any) bool {
	switch o := o.(type) {
	case IsValidFile:
		f.valid = o
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

func readDatasetFolder(opts []DatasetFolderOption) foldering {
	const op = "data.NewDatasetFolder"
	var f foldering
	for _, o := range opts {
		if e, ok := o.(Extensions); ok {
			f.extensions = slices.Clone(e)
		} else if !f.read(o) {
			panic(torch.BadOption(op, o))
		}
	}
	if (f.extensions == nil) == (f.valid == nil) {
		panic(torch.NewError(op, torch.ErrValue, "opts", "expected either Extensions or IsValidFile"))
	}
	return f
}

func readImageFolder(opts []ImageFolderOption) (foldering, imaging) {
	var f foldering
	im := newImaging()
	im.Mode = ImageReadModeRGB
	for _, o := range opts {
		if !f.read(o) {
			im.read("data.NewImageFolder", o)
		}
	}
	if f.valid == nil {
		f.extensions = ImageExtensions()
	}
	return f, im
}

// belongs reports whether a file is one of the dataset's.
func (f *foldering) belongs(path string) bool {
	if f.valid != nil {
		return f.valid(path)
	}
	path = strings.ToLower(path)
	return slices.ContainsFunc(f.extensions, func(e string) bool { return strings.HasSuffix(path, strings.ToLower(e)) })
}
