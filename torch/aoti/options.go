package aoti

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Load]: [ModelName], [Runners], [SingleThreaded], [Device] or [Inputs].
//
//gotorch:options ModelName Runners SingleThreaded Device Inputs
type LoadOption interface{ loadOption() }

// ModelName is the model's name in the package. If it is missing or empty, the name is
// "model". It is model_name in Python.
type ModelName string

// Runners is the number of calls that can run at the same time. Additional calls wait,
// without blocking a thread. Runners share the constants and need little memory. The
// default is GOMAXPROCS. It is num_runners in Python, where the default is 1.
type Runners int

// SingleThreaded says whether to disable the library's locks and allow only one runner.
// The default is false. It is run_single_threaded in Python.
type SingleThreaded bool

// Device is the CUDA device on which a CUDA model runs. The default, and the zero Device,
// is the first CUDA device. If the device type is not the model's, Load returns an error.
// It is device_index in Python, where the default is the current device.
type Device torch.Device

// Inputs describes the model's inputs, in order. [Model.Run] checks these descriptions
// and the package's own. Use Inputs for packages without a description, and for sizes
// that must be equal; see [Dim]. If Inputs is missing or empty, only the package's
// description applies.
type Inputs []Input

// mostRunners is the largest value of Runners, far above the number of processors of any
// machine.
const mostRunners = 1 << 12

// loading holds the values of LoadOptions.
type loading struct {
	name    string
	runners int
	single  bool
	device  torch.Device
	inputs  []Input
}

// readLoading reads the options. It panics for an invalid option and returns an error
// for an unavailable device.
func readLoading(opts []LoadOption) (loading, error) {
	const op = "aoti.Load"
	l := loading{}
	given := false
	for _, o := range opts {
		switch o := o.(type) {
		case ModelName:
			l.name = string(o)
		case Runners:
			l.runners, given = int(o), true
		case SingleThreaded:
			l.single = bool(o)
		case Device:
			l.device = torch.Device(o)
		case Inputs:
			l.inputs = clone(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if !given {
		l.runners = 1
		if !l.single {
			l.runners = min(runtime.GOMAXPROCS(0), mostRunners)
		}
	}
	if l.name == "" {
		l.name = "model"
	}
	switch {
	case strings.ContainsAny(l.name, "/\\\x00"):
		panic(torch.NewError(op, torch.ErrValue, "ModelName",
			fmt.Sprintf("expected a name without a folder, got %.80q", l.name)))
	case l.runners < 1 || l.runners > mostRunners:
		panic(torch.NewError(op, torch.ErrValue, "Runners",
			fmt.Sprintf("expected 1 to %d, got %d", mostRunners, l.runners)))
	case l.single && l.runners != 1:
		panic(torch.NewError(op, torch.ErrValue, "Runners",
			fmt.Sprintf("expected 1 with SingleThreaded, got %d", l.runners)))
	}
	checkSpec(op, l.inputs)
	return l, opt.MissingDevice(op, l.device)
}
