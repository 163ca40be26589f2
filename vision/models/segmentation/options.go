package segmentation

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

type (
	// An Option is an option of one of the models, for [GetModel].
	//
	//gotorch:options NumClasses AuxLoss
	Option interface{ option() }
	// An FCNOption is [NumClasses] or [AuxLoss].
	//
	//gotorch:options NumClasses AuxLoss
	FCNOption interface{ fcnOption() }
	// A DeepLabV3Option is [NumClasses] or [AuxLoss].
	//
	//gotorch:options NumClasses AuxLoss
	DeepLabV3Option interface{ deepLabV3Option() }
	// An LRASPPOption is [NumClasses].
	//
	//gotorch:options NumClasses
	LRASPPOption interface{ lrasppOption() }
)

type (
	// NumClasses is the number of classes, with the background; num_classes in Python. The
	// default is 21.
	NumClasses int64
	// AuxLoss selects whether the model has a second classifier, which helps to train the
	// first layers; aux_loss in Python. The default is false. torchvision's files, except
	// for LR-ASPP, have this classifier.
	AuxLoss bool
)

// config contains the values of the options.
type config struct {
	classes int64
	aux     bool
}

// largest is the maximum number of classes. Products of numbers up to it do not overflow.
const largest = 1 << 30

func read[O any](op string, opts []O) config {
	c := config{classes: 21}
	for _, o := range opts {
		switch o := any(o).(type) {
		case NumClasses:
			if c.classes = int64(o); c.classes < 0 || c.classes > largest {
				panic(torch.NewError(op, torch.ErrValue, "NumClasses",
					fmt.Sprintf("expected a number from 0 to %d, got %d", largest, c.classes)))
			}
		case AuxLoss:
			c.aux = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return c
}
