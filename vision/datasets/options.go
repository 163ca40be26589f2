package datasets

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

type (
	// A CocoDetectionOption is [Transforms], [TargetKeys], [ImageOptions] or [MaxMaskBytes].
	//
	//gotorch:options TransformsOption TargetKeys ImageOptions MaxMaskBytes
	CocoDetectionOption interface{ cocoDetectionOption() }
	// A VOCDetectionOption is [Year], [ImageSet], [Categories], [Transforms] or [ImageOptions].
	//
	//gotorch:options Year ImageSet Categories TransformsOption ImageOptions
	VOCDetectionOption interface{ vocDetectionOption() }
	// A VOCSegmentationOption is [Year], [ImageSet], [Transforms] or [ImageOptions].
	//
	//gotorch:options Year ImageSet TransformsOption ImageOptions
	VOCSegmentationOption interface{ vocSegmentationOption() }
)

// TransformsOption is the type of [Transforms].
type TransformsOption struct{ transform tv.Transform }

// Transforms changes each sample when it is read; transforms in torchvision. Temporary tensors of the
// transform are freed. The default, and nil, leaves samples unchanged.
func Transforms(t tv.Transform) TransformsOption { return TransformsOption{t} }

// TargetKeys lists the parts of a COCO target to return besides the image; target_keys of
// torchvision's wrapper: "image_id", "boxes", "labels", "masks", "keypoints", "area" and "iscrowd".
// The default is {"image_id", "boxes", "labels"}. A word that is not in the list causes ErrValue.
type TargetKeys []string

var targetKeys = []string{"image_id", "boxes", "labels", "masks", "keypoints", "area", "iscrowd"}

// ImageOptions are the options for reading images, such as a [data.Decoder] or [data.MaxPixels].
// Images are read in mode RGB, unless an option changes that.
type ImageOptions []data.ImageOption

// MaxMaskBytes is the largest size of the masks of an image: one byte for each pixel of each object. The
// default is 1 GiB; a number below 1 causes ErrValue.
type MaxMaskBytes int64

// Year is the year of the VOC dataset, from 2007 to 2012. The default is "2012".
type Year string

// ImageSet is the list of images to read, such as "train", "val" or "trainval"; image_set in
// torchvision. The default is "train". It is the name of a file, without ".txt".
type ImageSet string

// Categories are the names of the classes; their indices are the labels. The default, and nil, is VOC's
// twenty classes, after "__background__".
type Categories []string

type config struct {
	transform tv.Transform
	keys      []string
	images    []data.ImageOption
	maxMasks  int64

	year, set  string
	categories []string
}

func read[O any](op string, opts []O) config {
	c := config{
		keys: targetKeys[:3], maxMasks: 1 << 30, year: "2012", set: "train",
		images: []data.ImageOption{data.ImageReadModeRGB},
	}
	for _, o := range opts {
		switch o := any(o).(type) {
		case TransformsOption:
			c.transform = o.transform
		case TargetKeys:
			c.keys = slices.Clone(o)
			for _, k := range o {
				if !slices.Contains(targetKeys, k) {
					panic(torch.NewError(op, torch.ErrValue, "TargetKeys",
						fmt.Sprintf("expected some of %v, got %q", targetKeys, k)))
				}
			}
		case ImageOptions:
			c.images = append([]data.ImageOption{data.ImageReadModeRGB}, o...)
		case MaxMaskBytes:
			if c.maxMasks = int64(o); o < 1 {
				panic(torch.NewError(op, torch.ErrValue, "MaxMaskBytes",
					fmt.Sprintf("expected a positive number, got %d", int64(o))))
			}
		case Year:
			if c.year = string(o); o < "2007" || o > "2012" || len(o) != 4 {
				panic(torch.NewError(op, torch.ErrValue, "Year",
					fmt.Sprintf("expected 2007 to 2012, got %q", string(o))))
			}
		case ImageSet:
			if c.set = string(o); !isName(c.set) {
				panic(torch.NewError(op, torch.ErrValue, "ImageSet",
					fmt.Sprintf("expected the name of a list, got %q", string(o))))
			}
		case Categories:
			c.categories = slices.Clone(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	for _, o := range c.images {
		if o == nil {
			panic(torch.BadOption(op, nil))
		}
	}
	if c.categories == nil {
		c.categories = vocCategories()
	}
	return c
}

func (c *config) has(key string) bool { return slices.Contains(c.keys, key) }
